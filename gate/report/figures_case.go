package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/stats"
)

// withTime are the processes that have a time.
func withTime(processes []result.Process) []result.Process {
	return slices.DeleteFunc(processes, func(p result.Process) bool { return !(p.ValueNS > 0) })
}

func valuesOf(processes []result.Process) []float64 {
	var out []float64
	for _, p := range processes {
		out = append(out, p.ValueNS)
	}
	return out
}

// referenceTime is the time that others are shown relative to: the median of base's processes, of head's where there is no base.
func referenceTime(c result.Case) (ns float64, of result.Side) {
	for _, side := range []result.Side{result.SideBase, result.SideHead} {
		if values := valuesOf(withTime(c.Of(side.Variant()))); len(values) > 0 {
			return median(values), side
		}
	}
	return 0, ""
}

// median is 0 of nothing.
func median(xs []float64) float64 {
	middle, _ := stats.Median(xs)
	return middle
}

// distribution shows where samples and processes of both sides and of competitors lie.
func distribution(c result.Case, base, head string) []Figure {
	one, of := referenceTime(c)
	if len(withTime(c.Sides())) < 2 {
		return nil
	}
	f := Figure{
		Key: "distribution", Title: "Distribution", X: changeAxis("time relative to the median of "+either(of == result.SideBase, base, head), leastReach),
		Caption: Say("A mark is a process, by the trimmed mean of its samples, which the rule compares; a small dot is a sample; the bar is the median of the marks. " +
			"Tables have medians of samples."),
	}
	add := func(name string, style Style, of result.Variant) {
		processes := withTime(c.Of(of))
		if len(processes) == 0 {
			return
		}
		lane := float64(len(f.Y.Names))
		f.Y.Names = append(f.Y.Names, name)
		samples, marks := Series{Form: FormDots, Style: style}, Series{Name: name, Form: FormMarks, Style: style}
		for i, p := range processes {
			marks.Points = append(marks.Points, Point{X: p.ValueNS / one, Y: lane - 0.2 + 0.12*jitter(i), Label: processLabel(p.Round, p.Position) + ", " + p.Variant.String()})
			for j, ns := range samplesOf(p) {
				samples.Points = append(samples.Points, Point{X: ns / one, Y: lane + 0.18 + 0.22*jitter(i*97+j)})
			}
		}
		middle := median(valuesOf(processes))
		bar := Series{Form: FormLine, Style: style, Points: []Point{{X: middle / one, Y: lane - 0.38}, {X: middle / one, Y: lane + 0.38}}}
		f.Series = append(f.Series, samples, marks, bar)
		f.Caption = append(f.Caption, say(" %s: %s.", name, text.Duration(middle))...)
	}
	add(base, StyleBase, result.VariantBase)
	add(head, StyleHead, result.VariantHead)
	for _, v := range c.Competitors {
		add(v.Competitor, StyleCompetitor, result.CompetitorNamed(v.Competitor))
	}
	return []Figure{f}
}

// samplesOf are samples of a process; of results that have none, the quantiles that stand for them.
func samplesOf(p result.Process) []float64 {
	all := p.Raw
	if len(all) == 0 {
		q := p.Quantiles
		all = []float64{q.Min, q.P25, q.P50, q.P75, q.P90}
	}
	return slices.DeleteFunc(slices.Clone(all), func(ns float64) bool { return !(ns > 0) })
}

// jitter spreads marks that would lie on one another, from -0.5 to 0.5, the same in every report (the golden ratio's low-discrepancy
// sequence).
func jitter(i int) float64 {
	_, rest := math.Modf(0.5 + float64(i)*0.6180339887498949)
	return rest - 0.5
}

func processLabel(round, position int) string {
	return fmt.Sprintf("round %d, process %d", round+1, position+1)
}

// processTable is every process of a case.
func processTable(c result.Case) Table {
	ns := func(key string, of func(result.Process) float64) column[result.Process] {
		return numbersIn(key, key, 0, func(p result.Process) Cell { return timeCell(of(p)) })
	}
	value := ns("value", func(p result.Process) float64 { return p.ValueNS })
	value.Title = "trimmed mean"
	return tableBy("process", withTime(c.Sides()), func(_ int, p result.Process) Row { return named(0, processLabel(p.Round, p.Position)) },
		wordsIn("side", "side", 0, func(p result.Process) string { return p.Variant.String() }),
		value,
		numbersIn("samples", "samples", 0, func(p result.Process) Cell { return countCell(p.Samples, Plain) }),
		ns("min", func(p result.Process) float64 { return p.Quantiles.Min }), ns("median", func(p result.Process) float64 { return p.Quantiles.P50 }),
		ns("p90", func(p result.Process) float64 { return p.Quantiles.P90 }), ns("max", func(p result.Process) float64 { return p.Quantiles.Max }),
		numbersIn("cv", "CV", 0, func(p result.Process) Cell { return number(text.Percent(p.CV), p.CV, Plain) }))
}

