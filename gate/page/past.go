package page

import (
	"fmt"
	"io"
	"strconv"

	"github.com/org/perfgate/gate/bisect"
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/page/plot"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// WriteHistory writes the page of what records tell: a chart of each case.
func WriteHistory(w io.Writer, h history.History, o Options) error {
	v := newView(&result.Result{}, report.HistoryDocument(h), o)
	for _, c := range h.Cases {
		if f := course(pastOf(c)); f != nil {
			f.Title = report.Visible(c.Name)
			v.Figures = append(v.Figures, *f)
		}
	}
	return write(w, v)
}

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

// causeWords say on a chart what a change of level came from.
var causeWords = map[result.LevelCause]string{
	result.LevelByCommit: "code", result.LevelByMachine: "machine", result.LevelByBoth: "code and machine", result.LevelByToolchain: "compiler",
	result.LevelUnclear: "code or machine", result.LevelOfOtherWork: "measured otherwise",
}

// course shows the records of a case over time: a dot for each, a line for each level, and what changed between them.
func course(p *result.Past) *figure {
	if p == nil || len(p.Points) < 2 || len(p.Levels) == 0 {
		return nil
	}
	var ys []float64
	for _, point := range p.Points {
		if point.NS <= 0 {
			return nil
		}
		ys = append(ys, point.NS)
	}
	f := plot.NewFrame(62)
	x, y := f.X(-0.6, float64(len(ys))-0.4), plot.Logarithmic(ys, 1.05, f.Bottom, f.Top)
	f.AxisY(y, y.Ticks(4), report.Duration)
	f.AxisX(x, nil, nil, report.Count(len(ys), "record")+", oldest first")
	var dots []plot.Point
	for i, ns := range ys {
		dots = append(dots, plot.Point{X: x.At(float64(i)), Y: y.At(ns)})
	}
	f.Dots("record", dots)
	var rows [][]string
	for i, l := range p.Levels {
		if l.First < 0 || l.Count < 1 || l.NS <= 0 {
			return nil
		}
		at := y.At(l.NS)
		f.Line("line level", plot.Point{X: x.At(float64(l.First) - 0.4), Y: at}, plot.Point{X: x.At(float64(l.First+l.Count) - 0.6), Y: at})
		why := "–"
		if i > 0 && i <= len(p.Changes) {
			why = drawChange(f, x, y, p.Changes[i-1], l)
		}
		rows = append(rows, []string{strconv.Itoa(l.First + 1), strconv.Itoa(l.Count), report.Duration(l.NS), why})
	}
	caption := report.Count(len(p.Levels), "level") + " in " + report.Count(len(ys), "record")
	if p.OverBest > 0 {
		caption += fmt.Sprintf("; the last is %s over the best, of %.12s", report.Change(p.OverBest, 1), report.Visible(p.BestCommit))
	}
	return &figure{Title: "History", SVG: f.SVG(caption + "."), Caption: caption + ".", Data: dataTable([]string{"from record", "records", "level", "changed by"}, rows)}
}

// drawChange marks where a level begins and says why.
func drawChange(f *plot.Frame, x, y plot.Scale, c result.PastChange, l result.PastLevel) string {
	class, shape := "v-same", plot.Circle
	switch {
	case c.Cause == result.LevelOfOtherWork || c.Cause == result.LevelByMachine:
	case c.Ratio > 1:
		class, shape = "v-bad", plot.Up
	case c.Ratio > 0:
		class, shape = "v-good", plot.Down
	}
	why := causeWords[c.Cause]
	if c.Ratio > 0 {
		why = report.Change(c.Ratio-1, 1) + ", " + why
	}
	if c.Accepted {
		why += ", accepted"
	}
	why += fmt.Sprintf(", %.12s", report.Visible(c.Commit))
	f.Upright("break", x, float64(l.First)-0.5)
	f.Mark(class, shape, plot.Point{X: x.At(float64(l.First) - 0.5), Y: y.At(l.NS)}, 4, why)
	return why
}

// WriteBisect writes the page of a search for a commit: its steps as intervals in the order in which they were measured.
func WriteBisect(w io.Writer, r *bisect.Report, o Options) error {
	v := newView(&result.Result{}, report.BisectDocument(r), o)
	if f := steps(r); f != nil {
		v.Figures = append(v.Figures, *f)
	}
	return write(w, v)
}

func steps(r *bisect.Report) *figure {
	ys := []float64{1, 1 + max(r.Tolerance, 0)}
	for _, s := range r.Steps {
		if s.Low > 0 && s.High > 0 {
			ys = append(ys, s.Low, s.High)
		}
	}
	if len(ys) == 2 {
		return nil
	}
	f := plot.NewFrame(52)
	x, y := f.X(-0.6, float64(max(len(r.Steps), 3))-0.4), plot.Logarithmic(ys, leastReach, f.Bottom, f.Top)
	f.AxisY(y, y.Ticks(5), ratioWord(y.Ticks(5)))
	f.Level("even", y, 1, "")
	f.Level("limit", y, 1+max(r.Tolerance, 0), "tolerance "+plusPercent(r.Tolerance))
	f.AxisX(x, nil, nil, "steps in the order in which they were measured")
	answers := map[bisect.Answer]look{bisect.Good: looks[result.Same], bisect.Bad: looks[result.Regression], bisect.Unsure: looks[result.Inconclusive], bisect.Skip: looks[result.Skipped]}
	for i, s := range r.Steps {
		at, l := x.At(float64(i)), answers[s.Answer]
		if s.Low > 0 && s.High > 0 {
			plot.Whisker(f.Canvas, "bar "+l.class, y, at, s.Low, s.High)
			f.Mark(l.class, l.shape, plot.Point{X: at, Y: y.At(s.Ratio)}, 4, fmt.Sprintf("%.12s beside %.12s", report.Visible(s.Head), report.Visible(s.Base)))
		} else {
			f.Mark(l.class, l.shape, plot.Point{X: at, Y: f.Bottom - 6}, 4, fmt.Sprintf("%.12s: not measured", report.Visible(s.Head)))
		}
	}
	caption := "Each step's time over that of its base, with the interval. A triangle is slower than the good end, a circle is not."
	return &figure{Title: "Steps", SVG: f.SVG(caption), Caption: caption, Data: tableOf(report.BisectDocument(r).Cases)}
}
