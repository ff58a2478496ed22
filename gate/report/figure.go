package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// Figure is a picture as data: series of points over two axes. Its points carry all numbers and words that it shows, so a renderer that
// cannot draw may list them, and one that draws decides nothing. Texts may hold what the change under test wrote: renderers escape them.
type Figure struct {
	Key     string // names its kind: distribution, run-order, forest, …
	Title   string
	Caption Text // what it shows, in sentences; also for readers who cannot see it
	X, Y    Axis
	Bands   []Band
	Guides  []Guide
	Series  []Series
}

// Axis is what one direction of a figure stands for.
type Axis struct {
	Title    string
	Quantity Quantity
	Log      bool
	Least    float64   // how much the axis spans at least, a factor if Log: less would make noise look like mountains
	Names    []string  // if not empty: the names of 0, 1, 2, …
	Ticks    []float64 // if not empty: the places that have a word; else round numbers
}

// Quantity is what the numbers of an axis are, and so how they are written. An axis without one is an order: first, second, ….
type Quantity string

// Quantities.
const (
	QuantityChange Quantity = "change" // a ratio of head over base, written as a change: 1.02 is +2 %
	QuantityTimes  Quantity = "times"  // a factor: 2x
	QuantityTime   Quantity = "time"   // ns
	QuantitySpan   Quantity = "span"   // s
	QuantityShare  Quantity = "share"  // 0.5 is 50 %
	QuantityNumber Quantity = "number"
	QuantityScaled Quantity = "scaled" // with a decimal prefix
)

// Direction is which way bands and guides go through a figure.
type Direction bool

// Directions. An upright guide stands at a place of X, a level one at a place of Y.
const (
	Level   Direction = false
	Upright Direction = true
)

// Band is a range of one axis that stands out.
type Band struct {
	Along    Direction
	From, To float64
	Style    Style
	Label    string
}

// Guide is a line at one place of an axis.
type Guide struct {
	Along Direction
	At    float64
	Style Style
	Label string
}

// Form is how the points of a series are drawn.
type Form string

// Forms.
const (
	FormMarks Form = "marks" // a mark each, with its interval if it has one
	FormDots  Form = "dots"  // many small ones, which no table lists
	FormLine  Form = "line"
	FormBars  Form = "bars"  // from Low to High
	FormCells Form = "cells" // of a heat map: Low, from 0 to 1, is how much
)

// Series are points of one kind.
type Series struct {
	Name   string // in the legend; "" for none
	Form   Form
	Style  Style
	Points []Point
}

// Point is one of a series. Its interval lies along X where Y has names, else along Y.
type Point struct {
	X, Y      float64 // Y is NaN where nothing was measured
	Low, High float64 // the interval, where High > Low
	Style     Style   // if it differs from the series'
	Label     string  // what the point says of itself
}

// Style says what something of a figure stands for. A renderer gives each its own colour and its own shape, so that neither is needed to
// tell them apart. The verdicts of cases are styles, too.
type Style string

// Styles.
const (
	StyleBase       Style = "base"
	StyleHead       Style = "head"
	StyleCompetitor Style = "competitor"
	StyleFirst      Style = "first"  // of several lines
	StyleSecond     Style = "second" // of several lines
	StyleWorse      Style = "worse"
	StyleBetter     Style = "better"
	StyleRest       Style = "rest"
	StyleTotal      Style = "total"
	StyleTolerance  Style = "tolerance"
	StyleLimit      Style = "limit"
	StyleEven       Style = "even" // no change
	StyleBreak      Style = "break"
	StyleVoided     Style = "voided"
)

// Words writes places of an axis, all of them to the same precision.
func (a Axis) Words(places []float64) []string {
	digits := 0
	for _, x := range places {
		digits = max(digits, changeDigits(x))
	}
	out := make([]string, len(places))
	for i, x := range places {
		out[i] = a.write(x, digits)
	}
	return out
}

// Word writes one number of an axis.
func (a Axis) Word(x float64) string { return a.write(x, 2) }

func (a Axis) write(x float64, digits int) string {
	if math.IsNaN(x) {
		return text.Blank
	}
	if i := int(math.Round(x)); len(a.Names) > 0 {
		return a.Names[max(0, min(len(a.Names)-1, i))]
	}
	switch a.Quantity {
	case QuantityChange:
		return changeWord(x, digits)
	case QuantityTimes:
		return strconv.FormatFloat(x, 'g', 4, 64) + "x"
	case QuantityTime:
		return text.Duration(x)
	case QuantitySpan:
		return text.Elapsed(x)
	case QuantityShare:
		return text.Percent(x)
	case QuantityScaled:
		return text.Scaled(x, "")
	case QuantityNumber:
		return strconv.FormatFloat(x, 'g', 6, 64)
	}
	return strconv.Itoa(int(math.Round(x)) + 1)
}

// changeWord writes a ratio as a change where it is a small one, as a factor where it is not.
func changeWord(ratio float64, digits int) string {
	switch {
	case math.Abs(ratio-1) < 1e-9:
		return "0 %"
	case ratio >= 2 || ratio <= 0.5:
		return fmt.Sprintf("%.3gx", ratio)
	}
	return text.Change(ratio-1, digits)
}

// changeDigits is how many digits a round change needs behind the point, at most three.
func changeDigits(ratio float64) int {
	for n := range 3 {
		if scaled := 100 * (ratio - 1) * math.Pow(10, float64(n)); math.Abs(scaled-math.Round(scaled)) < 1e-6 {
			return n
		}
	}
	return 3
}

// forest is what the intervals of a table's rows have in common: an axis of ratios, over the band of the tolerance where there is one.
func forest(axis string, q Quantity, tolerance float64, caption Text) Figure {
	f := Figure{
		Caption: caption, X: Axis{Title: axis, Quantity: q, Log: true, Least: leastReach},
		Guides: []Guide{{Upright, 1, StyleEven, ""}}, Series: []Series{{Form: FormMarks}},
	}
	if tolerance > 0 {
		f.Bands = []Band{{Upright, 1 / (1 + tolerance), 1 + tolerance, StyleTolerance, "tolerance"}}
	}
	return f
}

// drawnShift is the picture of a row, nil without a shift.
func drawnShift(name string, s *result.Shift, style Style) *Point {
	if s == nil || !(s.Ratio > 0 && s.Low > 0 && s.High > 0) {
		return nil
	}
	return &Point{X: s.Ratio, Low: s.Low, High: s.High, Style: style, Label: name}
}

// bar is the picture of a row: a bar between two numbers.
func bar(name string, from, to float64, style Style) *Point {
	return &Point{X: to, Low: min(from, to), High: max(from, to), Style: style, Label: name}
}

// changeAxis is an axis of ratios that are written as changes.
func changeAxis(title string, least float64) Axis {
	return Axis{Title: title, Quantity: QuantityChange, Log: true, Least: least}
}

// changeStyle is how a change is drawn that is significant one way or the other.
func changeStyle(worse, better bool, rest result.Verdict) Style {
	switch {
	case worse:
		return Style(result.Regression)
	case better:
		return Style(result.Improvement)
	}
	return Style(rest)
}

// drawn is the figure, if it has anything to show.
func (f Figure) drawn() []Figure {
	if !slices.ContainsFunc(f.Series, func(s Series) bool { return len(s.Points) > 0 }) {
		return nil
	}
	return []Figure{f}
}

// leastReach is the factor that an axis of ratios spans at least.
const leastReach = 1.02