// runOrder shows the processes in the order in which they ran, so that drift and voided rounds are visible.
func runOrder(r *result.Result, c result.Case) []Figure {
	all := withTime(c.Sides())
	if len(all) < 3 {
		return nil
	}
	one, of := referenceTime(c)
	f := Figure{
		Key: "run-order", Title: "Run order", Y: changeAxis("time", leastReach),
		X: Axis{Title: text.Count(len(all), "process", "processes") + " in the order in which they ran"},
	}
	starts := f.placeRounds(r, all)
	base, head := Series{Name: "base", Form: FormMarks, Style: StyleBase}, Series{Name: "head", Form: FormMarks, Style: StyleHead}
	for _, p := range all {
		s := &base
		if p.Variant.Side() == result.SideHead {
			s = &head
		}
		label := processLabel(p.Round, p.Position) + ", " + p.Variant.String()
		s.Points = append(s.Points, Point{X: starts[p.Round] + float64(p.Position), Y: p.ValueNS / one, Label: label})
	}
	f.Series = []Series{base, head}
	voided := "No round was voided."
	if n := len(f.Bands); n > 0 {
		voided = text.Count(n, "round") + " (shaded) voided and repeated."
	}
	f.Caption = say("Each process relative to the median of %s, round by round. %s", of, voided)
	return []Figure{f}
}

// placeRounds says where each round begins on a line of processes, and marks the voided ones. Rounds of merged results are those of
// several machines: there the rounds of the processes are all that is known.
func (f *Figure) placeRounds(r *result.Result, all []result.Process) map[int]float64 {
	starts := map[int]float64{}
	last, next, width := 0, 0.0, 4.0
	for _, p := range all {
		last, width = max(last, p.Round), max(width, float64(p.Position+1))
	}
	for _, round := range r.Rounds {
		if len(r.Merged) > 0 || round.Index > last {
			break
		}
		if n := float64(len(round.Order)); round.Voided != "" {
			f.Bands = append(f.Bands, Band{Upright, next - 0.5, next + n - 0.5, StyleVoided, "voided round: " + round.Voided})
		} else {
			starts[round.Index] = next
		}
		next += float64(len(round.Order))
	}
	for _, p := range all {
		if _, known := starts[p.Round]; !known {
			starts[p.Round] = next
			next += width
		}
	}
	for _, start := range starts {
		f.Guides = append(f.Guides, Guide{Upright, start - 0.5, StyleBreak, ""})
	}
	slices.SortFunc(f.Guides, func(a, b Guide) int { return int(a.At - b.At) })
	return starts
}

// narrowing shows how the interval closed, look by look.
func narrowing(r *result.Result, c result.Case) []Figure {
	if len(c.Looks) < 2 { // the forest has one
		return nil
	}
	tolerance := r.Policy.OfCase(c).Tolerance
	f := Figure{
		Key: "looks", Title: "Interval, look by look", X: Axis{Title: "rounds at each look"}, Y: changeAxis("change", leastReach), Series: []Series{{Form: FormMarks}},
		Guides: []Guide{{Level, 1, StyleEven, ""}, {Level, 1 + max(0, tolerance), StyleLimit, "tolerance +" + text.Limit(tolerance)}},
	}
	for i, l := range c.Looks {
		f.X.Names = append(f.X.Names, strconv.Itoa(l.Rounds))
		f.Series[0].Points = append(f.Series[0].Points, Point{
			X: float64(i), Y: math.Exp(l.Theta), Low: math.Exp(l.Low), High: math.Exp(l.High), Style: Style(l.Verdict), Label: string(l.Verdict),
		})
	}
	last := c.Looks[len(c.Looks)-1]
	f.Caption = say("After %s: %s.", text.Count(last.Rounds, "round"), shifted(shiftOfLogs(last.Theta, last.Low, last.High)))
	return []Figure{f}
}

