package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/org/perfgate/gate/result"
)

// caseFigures are the figures of one case: where its processes lie, in which order they ran, and how its interval narrowed.
func caseFigures(r *result.Result, c result.Case) []Figure {
	names := map[result.Side]string{result.SideBase: "base", result.SideHead: "head"}
	return slices.Concat(distribution(c, names), runOrder(r, c), narrowing(r, c), rooflineFigure(c), levelsFigure(c.Past))
}

// withTime are the processes that have a time.
func withTime(processes []result.Process) []result.Process {
	return slices.DeleteFunc(processes, func(p result.Process) bool { return !(p.ValueNS > 0) })
}

// referenceTime is the time that others are shown relative to: the median of base's processes, of head's where there is no base.
func referenceTime(c result.Case) (ns float64, of result.Side) {
	for _, side := range []result.Side{result.SideBase, result.SideHead} {
		var values []float64
		for _, p := range withTime(c.Of(side.Variant())) {
			values = append(values, p.ValueNS)
		}
		if len(values) > 0 {
			return median(values), side
		}
	}
	return 0, ""
}

// median is 0 of nothing.
func median(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	xs = slices.Sorted(slices.Values(xs))
	return (xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2
}

// distribution shows where samples and processes of both sides and of competitors lie.
func distribution(c result.Case, names map[result.Side]string) []Figure {
	one, of := referenceTime(c)
	if len(withTime(c.Sides())) < 2 {
		return nil
	}
	f := Figure{
		Key: "distribution", Title: "Distribution",
		X: Axis{Title: "time relative to the median of " + names[of], Quantity: QuantityChange, Log: true, Least: leastReach},
		Caption: Say("A mark is a process, by the trimmed mean of its samples, which the rule compares; a small dot is a sample; the bar is the median of the marks. " +
			"Tables have medians of samples."),
	}
	add := func(name string, style Style, processes []result.Process) {
		if len(processes) == 0 {
			return
		}
		lane := float64(len(f.Y.Names))
		f.Y.Names = append(f.Y.Names, name)
		samples, marks := Series{Form: FormDots, Style: style}, Series{Name: name, Form: FormMarks, Style: style}
		var values []float64
		for i, p := range processes {
			values = append(values, p.ValueNS)
			marks.Points = append(marks.Points, Point{X: p.ValueNS / one, Y: lane - 0.2 + 0.12*jitter(i), Label: processLabel(p)})
			for j, ns := range samplesOf(p) {
				samples.Points = append(samples.Points, Point{X: ns / one, Y: lane + 0.18 + 0.22*jitter(i*97+j)})
			}
		}
		x := median(values) / one
		bar := Series{Form: FormLine, Style: style, Points: []Point{{X: x, Y: lane - 0.38}, {X: x, Y: lane + 0.38}}}
		f.Series = append(f.Series, samples, marks, bar)
		f.Caption = append(f.Caption, words(fmt.Sprintf(" %s: %s.", name, Duration(median(values)))))
	}
	add(names[result.SideBase], StyleBase, withTime(c.Of(result.VariantBase)))
	add(names[result.SideHead], StyleHead, withTime(c.Of(result.VariantHead)))
	for _, v := range c.Competitors {
		add(v.Competitor, StyleCompetitor, withTime(c.Of(result.CompetitorNamed(v.Competitor))))
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

func processLabel(p result.Process) string {
	return fmt.Sprintf("round %d, process %d, %s", p.Round+1, p.Position+1, p.Variant)
}

// runOrder shows the processes in the order in which they ran, so that drift and voided rounds are visible.
func runOrder(r *result.Result, c result.Case) []Figure {
	all := withTime(c.Sides())
	if len(all) < 3 {
		return nil
	}
	one, of := referenceTime(c)
	f := Figure{
		Key: "run-order", Title: "Run order",
		X: Axis{Title: Count(len(all), "process", "processes") + " in the order in which they ran"},
		Y: Axis{Title: "time", Quantity: QuantityChange, Log: true, Least: leastReach},
	}
	starts := f.placeRounds(r, all)
	for _, side := range []struct {
		name  result.Side
		style Style
	}{{result.SideBase, StyleBase}, {result.SideHead, StyleHead}} {
		s := Series{Name: string(side.name), Form: FormMarks, Style: side.style}
		for _, p := range all {
			if p.Variant.Side() == side.name {
				s.Points = append(s.Points, Point{X: starts[p.Round] + float64(p.Position), Y: p.ValueNS / one, Label: processLabel(p)})
			}
		}
		f.Series = append(f.Series, s)
	}
	caption := fmt.Sprintf("Each process relative to the median of %s, round by round. ", of)
	if n := len(f.Bands); n > 0 {
		caption += Count(n, "round") + " (shaded) voided and repeated."
	} else {
		caption += "No round was voided."
	}
	f.Caption = Say(caption)
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
	f := Figure{
		Key: "looks", Title: "Interval, look by look", X: Axis{Title: "rounds at each look"},
		Y:      Axis{Title: "change", Quantity: QuantityChange, Log: true, Least: leastReach},
		Guides: []Guide{{Level, 1, StyleEven, ""}, toleranceGuide(r.Policy.OfCase(c).Tolerance)},
		Series: []Series{{Form: FormMarks}},
	}
	for i, l := range c.Looks {
		f.X.Names = append(f.X.Names, strconv.Itoa(l.Rounds))
		f.Series[0].Points = append(f.Series[0].Points, Point{
			X: float64(i), Y: math.Exp(l.Theta), Low: math.Exp(l.Low), High: math.Exp(l.High), Style: Style(l.Verdict), Label: string(l.Verdict),
		})
	}
	last := c.Looks[len(c.Looks)-1]
	f.Caption = Say(fmt.Sprintf("After %s: %s, between %s and %s.", Count(last.Rounds, "round"),
		Change(math.Expm1(last.Theta), 2), Change(math.Expm1(last.Low), 2), Change(math.Expm1(last.High), 2)))
	return []Figure{f}
}

func toleranceGuide(tolerance float64) Guide {
	return Guide{Level, 1 + max(0, tolerance), StyleLimit, "tolerance +" + limit(tolerance)}
}
