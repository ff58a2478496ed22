package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/org/perfgate/gate/page/plot"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// measured are the processes of base and head that have a time, in the order in which they ran.
func measured(c result.Case) []result.Process { return withTime(c.Sides()) }

func withTime(processes []result.Process) []result.Process {
	return slices.DeleteFunc(processes, func(p result.Process) bool { return !(p.ValueNS > 0) })
}

// yardstick is the time that others are shown relative to: the median of base's processes, of head's where there is no base.
func yardstick(all []result.Process) (ns float64, of result.Side) {
	values := map[result.Side][]float64{}
	for _, p := range all {
		values[p.Side] = append(values[p.Side], p.ValueNS)
	}
	if len(values[result.SideBase]) > 0 {
		return median(values[result.SideBase]), result.SideBase
	}
	return median(values[result.SideHead]), result.SideHead
}

// leastReach is the factor that an axis of ratios spans at least: less would make noise look like mountains.
const leastReach = 1.02

// distribution shows where samples and processes of both sides lie.
func distribution(c result.Case) *figure {
	return distributionOf(c, map[result.Side]string{result.SideBase: "base", result.SideHead: "head"})
}

// distributionOf is distribution with names for the sides.
func distributionOf(c result.Case, names map[result.Side]string) *figure {
	all := measured(c)
	if len(all) < 2 {
		return nil
	}
	one, of := yardstick(all)
	strands := []strand{
		{"base", report.Visible(names[result.SideBase]), withTime(c.Of(result.SideBase))},
		{"head", report.Visible(names[result.SideHead]), withTime(c.Of(result.SideHead))},
	}
	for _, v := range c.Competitors {
		strands = append(strands, strand{"competitor", report.Visible(v.Competitor), withTime(c.OfCompetitor(v.Competitor))})
	}
	strands = slices.DeleteFunc(strands, func(s strand) bool { return len(s.processes) == 0 })
	var xs []float64
	for _, st := range strands {
		for _, p := range st.processes {
			for _, x := range append(spread(p), p.ValueNS) {
				if x > 0 {
					xs = append(xs, x/one)
				}
			}
		}
	}
	const high = 76.0
	f := plot.NewFrameOf(54+high*float64(len(strands)), 44)
	s := plot.Logarithmic(xs, leastReach, f.Left, f.Right)
	ticks := s.Ticks(5)
	f.AxisX(s, ticks, ratioWord(ticks), "time against the median of "+report.Clip(report.Visible(names[of]), 30))
	caption := ""
	for i, st := range strands {
		caption += st.draw(f, s, one, f.Top+40+float64(i)*high)
	}
	return &figure{
		Title: "Distribution", SVG: f.SVG("Samples and processes of both sides." + caption),
		Legend: []legend{{"base", report.Visible(names[result.SideBase])}, {"head", report.Visible(names[result.SideHead])}, {"sample", "a sample"}},
		Caption: "Each mark is a process, by the trimmed mean of its samples, which is what the rule compares; each faint dot is a sample. The bar is the median of the marks; " +
			"tables have the median of the processes' median samples." + caption,
	}
}

// spread are samples of a process; of results that have none, the quantiles that stand for them.
func spread(p result.Process) []float64 {
	var out []float64
	if len(p.Raw) > 0 {
		return slices.Clone(p.Raw)
	}
	q := p.Quantiles
	for _, x := range []float64{q.Min, q.P25, q.P50, q.P75, q.P90} {
		if x > 0 {
			out = append(out, x)
		}
	}
	return out
}

// strand is the processes of one side, or of a competitor.
type strand struct {
	class, name string
	processes   []result.Process
}

// draw shows the processes of a strand, and their samples under them, around a height. It says their median.
func (st strand) draw(f *plot.Frame, s plot.Scale, one, y float64) string {
	var values []float64
	var dots []plot.Point
	for i, p := range st.processes {
		values = append(values, p.ValueNS)
		for j, x := range spread(p) {
			dots = append(dots, plot.Point{X: s.At(x / one), Y: y + 12 + 16*scatter(i*97+j)})
		}
	}
	f.Text("side", plot.Point{X: f.Left - 8, Y: y}, plot.End, report.Clip(st.name, 7))
	f.Dots("sample "+st.class, dots)
	for i, p := range st.processes {
		f.Mark("process "+st.class, plot.Circle, plot.Point{X: s.At(p.ValueNS / one), Y: y - 14 + 8*scatter(i)}, 3.2, processTitle(p, one))
	}
	m := median(values)
	x := s.At(m / one)
	f.Line("median "+st.class, plot.Point{X: x, Y: y - 26}, plot.Point{X: x, Y: y + 24})
	return fmt.Sprintf(" %s: %s.", st.name, report.Duration(m))
}

// scatter spreads marks that would lie on one another, from -0.5 to 0.5, always alike (the golden ratio's low-discrepancy sequence).
func scatter(i int) float64 {
	_, rest := math.Modf(0.5 + float64(i)*0.6180339887498949)
	return rest - 0.5
}

func processTitle(p result.Process, one float64) string {
	return fmt.Sprintf("round %d, process %d, %s: %s (%s)", p.Round+1, p.Position+1, p.Side, report.Duration(p.ValueNS), report.Change(p.ValueNS/one-1, 2))
}

// slots says where on a line of processes each round begins, in the order in which they ran, and which were voided.
type slots struct {
	at     map[int]float64 // first process of a round that counted
	voided []voidedRound
	count  float64
}

type voidedRound struct {
	from, to float64
	why      string
}

