package plot

import (
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// Canvas is a figure in the making, in pixels from its upper left corner.
type Canvas struct {
	width, height float64
	body          strings.Builder
}

// Point is a place on a canvas.
type Point struct{ X, Y float64 }

// New is an empty canvas.
func New(width, height float64) *Canvas { return &Canvas{width: width, height: height} }

// SVG is the figure. label says in words what it shows, to those who cannot see it; without one the figure is decoration, and what it
// shows stands beside it in text.
func (c *Canvas) SVG(label string) template.HTML {
	role := `aria-hidden="true"`
	if label != "" {
		role = `role="img" aria-label="` + html.EscapeString(label) + `"`
	}
	size := number(c.width) + " " + number(c.height)
	//nolint:gosec // everything in it was escaped, or is a number
	return template.HTML(`<svg viewBox="0 0 ` + size + `" ` + role + `>` + c.body.String() + `</svg>`)
}

// Line draws a straight line.
func (c *Canvas) Line(class string, a, b Point) {
	c.put(`<path class="`, class, `" d="M`, pair(a), "L", pair(b), `"/>`)
}

// Path draws a line through points.
func (c *Canvas) Path(class string, points []Point) {
	if len(points) == 0 {
		return
	}
	c.put(`<path class="`, class, `" d="M`)
	for i, p := range points {
		if i > 0 {
			c.put("L")
		}
		c.put(pair(p))
	}
	c.put(`"/>`)
}

// Dots draws many small dots as one element: lines of no length with round ends.
func (c *Canvas) Dots(class string, points []Point) {
	if len(points) == 0 {
		return
	}
	c.put(`<path class="dots `, class, `" d="`)
	for _, p := range points {
		c.put("M", pair(p), "h0")
	}
	c.put(`"/>`)
}

// Rect draws a box between two corners.
func (c *Canvas) Rect(class string, a, b Point) { c.Box(class, a, b, "") }

// Box draws a box that says what it is when pointed at.
func (c *Canvas) Box(class string, a, b Point, title string) {
	at, size := Point{min(a.X, b.X), min(a.Y, b.Y)}, Point{math.Abs(b.X - a.X), math.Abs(b.Y - a.Y)}
	c.put(`<rect class="`, class, `" x="`, number(at.X), `" y="`, number(at.Y), `" width="`, number(size.X), `" height="`, number(size.Y), `"`)
	c.end("rect", title)
}

// Anchor says which part of a text stands at its point.
type Anchor string

// Anchors.
const (
	Start  Anchor = "start"
	Middle Anchor = "middle"
	End    Anchor = "end"
)

// Text writes words, centred on the height of the point.
func (c *Canvas) Text(class string, at Point, anchor Anchor, words string) {
	c.put(`<text class="`, class, `" x="`, number(at.X), `" y="`, number(at.Y), `" dy=".32em" text-anchor="`, string(anchor), `">`, html.EscapeString(words), `</text>`)
}

// Shape is the form of a mark.
type Shape string

// Shapes.
const (
	Circle  Shape = "circle"
	Square  Shape = "square"
	Up      Shape = "up"   // a triangle
	Down    Shape = "down" // a triangle
	Diamond Shape = "diamond"
	Cross   Shape = "cross"
)

// outlines are the shapes around 0,0, one pixel in size.
var outlines = map[Shape][]Point{
	Square:  {{-0.85, -0.85}, {0.85, -0.85}, {0.85, 0.85}, {-0.85, 0.85}},
	Up:      {{0, -1.1}, {1.05, 0.8}, {-1.05, 0.8}},
	Down:    {{0, 1.1}, {1.05, -0.8}, {-1.05, -0.8}},
	Diamond: {{0, -1.2}, {1.2, 0}, {0, 1.2}, {-1.2, 0}},
}

// Mark draws a shape of a size; title is what it says when pointed at.
func (c *Canvas) Mark(class string, shape Shape, at Point, size float64, title string) {
	switch outline := outlines[shape]; {
	case shape == Cross:
		a, b := Point{at.X - size, at.Y - size}, Point{at.X + size, at.Y + size}
		c.put(`<path class="`, class, ` cross" d="M`, pair(a), "L", pair(b), "M", pair(Point{a.X, b.Y}), "L", pair(Point{b.X, a.Y}), `"`)
		c.end("path", title)
	case outline == nil:
		c.put(`<circle class="`, class, `" cx="`, number(at.X), `" cy="`, number(at.Y), `" r="`, number(size), `"`)
		c.end("circle", title)
	default:
		c.put(`<path class="`, class, `" d="M`)
		for i, p := range outline {
			if i > 0 {
				c.put("L")
			}
			c.put(pair(Point{at.X + size*p.X, at.Y + size*p.Y}))
		}
		c.put(`Z"`)
		c.end("path", title)
	}
}

// end closes an element, with what it says when pointed at.
func (c *Canvas) end(element, title string) {
	if title == "" {
		c.put("/>")
		return
	}
	c.put("><title>", html.EscapeString(title), "</title></", element, ">")
}

func (c *Canvas) put(parts ...string) {
	for _, p := range parts {
		c.body.WriteString(p)
	}
}

func pair(p Point) string { return number(p.X) + " " + number(p.Y) }

// number writes a pixel: a tenth of one is finer than any screen.
func number(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "0"
	}
	s := strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64)
	if s == "-0" {
		return "0"
	}
	return s
}
