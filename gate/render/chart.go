package render

import (
	"math"
	"slices"
	"unicode/utf8"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/text"
)

// Sizes of a figure: as wide as a phone, so that its words can be read there.
const (
	chartWidth  = 360.0
	chartHeight = 210.0
	laneHeight  = 24.0 // of a named row
	wordWidth   = 6.8  // of a letter, at most about
)

// Sizes of a figure that is drawn into the rows of a table.
const (
	stripWidth  = 280.0
	stripHeight = 32.0
)

// look is how a style of a figure is drawn: a class of the style sheet and a shape.
type look struct {
	class string
	shape shape
}

// looks: a triangle points to where the time goes, and is filled where the change is over a threshold. Styles of points that are not
// here, such as verdicts that this perfgate does not know, are drawn as the rest.
var looks = map[report.Style]look{
	report.StyleBase: {"s-base", circle}, report.StyleHead: {"s-head", circle}, report.StyleCompetitor: {"s-competitor", square},
	report.StyleFirst: {"s-first", circle}, report.StyleSecond: {"s-second", cross},
	report.StyleWorse: {"s-worse", up}, report.StyleBetter: {"s-better", down}, report.StyleRest: {"s-rest", circle}, report.StyleTotal: {"s-total", circle},
	report.StyleTolerance: {"tolerance", square}, report.StyleLimit: {"limit", square}, report.StyleEven: {"even", square},
	report.StyleBreak: {"break", square}, report.StyleVoided: {"voided", square},
	"regression": {"v-bad", up}, "slower": {"v-slower", up}, "accepted": {"v-slower", up}, "waived": {"v-slower", up}, "traded": {"v-slower", up},
	"improvement": {"v-good", down}, "faster": {"v-faster", down},
	"same": {"v-same", circle}, "inconclusive": {"v-warn", diamond}, "undecided": {"v-warn", diamond},
	"error": {"v-error", cross}, "new": {"v-new", square}, "skipped": {"v-skipped", square},
}

func lookOf(styles ...report.Style) look {
	for _, s := range styles {
		if l, known := looks[s]; known {
			return l
		}
	}
	return looks[report.StyleRest]
}

// chart is a figure being drawn: its field, and what its axes map to.
type chart struct {
	canvas
	of                       report.Figure
	x, y                     scale
	left, top, right, bottom float64
}

// draw is a figure as a picture.
func draw(f report.Figure) markup {
	c := chart{of: f, canvas: canvas{width: chartWidth, height: chartHeight}, top: 10, right: chartWidth - 10}
	if n := len(f.Y.Names); n > 0 {
		lane := laneHeight
		if c.has(report.FormDots) {
			lane *= 3
		} else if c.has(report.FormCells) {
			lane = max(8, 100/float64(n))
		}
		c.height = 54 + lane*float64(n)
	}
	c.bottom = c.height - 36
	c.y = scaleOf(f.Y, c.places(report.Level), c.bottom, c.top)
	c.left = c.roomForWords()
	c.x = scaleOf(f.X, c.places(report.Upright), c.left, c.right)
	c.axes()
	c.guides(report.Level)
	c.guides(report.Upright)
	c.series()
	return c.svg(f.Title + ". " + report.PlainText(f.Caption))
}

// stripOf draws the pictures of a table's rows, all over one axis: its field is one of them.
func stripOf(t report.Table) *chart {
	c := &chart{of: *t.Strip, canvas: canvas{width: stripWidth, height: stripHeight}, bottom: stripHeight, left: 7, right: stripWidth - 7}
	c.of.Y.Names = []string{""}
	c.of.Series = []report.Series{{Form: c.of.Series[0].Form}}
	for _, r := range t.Rows {
		if r.Drawn != nil {
			c.of.Series[0].Points = append(c.of.Series[0].Points, *r.Drawn)
		}
	}
	c.x = scaleOf(c.of.X, c.places(report.Upright), c.left, c.right)
	c.y = scale{low: -0.5, high: 0.5, to: stripHeight}
	return c
}

// axis is the axis of the pictures.
func (c *chart) axis() markup {
	const height = 26
	ticks, head := c.x.ticks(6), canvas{width: stripWidth, height: height}
	for i, word := range c.of.X.Words(ticks) {
		at := c.x.at(ticks[i])
		head.path("axis", point{at, height - 5}, point{at, height})
		head.text("tick", point{inside(at, word, stripWidth), 13}, "middle", word)
	}
	return head.svg("")
}

