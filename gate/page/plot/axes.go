package plot

import "html/template"

// Frame is a canvas with room for axes around a field.
type Frame struct {
	*Canvas
	Left, Top, Right, Bottom float64 // edges of the field
}

// Sizes of a figure: as wide as a phone is, so that its words can be read there.
const (
	Width  = 360.0
	Height = 210.0
)

// NewFrame is a figure of the usual size with a field in it. left is the room for words beside the vertical axis.
func NewFrame(left float64) *Frame { return NewFrameOf(Height, left) }

// NewFrameOf is a figure of a height.
func NewFrameOf(height, left float64) *Frame {
	return &Frame{Canvas: New(Width, height), Left: left, Top: 10, Right: Width - 10, Bottom: height - 34}
}

// X is the horizontal scale of numbers over the field.
func (f *Frame) X(low, high float64) Scale {
	return Scale{Low: low, High: high, From: f.Left, To: f.Right}
}

// AxisX draws the axis at the foot: ticks, their words, and a title.
func (f *Frame) AxisX(s Scale, ticks []float64, word func(float64) string, title string) {
	for _, x := range ticks {
		at := s.At(x)
		f.Line("grid", Point{at, f.Top}, Point{at, f.Bottom})
		f.Text("tick", Point{at, f.Bottom + 9}, Middle, word(x))
	}
	f.Line("axis", Point{f.Left, f.Bottom}, Point{f.Right, f.Bottom})
	f.Text("label", Point{(f.Left + f.Right) / 2, f.Bottom + 25}, Middle, title)
}

// AxisY draws the axis on the left: lines across the field and their words.
func (f *Frame) AxisY(s Scale, ticks []float64, word func(float64) string) {
	for _, y := range ticks {
		at := s.At(y)
		f.Line("grid", Point{f.Left, at}, Point{f.Right, at})
		f.Text("tick", Point{f.Left - 5, at}, End, word(y))
	}
}

// Level draws a line across the field, with a word at its end.
func (f *Frame) Level(class string, s Scale, y float64, word string) {
	at := s.At(y)
	f.Line(class, Point{f.Left, at}, Point{f.Right, at})
	if word != "" {
		f.Text("note "+class+"-word", Point{f.Right, at - 6}, End, word)
	}
}

// Upright draws a line down the field.
func (f *Frame) Upright(class string, s Scale, x float64) {
	at := s.At(x)
	f.Line(class, Point{at, f.Top}, Point{at, f.Bottom})
}

// Interval draws a bar between two numbers on a height, with its ends.
func Interval(c *Canvas, class string, s Scale, y, low, high float64) {
	a, b := s.At(low), s.At(high)
	c.Line(class, Point{a, y}, Point{b, y})
	for _, x := range []float64{a, b} {
		c.Line(class, Point{x, y - 3}, Point{x, y + 3})
	}
}

// Whisker draws an upright bar between two numbers.
func Whisker(c *Canvas, class string, s Scale, x, low, high float64) {
	a, b := s.At(low), s.At(high)
	c.Line(class, Point{x, a}, Point{x, b})
	for _, y := range []float64{a, b} {
		c.Line(class, Point{x - 3, y}, Point{x + 3, y})
	}
}

// Nothing is no figure.
const Nothing = template.HTML("")