// inOrder lays out the rounds up to the last one of a case. Rounds of merged results are those of several machines: there the rounds of
// the processes are all that is known.
func inOrder(r *result.Result, all []result.Process) slots {
	s := slots{at: map[int]float64{}}
	last := 0
	for _, p := range all {
		last = max(last, p.Round)
	}
	if len(r.Merged) == 0 {
		for _, round := range r.Rounds {
			if round.Index > last {
				break
			}
			if round.Voided != "" {
				s.voided = append(s.voided, voidedRound{s.count, s.count + float64(len(round.Order)), round.Voided})
			} else {
				s.at[round.Index] = s.count
			}
			s.count += float64(len(round.Order))
		}
	}
	width := 4.0
	for _, p := range all {
		width = max(width, float64(p.Position+1))
	}
	for _, p := range all {
		if _, known := s.at[p.Round]; !known {
			s.at[p.Round] = s.count
			s.count += width
		}
	}
	return s
}

// order shows the processes in the order in which they ran: drift and bad rounds are visible.
func order(r *result.Result, c result.Case) *figure {
	all := measured(c)
	if len(all) < 3 {
		return nil
	}
	one, of := yardstick(all)
	var ys []float64
	for _, p := range all {
		ys = append(ys, p.ValueNS/one)
	}
	f := plot.NewFrame(52)
	line := inOrder(r, all)
	x, y := f.X(-0.7, line.count-0.3), plot.Logarithmic(ys, leastReach, f.Bottom, f.Top)
	f.AxisY(y, y.Ticks(5), ratioWord(y.Ticks(5)))
	for _, v := range line.voided {
		f.Box("voided", plot.Point{X: x.At(v.from - 0.5), Y: f.Top}, plot.Point{X: x.At(v.to - 0.5), Y: f.Bottom}, "voided round: "+report.Visible(v.why))
	}
	for _, first := range line.at {
		f.Upright("grid", x, first-0.5)
	}
	f.AxisX(x, nil, nil, fmt.Sprintf("%s in the order in which they ran", report.Count(len(all), "process", "processes")))
	for _, p := range all {
		at := plot.Point{X: x.At(line.at[p.Round] + float64(p.Position)), Y: y.At(p.ValueNS / one)}
		f.Mark("process "+string(p.Side), plot.Circle, at, 3.2, processTitle(p, one))
	}
	caption := fmt.Sprintf("Each process against the median of %s, round by round. ", of)
	switch n := len(line.voided); {
	case n > 0:
		caption += report.Count(n, "round") + " (shaded) voided and repeated."
	default:
		caption += "No round was voided."
	}
	return &figure{Title: "Run order", SVG: f.SVG(caption), Caption: caption, Legend: sides}
}

// narrowing shows how the interval closed, look by look.
func narrowing(r *result.Result, c result.Case) *figure {
	looksTaken := c.Looks
	if len(looksTaken) < 2 { // the overview has one
		return nil
	}
	tolerated := r.Policy.Of(c.Name).Tolerance
	tolerance := 1 + tolerated
	ys := []float64{1, tolerance}
	for _, l := range looksTaken {
		ys = append(ys, math.Exp(l.Low), math.Exp(l.High))
	}
	f := plot.NewFrame(52)
	x, y := f.X(-0.6, max(float64(len(looksTaken))-0.4, 2.6)), plot.Logarithmic(ys, leastReach, f.Bottom, f.Top)
	f.AxisY(y, y.Ticks(5), ratioWord(y.Ticks(5)))
	f.Level("even", y, 1, "")
	f.Level("limit", y, tolerance, "tolerance "+plusPercent(tolerated))
	f.AxisX(x, nil, nil, "rounds at each look")
	t := dataTable([]string{"rounds", "change", "from", "to", "verdict"}, nil)
	var rows [][]string
	for i, l := range looksTaken {
		at, look := x.At(float64(i)), looks[l.Verdict]
		plot.Whisker(f.Canvas, "bar "+look.class, y, at, math.Exp(l.Low), math.Exp(l.High))
		f.Mark(look.class, look.shape, plot.Point{X: at, Y: y.At(math.Exp(l.Theta))}, 4, "")
		f.Text("tick", plot.Point{X: at, Y: f.Bottom + 9}, plot.Middle, strconv.Itoa(l.Rounds))
		rows = append(rows, []string{strconv.Itoa(l.Rounds), change(l.Theta), change(l.Low), change(l.High), string(l.Verdict)})
	}
	t.Rows = dataTable(t.Head, rows).Rows
	last := looksTaken[len(looksTaken)-1]
	caption := fmt.Sprintf("After %s: %s, between %s and %s.", report.Count(last.Rounds, "round"), change(last.Theta), change(last.Low), change(last.High))
	return &figure{Title: "Interval, look by look", SVG: f.SVG(caption), Caption: caption, Data: t}
}

// change words a shift in ln units.
func change(log float64) string { return report.Change(math.Expm1(log), 2) }

// processTable is every process of a case.
func processTable(c result.Case) table {
	all := measured(c)
	if len(all) == 0 {
		return table{}
	}
	var rows [][]string
	for _, p := range all {
		q := p.Quantiles
		rows = append(rows, []string{
			fmt.Sprintf("%d.%d", p.Round+1, p.Position+1), string(p.Side), report.Duration(p.ValueNS), strconv.Itoa(p.Samples),
			report.Duration(q.Min), report.Duration(q.P50), report.Duration(q.P90), report.Duration(q.Max), report.Percent(p.CV),
		})
	}
	return dataTable([]string{"round.process", "side", "value", "samples", "min", "median", "p90", "max", "CV"}, rows)
}
