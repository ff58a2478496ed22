package report

import (
	"fmt"
	"math"
	"strconv"

	"github.com/org/perfgate/gate/bisect"
	"github.com/org/perfgate/gate/drift"
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/result"
)

// pastOf is a case's history as a run has it, with all of its points.
func pastOf(c history.Case) *result.Past {
	p := &result.Past{OverBest: c.OverBest, BestCommit: c.BestCommit}
	for _, point := range c.Points {
		p.Points = append(p.Points, result.PastPoint{Commit: point.ID, NS: point.Steadied})
	}
	for _, l := range c.Levels {
		p.Levels = append(p.Levels, result.PastLevel{First: l.First, Count: l.Count, NS: l.NS})
	}
	for _, x := range c.Changes {
		p.Changes = append(p.Changes, result.PastChange{
			Commit: x.At.ID, Ratio: x.Ratio, Low: x.Low, High: x.High, Cause: x.Cause, Accepted: len(x.Accepted) > 0,
		})
	}
	return p
}

// levelCauses say on a chart what a change of level came from.
var levelCauses = map[result.LevelCause]string{
	result.LevelByCommit: "code", result.LevelByMachine: "machine", result.LevelByBoth: "code and machine", result.LevelByToolchain: "compiler",
	result.LevelUnclear: "code or machine", result.LevelOfOtherWork: "measured otherwise",
}

// levelsFigure shows the records of a case over time: a dot each, a line for each level, and what changed between them.
func levelsFigure(p *result.Past) []Figure {
	if p == nil || len(p.Points) < 2 || len(p.Levels) == 0 {
		return nil
	}
	records := Series{Name: "record", Form: FormMarks, Style: StyleRest}
	for i, point := range p.Points {
		if point.NS <= 0 {
			return nil
		}
		records.Points = append(records.Points, Point{X: float64(i), Y: point.NS, Label: result.ShortID(point.Commit)})
	}
	f := Figure{
		Key: "history", Title: "History", X: Axis{Title: Count(len(p.Points), "record") + ", oldest first"},
		Y: Axis{Title: "time", Quantity: QuantityTime, Log: true, Least: 1.05}, Series: []Series{records},
	}
	changes := Series{Form: FormMarks, Style: Style(result.Same)}
	for i, l := range p.Levels {
		if l.First < 0 || l.Count < 1 || l.NS <= 0 {
			return nil
		}
		from := float64(l.First) - 0.4
		f.Series = append(f.Series, Series{Form: FormLine, Style: StyleFirst, Points: []Point{{X: from, Y: l.NS}, {X: float64(l.First+l.Count) - 0.6, Y: l.NS}}})
		if i > 0 && i <= len(p.Changes) {
			style, label := levelChange(p.Changes[i-1])
			f.Guides = append(f.Guides, Guide{Upright, from - 0.1, StyleBreak, ""})
			changes.Points = append(changes.Points, Point{X: from - 0.1, Y: l.NS, Style: style, Label: label})
		}
	}
	if len(changes.Points) > 0 {
		f.Series = append(f.Series, changes)
	}
	f.Caption = Say(Count(len(p.Levels), "level") + " in " + Count(len(p.Points), "record"))
	if p.OverBest > 0 {
		f.Caption = append(f.Caption, words(fmt.Sprintf("; the last is %s over the best, of ", Change(p.OverBest, 1))), code(result.ShortID(p.BestCommit)))
	}
	f.Caption = append(f.Caption, words("."))
	return []Figure{f}
}

// levelChange is what a change of level looks like, and what it was.
func levelChange(c result.PastChange) (Style, string) {
	style := Style(result.Same)
	switch {
	case c.Cause == result.LevelOfOtherWork || c.Cause == result.LevelByMachine:
	case c.Ratio > 1:
		style = Style(result.Regression)
	case c.Ratio > 0:
		style = Style(result.Improvement)
	}
	label := levelCauses[c.Cause]
	if c.Ratio > 0 {
		label = Change(c.Ratio-1, 1) + ", " + label
	}
	if c.Accepted {
		label += ", accepted"
	}
	return style, label + ", " + result.ShortID(c.Commit)
}

// bisectAnswerStyles are how the answers of a search look.
var bisectAnswerStyles = map[bisect.Answer]Style{
	bisect.Good: Style(result.Same), bisect.Bad: Style(result.Regression), bisect.Unsure: Style(result.Inconclusive), bisect.Skip: Style(result.Skipped),
}

// bisectSteps is each step of a search with its interval, in the order in which they were measured.
func bisectSteps(r *bisect.Report) []Figure {
	f := Figure{
		Key: "steps", Title: "Steps", X: Axis{Title: "steps in the order in which they were measured"},
		Y:       Axis{Title: "change", Quantity: QuantityChange, Log: true, Least: leastReach},
		Guides:  []Guide{{Level, 1, StyleEven, ""}, toleranceGuide(r.Tolerance)},
		Series:  []Series{{Form: FormMarks}},
		Caption: Say("Each step's time over that of its base, with the interval. A triangle is slower than the good end, a circle is not."),
	}
	for i, s := range r.Steps {
		f.X.Names = append(f.X.Names, result.ShortID(s.Head))
		p := Point{X: float64(i), Y: math.NaN(), Style: bisectAnswerStyles[s.Answer], Label: result.ShortID(s.Head) + ", not measured"}
		if s.Low > 0 && s.High > 0 {
			p.Y, p.Low, p.High, p.Label = s.Ratio, s.Low, s.High, result.ShortID(s.Head)+" compared with "+result.ShortID(s.Base)
		}
		f.Series[0].Points = append(f.Series[0].Points, p)
	}
	return f.drawn()
}

