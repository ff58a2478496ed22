package render

import (
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// canvas is an SVG in the making, in pixels from its upper left corner. It holds numbers, class names of this package and escaped words, so
// it can stand in a page as it is. Colours are the style sheet's: everything has a class, nothing a style.
//
// gonum.org/v1/plot draws more kinds of plots, and brings fonts, rasterizers and colours of its own, which a page with a dark theme has no
// use for.
type canvas struct {
	width, height float64
	body          strings.Builder
}

// svg is the finished picture. label says in words what it shows, to those who cannot see it; without one the picture is decoration, and
// what it shows stands in text next to it.
func (c *canvas) svg(label string) template.HTML {
	role := `aria-hidden="true"`
	if label != "" {
		role = `role="img" aria-label="` + html.EscapeString(label) + `"`
	}
	size := pixels(c.width) + " " + pixels(c.height)
	//nolint:gosec // everything in it was escaped, or is a number
	return template.HTML(`<svg viewBox="0 0 ` + size + `" ` + role + `>` + c.body.String() + `</svg>`)
}

type point struct{ x, y float64 }

// path draws lines through points.
func (c *canvas) path(class string, points ...point) {
	c.put(`<path class="`, class, `" d="`)
	for i, p := range points {
		c.put([]string{"M", "L"}[min(i, 1)], pair(p))
	}
	c.put(`"/>`)
}

// dots draws many small dots as one element: lines of no length with round ends.
func (c *canvas) dots(class string, points []point) {
	c.put(`<path class="dots `, class, `" d="`)
	for _, p := range points {
		c.put("M", pair(p), "h0")
	}
	c.put(`"/>`)
}

// box draws a box between two corners; title is what it says when pointed at.
func (c *canvas) box(class string, a, b point, title string) {
	c.put(`<rect class="`, class, `" x="`, pixels(min(a.x, b.x)), `" y="`, pixels(min(a.y, b.y)),
		`" width="`, pixels(math.Abs(b.x-a.x)), `" height="`, pixels(math.Abs(b.y-a.y)), `"`)
	c.end("rect", title)
}

// text writes words, centred on the height of the point; anchor is start, middle or end.
func (c *canvas) text(class string, at point, anchor, words string) {
	c.put(`<text class="`, class, `" x="`, pixels(at.x), `" y="`, pixels(at.y), `" dy=".32em" text-anchor="`, anchor, `">`, html.EscapeString(words), `</text>`)
}

// shape is the form of a mark.
type shape string

const (
	circle  shape = "circle"
	square  shape = "square"
	up      shape = "up"   // a triangle
	down    shape = "down" // a triangle
	diamond shape = "diamond"
	cross   shape = "cross"
)

// outlines are the shapes around 0,0, one pixel in size.
var outlines = map[shape][]point{
	square:  {{-0.85, -0.85}, {0.85, -0.85}, {0.85, 0.85}, {-0.85, 0.85}},
	up:      {{0, -1.1}, {1.05, 0.8}, {-1.05, 0.8}},
	down:    {{0, 1.1}, {1.05, -0.8}, {-1.05, -0.8}},
	diamond: {{0, -1.2}, {1.2, 0}, {0, 1.2}, {-1.2, 0}},
}

// mark draws a shape of a size; title is what it says when pointed at.
func (c *canvas) mark(class string, form shape, at point, size float64, title string) {
	outline := outlines[form]
	switch {
	case form == cross:
		a, b := point{at.x - size, at.y - size}, point{at.x + size, at.y + size}
		c.put(`<path class="`, class, ` cross" d="M`, pair(a), "L", pair(b), "M", pair(point{a.x, b.y}), "L", pair(point{b.x, a.y}), `"`)
		c.end("path", title)
		return
	case outline == nil:
		c.put(`<circle class="`, class, `" cx="`, pixels(at.x), `" cy="`, pixels(at.y), `" r="`, pixels(size), `"`)
		c.end("circle", title)
		return
	}
	c.put(`<path class="`, class, `" d="`)
	for i, p := range outline {
		c.put([]string{"M", "L"}[min(i, 1)], pair(point{at.x + size*p.x, at.y + size*p.y}))
	}
	c.put(`Z"`)
	c.end("path", title)
}

// end closes an element, with what it says when pointed at.
func (c *canvas) end(element, title string) {
	if title == "" {
		c.put("/>")
		return
	}
	c.put("><title>", html.EscapeString(title), "</title></", element, ">")
}

func (c *canvas) put(parts ...string) {
	for _, p := range parts {
		c.body.WriteString(p)
	}
}

func pair(p point) string { return pixels(p.x) + " " + pixels(p.y) }

// pixels writes a length: a tenth of a pixel is finer than any screen.
func pixels(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "0"
	}
	return strconv.FormatFloat(math.Round(x*10)/10+0, 'f', -1, 64)
}
