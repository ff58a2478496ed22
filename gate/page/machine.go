package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/org/perfgate/gate/page/plot"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// machineFigures show the machine over the run.
func machineFigures(r *result.Result) []figure {
	var out []figure
	for _, f := range []*figure{detects(r), canaries(r), clocks(r), traceOf(r, clockTrace), traceOf(r, heatTrace), traceOf(r, powerTrace)} {
		if f != nil {
			out = append(out, *f)
		}
	}
	return out
}

// turn is one process of a run, by where it stands in it.
type turn struct{ round, position int }

// overTurns gathers what the processes of all cases say of the machine: the median for each turn, in order.
func overTurns(r *result.Result, of func(result.Process) float64) (turns []turn, values []float64) {
	found := map[turn][]float64{}
	for _, c := range r.Cases {
		for _, p := range c.Processes {
			if x := of(p); x > 0 {
				at := turn{p.Round, p.Position}
				found[at] = append(found[at], x)
			}
		}
	}
	turns = slices.SortedFunc(maps.Keys(found), func(a, b turn) int {
		return cmp.Or(cmp.Compare(a.round, b.round), cmp.Compare(a.position, b.position))
	})
	for _, at := range turns {
		values = append(values, median(found[at]))
	}
	return turns, values
}

// canary is one kind of fixed work over the processes of a run, against its median.
type canary struct {
	class, name string
	turns       []turn
	ns          []float64
	ratios      []float64
}

// canariesOf are the kinds of fixed work that were measured.
func canariesOf(r *result.Result) []canary {
	var out []canary
	for _, kind := range []struct {
		class, name string
		of          func(result.Process) float64
	}{
		{"compute", "arithmetic", func(p result.Process) float64 { return p.ComputeNS }},
		{"memory", "memory", func(p result.Process) float64 { return p.MemoryNS }},
	} {
		c := canary{class: kind.class, name: kind.name}
		c.turns, c.ns = overTurns(r, kind.of)
		usual := median(c.ns)
		for _, v := range c.ns {
			c.ratios = append(c.ratios, v/usual)
		}
		if len(c.ns) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// canaries show the time of fixed work beside every process: what moves here is the machine.
func canaries(r *result.Result) *figure {
	if len(r.Merged) > 1 {
		return nil // of several machines, round by round: no line of one
	}
	var all []float64
	longest := 0
	measured := canariesOf(r)
	for _, c := range measured {
		all, longest = append(all, c.ratios...), max(longest, len(c.ns))
	}
	if longest < 3 {
		return nil
	}
	f := plot.NewFrame(52)
	x, y := f.X(-0.7, float64(longest)-0.3), plot.Logarithmic(all, 1.05, f.Bottom, f.Top)
	f.AxisY(y, y.Ticks(5), ratioWord(y.Ticks(5)))
	f.AxisX(x, nil, nil, "processes in the order in which they ran")
	var legends []legend
	rows := map[turn][]string{}
	head := []string{"round.process"}
	for _, c := range measured {
		points := make([]plot.Point, len(c.ns))
		for i, v := range c.ratios {
			points[i] = plot.Point{X: x.At(float64(i)), Y: y.At(v)}
			rows[c.turns[i]] = append(rows[c.turns[i]], report.Duration(c.ns[i]))
		}
		f.Path("line "+c.class, points)
		legends, head = append(legends, legend{c.class, c.name}), append(head, c.name)
	}
	caption := "Fixed work beside every process, against its median. What moves here is the machine, not the code."
	return &figure{Title: "Canaries", SVG: f.SVG(caption), Caption: caption, Legend: legends, Data: dataTable(head, turnRows(rows, len(head)))}
}

func turnRows(rows map[turn][]string, width int) [][]string {
	var out [][]string
	for _, at := range slices.SortedFunc(maps.Keys(rows), func(a, b turn) int {
		return cmp.Or(cmp.Compare(a.round, b.round), cmp.Compare(a.position, b.position))
	}) {
		line := append([]string{fmt.Sprintf("%d.%d", at.round+1, at.position+1)}, rows[at]...)
		for len(line) < width {
			line = append(line, "–")
		}
		out = append(out, line)
	}
	return out
}

// clocks show the clock that each process of a GPU ran at.
func clocks(r *result.Result) *figure {
	turns, values := overTurns(r, func(p result.Process) float64 { return p.ClockMHz })
	if len(values) < 3 || len(r.Merged) > 1 {
		return nil
	}
	f := plot.NewFrame(52)
	x, y := f.X(-0.7, float64(len(values))-0.3), plot.Linear(values, 100, f.Bottom, f.Top)
	f.AxisY(y, y.Ticks(5), func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) })
	f.AxisX(x, nil, nil, "processes in the order in which they ran")
	points := make([]plot.Point, len(values))
	var rows [][]string
	for i, v := range values {
		points[i] = plot.Point{X: x.At(float64(i)), Y: y.At(v)}
		rows = append(rows, []string{fmt.Sprintf("%d.%d", turns[i].round+1, turns[i].position+1), fmt.Sprintf("%.0f", v)})
	}
	f.Path("line compute", points)
	caption := fmt.Sprintf("Clock of the GPU's multiprocessors in MHz: %.0f to %.0f.", slices.Min(values), slices.Max(values))
	return &figure{Title: "GPU clock", SVG: f.SVG(caption), Caption: caption, Data: dataTable([]string{"round.process", "MHz"}, rows)}
}