// row is the picture of a row, which may have nothing in it but the bands and guides.
func (c *chart) row(drawn *report.Point) markup {
	row := *c
	row.drawn = nil
	row.guides(report.Upright)
	if drawn != nil {
		row.of.Series = []report.Series{{Form: c.of.Series[0].Form, Points: []report.Point{*drawn}}}
		row.series()
	}
	return row.svg("")
}

func (c *chart) has(form report.Form) bool {
	return slices.ContainsFunc(c.of.Series, func(s report.Series) bool { return s.Form == form })
}

// along says whether the intervals of the figure go along an axis.
func (c *chart) along(d report.Direction) bool {
	return (len(c.of.Y.Names) > 0) == (d == report.Upright)
}

// places are the numbers of an axis that the figure has to hold.
func (c *chart) places(d report.Direction) []float64 {
	var out []float64
	for _, s := range c.of.Series {
		for _, p := range s.Points {
			if math.IsNaN(p.Y) {
				continue
			}
			out = append(out, map[report.Direction]float64{report.Upright: p.X, report.Level: p.Y}[d])
			if p.High > p.Low && c.along(d) {
				out = append(out, p.Low, p.High)
			}
		}
	}
	for _, g := range c.of.Guides {
		if g.Along == d && g.Style != report.StyleBreak {
			out = append(out, g.At)
		}
	}
	for _, b := range c.of.Bands {
		if b.Along == d && b.Style == report.StyleTolerance {
			out = append(out, b.From, b.To)
		}
	}
	return out
}

// roomForWords is where the field begins, right of the words of Y.
func (c *chart) roomForWords() float64 {
	longest := 3
	for _, word := range c.wordsOfY() {
		longest = max(longest, utf8.RuneCountInString(word))
	}
	return min(150, 14+wordWidth*float64(longest))
}

// longestName is how many letters of a row's name are drawn.
const longestName = 22

func (c *chart) wordsOfY() []string {
	words := c.of.Y.Words(c.ticks(c.of.Y, c.y))
	for i, word := range words {
		words[i] = text.Clip(text.Visible(word), longestName)
	}
	return words
}

// ticks are the places of an axis that have a word. An order has none.
func (c *chart) ticks(a report.Axis, s scale) []float64 {
	switch {
	case len(a.Ticks) > 0:
		return a.Ticks
	case len(a.Names) > 0:
		all := make([]float64, len(a.Names))
		for i := range all {
			all[i] = float64(i)
		}
		return all
	case a.Quantity == "":
		return nil
	}
	return s.ticks(5)
}

// axes draws the lines and words at the edges of the field.
func (c *chart) axes() {
	ticks := c.ticks(c.of.Y, c.y)
	for i, word := range c.wordsOfY() {
		at := c.y.at(ticks[i])
		if len(c.of.Y.Names) == 0 {
			c.path("grid", point{c.left, at}, point{c.right, at})
		}
		c.text("tick", point{c.left - 6, at}, "end", word)
	}
	ticks = c.ticks(c.of.X, c.x)
	words := c.of.X.Words(ticks)
	end := math.Inf(-1) // of the word before
	for i, word := range words {
		at := c.x.at(ticks[i])
		if len(c.of.X.Names) == 0 {
			c.path("grid", point{at, c.top}, point{at, c.bottom})
		}
		word = text.Clip(text.Visible(word), longestName)
		half := wordWidth * float64(utf8.RuneCountInString(word)) / 2
		if middle := inside(at, word, chartWidth); middle-half > end+4 {
			c.text("tick", point{middle, c.bottom + 11}, "middle", word)
			end = middle + half
		}
	}
	c.path("axis", point{c.left, c.bottom}, point{c.right, c.bottom})
	c.text("label", point{(c.left + c.right) / 2, c.bottom + 27}, "middle", text.Clip(text.Visible(c.of.X.Title), 58))
}

// inside is a place for the middle of a word that keeps all of it in a picture.
func inside(at float64, word string, width float64) float64 {
	half := wordWidth * float64(utf8.RuneCountInString(word)) / 2
	return max(half+1, min(width-half-1, at))
}