// driftIntervals is each case's time over its usual one.
func driftIntervals(r *drift.Report) []Figure {
	f := forest("time over the usual one", QuantityChange, 0)
	f.Caption = Say("Each case's time over what is usual for it, with bounds that account for the variation between sessions.")
	for _, c := range r.Cases {
		style := Style(result.Same)
		switch {
		case c.Low > 1:
			style = Style(result.Regression)
		case c.High < 1:
			style = Style(result.Improvement)
		}
		f.row(c.Name, c.Ratio, c.Low, c.High, style)
	}
	return f.drawn()
}

// caseIntervals is the interval of each case over the band of the tolerance.
func caseIntervals(r *result.Result) []Figure {
	f := forest("head over base", QuantityChange, r.Policy.Tolerance)
	if mean := meanChange(r.Cases); mean != nil {
		f.Caption = append(mean, words(" "))
	}
	f.Caption = append(f.Caption, words("Time of head over time of base on a logarithmic axis: left is faster. The bar is the interval of the estimate; the shaded band is what the tolerance of +"+
		limit(r.Policy.Tolerance)+" lets pass."))
	for _, c := range sorted(r.Cases) {
		q := result.Comparison{}
		if c.Compared() != nil {
			q = *deciding(c)
		}
		f.row(nameOf(c).Full, q.Ratio, q.RatioLow, q.RatioHigh, Style(c.Verdict))
	}
	return f.drawn()
}

// speedIntervals is how many times as fast A is as B in each case.
func speedIntervals(d *result.VersusResult) []Figure {
	f := forest(d.A+" over "+d.B, QuantityTimes, 0)
	f.Caption = Text{words("Right of 1x "), code(d.A), words(" is faster, left of it "), code(d.B), words(". An interval that crosses 1x is inconclusive.")}
	for _, c := range d.Cases {
		s, style := result.Speed(c.Compared()), Style(result.Inconclusive)
		if s == nil {
			s = &result.Shift{}
		}
		switch {
		case s.Low > 1:
			style = Style(result.Improvement)
		case s.High < 1:
			style = Style(result.Regression)
		}
		f.row(c.Name, s.Ratio, s.Low, s.High, style)
	}
	return f.drawn()
}

// sweepFigure is the time of both implementations over one parameter while the others stay.
func sweepFigure(d *result.VersusResult, l Sweep) Figure {
	f := Figure{
		Key: "sweep", Title: "Along " + l.Name, Caption: l.Says(d),
		X: Axis{Title: l.Param, Quantity: QuantityNumber, Ticks: l.At, Log: l.At[0] > 0 && l.At[len(l.At)-1]/l.At[0] >= 8, Least: 1},
		Y: Axis{Title: "time", Quantity: QuantityTime, Log: true, Least: leastReach},
	}
	for _, side := range []struct {
		name  string
		style Style
		of    func(result.Case) *result.Summary
	}{{d.A, StyleHead, func(c result.Case) *result.Summary { return c.Head }}, {d.B, StyleBase, func(c result.Case) *result.Summary { return c.Base }}} {
		var points []Point
		for i, c := range l.Cases {
			points = append(points, Point{X: l.At[i], Y: side.of(c).MedianNS, Label: side.name + ", " + l.Param + "=" + strconv.FormatFloat(l.At[i], 'f', -1, 64)})
		}
		f.Series = append(f.Series, Series{Form: FormLine, Style: side.style, Points: points}, Series{Name: side.name, Form: FormMarks, Style: side.style, Points: points})
	}
	return f
}

// meanChange says what all cases have in common: their geometric mean and its range. It decides nothing, and is empty for fewer than three.
func meanChange(cases []result.Case) Text {
	sum, n, low, high := 0.0, 0, math.Inf(1), math.Inf(-1)
	for _, c := range cases {
		if c.Compared() != nil {
			sum, n, low, high = sum+c.Compared().Theta, n+1, min(low, c.Compared().Theta), max(high, c.Compared().Theta)
		}
	}
	if n < 3 {
		return nil
	}
	return Say(fmt.Sprintf("All %d cases: %s in the geometric mean, from %s to %s.", n,
		Change(math.Exp(sum/float64(n))-1, 1), Change(math.Exp(low)-1, 1), Change(math.Exp(high)-1, 1)))
}

// historyDetails are the records of each case over time.
func historyDetails(h history.History) Block {
	out := Block{Key: "course", Title: Say("Over time"), Layer: Full}
	for _, c := range h.Cases {
		for i, f := range levelsFigure(pastOf(c)) {
			f.Title = c.Name
			out.Blocks = append(out.Blocks, Block{Key: fmt.Sprintf("course %s %d", c.Name, i), Layer: Full, Figure: &f})
		}
	}
	return out
}

// versusDetails are the times along each parameter, and the distribution of each case.
func versusDetails(d *result.VersusResult) Block {
	var figures []Figure
	for _, l := range Sweeps(d) {
		figures = append(figures, sweepFigure(d, l))
	}
	names := map[result.Side]string{result.SideBase: d.B, result.SideHead: d.A}
	for _, c := range d.Cases {
		for _, f := range distribution(c, names) {
			f.Title = "Distribution: " + c.Name
			figures = append(figures, f)
		}
	}
	return Block{Key: "figures", Title: Say("Case by case"), Layer: Full, Blocks: figureBlocks("versus", figures)}
}