// detects shows the smallest effect that each case would have shown, against the tolerance.
func detects(r *result.Result) *figure {
	var cases []result.Case
	values := []float64{r.Policy.Tolerance}
	for _, c := range r.Cases {
		if c.Compared != nil && c.Compared.MDE > 0 {
			cases = append(cases, c)
			values = append(values, c.Compared.MDE)
			if c.Compared.S > 0 {
				values = append(values, c.Compared.S)
			}
		}
	}
	if len(cases) == 0 || r.Policy.Tolerance <= 0 {
		return nil
	}
	slices.SortStableFunc(cases, func(a, b result.Case) int { return cmp.Compare(b.Compared.MDE, a.Compared.MDE) })
	f := plot.NewFrame(52)
	x, y := f.X(-0.7, max(float64(len(cases)), 4)-0.3), plot.Logarithmic(values, 4, f.Bottom, f.Top)
	f.AxisY(y, y.Ticks(5), report.Percent)
	f.AxisX(x, nil, nil, report.Count(len(cases), "case")+", the least certain first")
	f.Level("limit", y, r.Policy.Tolerance, "tolerance")
	var rows [][]string
	over := 0
	for i, c := range cases {
		name, class := fullName(c), "same"
		if c.Compared.MDE > r.Policy.Of(c.Name).Tolerance {
			over, class = over+1, "warn"
		}
		f.Mark("v-"+class, plot.Circle, plot.Point{X: x.At(float64(i)), Y: y.At(c.Compared.MDE)}, 3.2, report.Visible(name)+": "+report.Percent(c.Compared.MDE))
		if c.Compared.S > 0 {
			f.Mark("scatter", plot.Cross, plot.Point{X: x.At(float64(i)), Y: y.At(c.Compared.S)}, 2.6, report.Visible(name)+": a process scatters by "+report.Percent(c.Compared.S))
		}
		rows = append(rows, []string{name, report.Percent(c.Compared.MDE), report.Percent(c.Compared.S), strconv.Itoa(c.Compared.Rounds)})
	}
	caption := "The smallest change that each case would have shown, with 90 % power: all of them are below the tolerance."
	if over > 0 {
		caption = fmt.Sprintf("The smallest change that each case would have shown, with 90 %% power: %d of %d are above the tolerance.", over, len(cases))
	}
	return &figure{
		Title: "What this run could see", SVG: f.SVG(caption), Caption: caption + " The crosses are how much its processes scatter.",
		Legend: []legend{{"effect", "smallest effect"}, {"scatter", "scatter of a process"}},
		Data:   dataTable([]string{"case", "smallest effect", "scatter of a process", "rounds"}, rows),
	}
}