// guides draws bands and lines that go one way through the field.
func (c *chart) guides(d report.Direction) {
	for _, b := range c.of.Bands {
		if b.Along == d {
			from, to := c.corners(d, b.From, b.To)
			c.box(lookOf(b.Style).class, from, to, text.Visible(b.Label))
		}
	}
	for _, g := range c.of.Guides {
		if g.Along != d {
			continue
		}
		from, to := c.corners(d, g.At, g.At)
		c.path(lookOf(g.Style).class, from, to)
		if g.Label != "" {
			c.text("note "+lookOf(g.Style).class+"-word", point{c.right, from.y - 7}, "end", text.Clip(text.Visible(g.Label), 40))
		}
	}
}

// corners are those of what reaches through the field, from a place of an axis to another.
func (c *chart) corners(d report.Direction, from, to float64) (a, b point) {
	if d == report.Upright {
		return point{c.x.at(from), c.top}, point{c.x.at(to), c.bottom}
	}
	return point{c.left, c.y.at(from)}, point{c.right, c.y.at(to)}
}

// series draws the points. One that was not measured stands at the bottom.
func (c *chart) series() {
	for _, s := range c.of.Series {
		at := make([]point, len(s.Points))
		for i, p := range s.Points {
			if at[i] = (point{c.x.at(p.X), c.y.at(p.Y)}); math.IsNaN(p.Y) {
				at[i].y = c.bottom - 6
			}
		}
		switch {
		case len(at) == 0:
		case s.Form == report.FormDots:
			c.dots(lookOf(s.Style).class, at)
		case s.Form == report.FormLine:
			c.path("line "+lookOf(s.Style).class, at...)
		default:
			for i, p := range s.Points {
				c.point(s, p, at[i])
			}
		}
	}
}

// point draws one point of a series of marks, bars or cells.
func (c *chart) point(s report.Series, p report.Point, at point) {
	l, title := lookOf(p.Style, s.Style), titleOf(c.of, p)
	switch s.Form {
	case report.FormBars:
		a, b := point{c.x.at(p.Low), at.y - 6}, point{c.x.at(p.High), at.y + 6}
		if c.along(report.Level) {
			a, b = point{at.x - 14, min(c.y.at(p.High), c.y.at(p.Low)-2)}, point{at.x + 14, c.y.at(p.Low)}
		}
		c.box("bar "+l.class, a, b, title)
	case report.FormCells:
		w, h := (c.right-c.left)/float64(len(c.of.X.Names))/2, (c.bottom-c.top)/float64(len(c.of.Y.Names))/2
		level := pixels(math.Round(9 * max(0, min(1, p.Low))))
		c.box("heat heat-"+level, point{at.x - w, at.y - h}, point{at.x + w, at.y + h}, title)
	default:
		size := 4.4
		if p.High > p.Low {
			c.interval("whisker "+l.class, p, at)
		} else if len(s.Points) > 8 {
			size = 3.2
		}
		c.mark(l.class, l.shape, at, size, title)
	}
}

// interval draws the interval of a point, with its ends.
func (c *chart) interval(class string, p report.Point, at point) {
	place := func(value, beside float64) point { return point{at.x + beside, c.y.at(value)} }
	if c.along(report.Upright) {
		place = func(value, beside float64) point { return point{c.x.at(value), at.y + beside} }
	}
	c.path(class, place(p.Low, 0), place(p.High, 0))
	for _, end := range []float64{p.Low, p.High} {
		c.path(class, place(end, -3.5), place(end, 3.5))
	}
}

// valueOf is the axis that has the values of a figure, and where a point is on it.
func valueOf(f report.Figure, p report.Point) (report.Axis, float64) {
	if len(f.Y.Names) > 0 {
		return f.X, p.X
	}
	return f.Y, p.Y
}

// titleOf is what a point says when pointed at: its label and its numbers.
func titleOf(f report.Figure, p report.Point) string {
	values, x := valueOf(f, p)
	text := text.Visible(p.Label)
	if values.Quantity == "" {
		return text
	}
	if text != "" {
		text += ": "
	}
	text += values.Word(x)
	if p.High > p.Low && values.Quantity == report.QuantityChange {
		text += " (" + values.Word(p.Low) + " to " + values.Word(p.High) + ")"
	}
	return text
}
