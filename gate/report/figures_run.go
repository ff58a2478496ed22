package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// runFigures show what a run could detect, and its machine over time.
func runFigures(r *result.Result) []Figure {
	clock := perProcess(r, "", StyleFirst, func(p result.Process) float64 { return p.ClockMHz })
	return slices.Concat(detectable(r), canaryFigure(r), lineFigure("gpu-clock", "SM clock of each process", "MHz", 100, processOrder, clock), traces(r))
}

// detectable is the minimum detectable effect of each case, compared with the tolerance.
func detectable(r *result.Result) []Figure {
	mde := statedMDE(r)
	cases := slices.DeleteFunc(slices.Clone(r.Cases), func(c result.Case) bool { return !(mde(c) > 0) })
	if len(cases) == 0 || r.Policy.Tolerance <= 0 {
		return nil
	}
	slices.SortStableFunc(cases, func(a, b result.Case) int { return cmp.Compare(mde(b), mde(a)) })
	effects, sds := Series{Name: "MDE", Form: FormMarks, Style: Style(result.Same)}, Series{Name: "sd of a process", Form: FormMarks, Style: StyleSecond}
	over := 0
	for i, c := range cases {
		p := Point{X: float64(i), Y: mde(c), Label: nameOf(c).Full}
		if p.Y > r.Policy.OfCase(c).Tolerance {
			over, p.Style = over+1, Style(result.Inconclusive)
		}
		effects.Points = append(effects.Points, p)
		if c.Compared().S > 0 {
			sds.Points = append(sds.Points, Point{X: float64(i), Y: c.Compared().S, Label: nameOf(c).Full + ", sd of a process"})
		}
	}
	within := "all of them are below the tolerance"
	if over > 0 {
		within = fmt.Sprintf("%d of %d are above the tolerance", over, len(cases))
	}
	return []Figure{{
		Key: "mde", Title: "What this run could detect",
		Caption: Say("The minimum detectable effect (MDE) of each case, with 90 % power: " + within + "."),
		X:       Axis{Title: text.Count(len(cases), "case") + ", the largest effect first"},
		Y:       Axis{Title: "effect", Quantity: QuantityShare, Log: true, Least: 4},
		Guides:  []Guide{{Level, r.Policy.Tolerance, StyleLimit, "tolerance"}},
		Series:  []Series{effects, sds},
	}}
}

// slot is one process of a run, by its place in it.
type slot struct{ round, position int }

// perProcess is a line over the processes of a run: of what the processes of all cases say in a slot, the median. It is empty where there are too
// few, or where they are those of several machines.
func perProcess(r *result.Result, name string, style Style, of func(result.Process) float64) Series {
	found := map[slot][]float64{}
	for _, c := range r.Cases {
		for _, p := range c.For(result.PurposeRounds) {
			if x := of(p); x > 0 {
				found[slot{p.Round, p.Position}] = append(found[slot{p.Round, p.Position}], x)
			}
		}
	}
	slots := slices.SortedFunc(maps.Keys(found), func(a, b slot) int {
		return cmp.Or(cmp.Compare(a.round, b.round), cmp.Compare(a.position, b.position))
	})
	s := Series{Name: name, Form: FormLine, Style: style}
	if len(slots) < 3 || len(r.Merged) > 1 {
		return s
	}
	for i, at := range slots {
		s.Points = append(s.Points, Point{X: float64(i), Y: median(found[at]), Label: processLabel(at.round, at.position)})
	}
	return s
}

// relative is a line over its median.
func (s Series) relative() Series {
	var values []float64
	for _, p := range s.Points {
		values = append(values, p.Y)
	}
	one := median(values)
	for i := range s.Points {
		s.Points[i].Y /= one
	}
	return s
}

var processOrder = Axis{Title: "processes in the order in which they ran"}

// canaryFigure is the time of fixed work next to every process.
func canaryFigure(r *result.Result) []Figure {
	f := Figure{
		Key: "canaries", Title: "Canaries", X: processOrder, Y: changeAxis("time", 1.05),
		Series: []Series{
			perProcess(r, "arithmetic", StyleFirst, func(p result.Process) float64 { return p.ComputeNS }).relative(),
			perProcess(r, "memory", StyleSecond, func(p result.Process) float64 { return p.MemoryNS }).relative(),
		},
		Caption: Say("Fixed work before and after every process, relative to its median. What changes here is the machine, not the code."),
	}
	f.Series = slices.DeleteFunc(f.Series, func(s Series) bool { return len(s.Points) == 0 })
	return f.drawn()
}

// lineFigure is one line with its range in words; none of no points.
func lineFigure(key, title, unit string, least float64, x Axis, s Series) []Figure {
	if len(s.Points) == 0 {
		return nil
	}
	byY := func(a, b Point) int { return cmp.Compare(a.Y, b.Y) }
	return []Figure{{
		Key: key, Title: title, X: x, Y: Axis{Title: unit, Quantity: QuantityNumber, Least: least}, Series: []Series{s},
		Caption: say("%.0f to %.0f %s.", slices.MinFunc(s.Points, byY).Y, slices.MaxFunc(s.Points, byY).Y, unit),
	}}
}

// traces are what was sampled of the GPU over the run, with the times of voided rounds.
func traces(r *result.Result) []Figure {
	g := r.Machine.GPU
	if g == nil || g.Watch == nil || g.Watch.Began == nil {
		return nil
	}
	var out []Figure
	for _, q := range []struct {
		key, title, unit string
		least            float64
		of               func(result.GPUMoment) float64
		limit            float64
		limitWord        string
	}{
		{"trace-clock", "SM clock over the run", "MHz", 100, func(m result.GPUMoment) float64 { return float64(m.SMClockMHz) }, 0, ""},
		{"trace-temperature", "Temperature over the run", "°C", 10, func(m result.GPUMoment) float64 { return float64(m.TemperatureC) }, float64(g.SlowdownC), "slows down"},
		{"trace-power", "Power over the run", "W", 20, func(m result.GPUMoment) float64 { return m.PowerW }, g.PowerLimitW, "power cap"},
	} {
		s := Series{Form: FormLine, Style: StyleFirst}
		highest := 0.0
		for _, m := range g.Watch.Trace {
			if v := q.of(m); v > 0 {
				s.Points, highest = append(s.Points, Point{X: m.AtS, Y: v}), max(highest, v)
			}
		}
		if len(s.Points) < 3 {
			continue
		}
		f := lineFigure(q.key, q.title, q.unit, q.least, Axis{Title: "seconds since the first harness process began", Quantity: QuantityNumber}, s)[0]
		if q.limit > 0 && q.limit < 1.2*highest { // far below it, the line would only flatten the trace
			f.Guides = []Guide{{Level, q.limit, StyleLimit, q.limitWord}}
		}
		for _, round := range r.Rounds {
			if round.Voided != "" && round.Began != nil {
				from := round.Began.Sub(*g.Watch.Began).Seconds()
				f.Bands = append(f.Bands, Band{Upright, from, from + round.Seconds, StyleVoided, "voided round: " + round.Voided})
			}
		}
		if n := len(f.Bands); n > 0 {
			f.Caption = append(f.Caption, Say(" Shaded: "+text.Count(n, "voided round")+".")...)
		}
		out = append(out, f)
	}
	return out
}
