package render

import (
	"math"
	"strconv"
)

// canvas is an SVG in the making, in pixels from its upper left corner. Colours are the style sheet's: everything has a class, nothing a
// style.
//
// gonum.org/v1/plot draws more kinds of plots, and brings fonts, rasterizers and colours of its own, which a page with a dark theme has no
// use for.
type canvas struct {
	width, height float64
	drawn         []markup
}

// svg is the finished picture. label says in words what it shows, to those who cannot see it; without one the picture is decoration, and
// what it shows stands in text next to it.
func (c *canvas) svg(label string) markup {
	about := attrs{"viewBox", "0 0 " + pixels(c.width) + " " + pixels(c.height), "aria-hidden", "true"}
	if label != "" {
		about = append(about[:2], "role", "img", "aria-label", label)
	}
	return el("svg", about, c.drawn...)
}

// add draws an element; title is what it says when pointed at.
func (c *canvas) add(name, title string, attributes ...string) {
	var inside []markup
	if title != "" {
		inside = append(inside, el("title", nil, words(title)))
	}
	c.drawn = append(c.drawn, el(name, attributes, inside...))
}

type point struct{ x, y float64 }

// path draws lines through points.
func (c *canvas) path(class string, points ...point) {
	d := ""
	for i, p := range points {
		d += []string{"M", "L"}[min(i, 1)] + pair(p)
	}
	c.add("path", "", "class", class, "d", d)
}

// dots draws many small dots as one element: lines of no length with round ends.
func (c *canvas) dots(class string, points []point) {
	var d []byte
	for _, p := range points {
		d = append(d, "M"+pair(p)+"h0"...)
	}
	c.add("path", "", "class", "dots "+class, "d", string(d))
}

// box draws a box between two corners.
func (c *canvas) box(class string, a, b point, title string) {
	c.add("rect", title, "class", class, "x", pixels(min(a.x, b.x)), "y", pixels(min(a.y, b.y)), "width", pixels(math.Abs(b.x-a.x)), "height", pixels(math.Abs(b.y-a.y)))
}

// text writes a text, centred on the height of the point; anchor is start, middle or end.
func (c *canvas) text(class string, at point, anchor, said string) {
	c.drawn = append(c.drawn, el("text", attrs{"class", class, "x", pixels(at.x), "y", pixels(at.y), "dy", ".32em", "text-anchor", anchor}, words(said)))
}

// shape is the outline of a mark around 0,0, of about one pixel in size.
type shape string

const (
	circle  shape = "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0Z"
	square  shape = "M-.85-.85H.85V.85H-.85Z"
	up      shape = "M0-1.1L1.05.8H-1.05Z"
	down    shape = "M0 1.1L1.05-.8H-1.05Z"
	diamond shape = "M0-1.2L1.2 0L0 1.2L-1.2 0Z"
	cross   shape = "M-1-1L1 1M-1 1L1-1"
)

// mark draws a shape of a size. The style sheet keeps its lines as thin as they are in any size.
func (c *canvas) mark(class string, form shape, at point, size float64, title string) {
	c.add("path", title, "class", class, "d", string(form), "transform", "translate("+pair(at)+")scale("+pixels(size)+")")
}

func pair(p point) string { return pixels(p.x) + " " + pixels(p.y) }

// pixels writes a length: a tenth of a pixel is finer than any screen.
func pixels(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "0"
	}
	return strconv.FormatFloat(math.Round(x*10)/10+0, 'f', -1, 64)
}