// repeatCase is the command line that measures a case only; "" where the run cannot be narrowed down.
func repeatCase(r *result.Result, c result.Case) string {
	if OwnCommand(r.Repro) == "" || len(r.Merged) > 0 || c.Compared() == nil {
		return ""
	}
	return r.Repro + " --case='" + strings.ReplaceAll(c.Name, "'", `'\''`) + "'"
}

// levelCauses say on a chart what a change of level came from.
var levelCauses = map[result.LevelCause]string{
	result.LevelByCommit: "code", result.LevelByMachine: "machine", result.LevelByBoth: "code and machine", result.LevelByToolchain: "compiler",
	result.LevelUnclear: "code or machine", result.LevelOfOtherWork: "measured otherwise",
}

// levelsFigure shows the records of a case over time: a dot each, a line for each level, and what changed between them.
func levelsFigure(p *result.Past) []Figure {
	unsound := func() bool {
		return slices.ContainsFunc(p.Points, func(x result.PastPoint) bool { return x.NS <= 0 }) ||
			slices.ContainsFunc(p.Levels, func(l result.PastLevel) bool { return l.First < 0 || l.Count < 1 || l.NS <= 0 })
	}
	if p == nil || len(p.Points) < 2 || len(p.Levels) == 0 || unsound() {
		return nil
	}
	records, changes := Series{Name: "record", Form: FormMarks, Style: StyleRest}, Series{Form: FormMarks, Style: Style(result.Same)}
	for i, point := range p.Points {
		records.Points = append(records.Points, Point{X: float64(i), Y: point.NS, Label: result.ShortID(point.Commit)})
	}
	f := Figure{
		Key: "history", Title: "History", X: Axis{Title: text.Count(len(p.Points), "record") + ", oldest first"},
		Y: Axis{Title: "time", Quantity: QuantityTime, Log: true, Least: 1.05}, Series: []Series{records},
	}
	for i, l := range p.Levels {
		from := float64(l.First) - 0.4
		f.Series = append(f.Series, Series{Form: FormLine, Style: StyleFirst, Points: []Point{{X: from, Y: l.NS}, {X: float64(l.First+l.Count) - 0.6, Y: l.NS}}})
		if i > 0 && i <= len(p.Changes) {
			f.Guides = append(f.Guides, Guide{Upright, from - 0.1, StyleBreak, ""})
			changes.Points = append(changes.Points, levelChange(p.Changes[i-1], from-0.1, l.NS))
		}
	}
	if len(changes.Points) > 0 {
		f.Series = append(f.Series, changes)
	}
	over := Text{}
	if p.OverBest > 0 {
		over = say("; the last is %s over the best, of `%s`", text.Change(p.OverBest, 1), result.ShortID(p.BestCommit))
	}
	f.Caption = say("%s in %s%v.", text.Count(len(p.Levels), "level"), text.Count(len(p.Points), "record"), over)
	return []Figure{f}
}

// levelChange is how a change of level is drawn, and what it was.
func levelChange(c result.PastChange, x, y float64) Point {
	byCode := c.Cause != result.LevelOfOtherWork && c.Cause != result.LevelByMachine && c.Ratio > 0
	label := levelCauses[c.Cause] + either(c.Accepted, ", accepted", "") + ", " + result.ShortID(c.Commit)
	if c.Ratio > 0 {
		label = text.Change(c.Ratio-1, 1) + ", " + label
	}
	return Point{X: x, Y: y, Style: changeStyle(byCode && c.Ratio > 1, byCode && c.Ratio <= 1, result.Same), Label: label}
}

// caseForest is what the intervals of the cases are drawn over: the band of the tolerance.
func caseForest(r *result.Result) Figure {
	caption := say("%sTime of head over time of base on a logarithmic axis: left is faster. The bar is the interval of the estimate; the shaded band is what the "+
		"tolerance of +%s lets pass.", meanChange(r.Cases), text.Limit(r.Policy.Tolerance))
	return forest("head over base", QuantityChange, r.Policy.Tolerance, caption)
}

// meanChange says what all cases have in common: their geometric mean and its range. It decides nothing, and is empty for fewer than three.
func meanChange(cases []result.Case) string {
	sum, n, low, high := 0.0, 0, math.Inf(1), math.Inf(-1)
	for _, c := range cases {
		if q := c.Compared(); q != nil {
			sum, n, low, high = sum+q.Theta, n+1, min(low, q.Theta), max(high, q.Theta)
		}
	}
	if n < 3 {
		return ""
	}
	return fmt.Sprintf("All %d cases: %s in the geometric mean, from %s to %s. ", n, ratioWords(sum/float64(n)), ratioWords(low), ratioWords(high))
}
