package page

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/org/perfgate/gate/page/plot"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// traced is a quantity of a GPU that was watched over the run.
type traced struct {
	title, unit string
	least       float64 // that its axis spans
	of          func(result.GPUMoment) float64
	limit       func(result.GPU) float64 // nil: none
	limitWord   string
}

var (
	clockTrace = traced{title: "Clock over the run", unit: "MHz", least: 100, of: func(m result.GPUMoment) float64 { return float64(m.SMClockMHz) }}
	heatTrace  = traced{"Temperature over the run", "°C", 10, func(m result.GPUMoment) float64 { return float64(m.TemperatureC) },
		func(g result.GPU) float64 { return float64(g.SlowdownC) }, "slows down"}
	powerTrace = traced{"Power over the run", "W", 20, func(m result.GPUMoment) float64 { return m.PowerW }, func(g result.GPU) float64 { return g.PowerLimitW }, "power cap"}
)

// traceOf shows what was seen of the GPU while runners used it, with the spans of voided rounds.
func traceOf(r *result.Result, q traced) *figure {
	g := r.Machine.GPU
	if g == nil || g.Watch == nil || g.Watch.Began == nil {
		return nil
	}
	var at, values []float64
	for _, m := range g.Watch.Trace {
		if v := q.of(m); v > 0 {
			at, values = append(at, m.AtS), append(values, v)
		}
	}
	if len(values) < 3 {
		return nil
	}
	f := plot.NewFrame(52)
	x, y := f.X(at[0], at[len(at)-1]), plot.Linear(values, q.least, f.Bottom, f.Top)
	voided := q.shade(f, x, r)
	f.AxisY(y, y.Ticks(5), plainNumber)
	f.AxisX(x, x.Ticks(5), plainNumber, "seconds since the first runner began")
	if q.limit != nil {
		if limit := q.limit(*g); limit > y.Low && limit < y.High {
			f.Level("limit", y, limit, q.limitWord)
		}
	}
	points := make([]plot.Point, len(values))
	var rows [][]string
	for i, v := range values {
		points[i] = plot.Point{X: x.At(at[i]), Y: y.At(v)}
		rows = append(rows, []string{fmt.Sprintf("%.1f", at[i]), plainNumber(v)})
	}
	f.Path("line compute", points)
	caption := fmt.Sprintf("%s to %s %s while kernels ran.", plainNumber(slices.Min(values)), plainNumber(slices.Max(values)), q.unit)
	if voided > 0 {
		caption += " Shaded: " + report.Count(voided, "voided round") + "."
	}
	return &figure{Title: q.title, SVG: f.SVG(caption), Caption: caption, Data: dataTable([]string{"s", q.unit}, rows)}
}

// shade marks the voided rounds, and counts them.
func (q traced) shade(f *plot.Frame, x plot.Scale, r *result.Result) (voided int) {
	for _, round := range r.Rounds {
		if round.Voided == "" {
			continue
		}
		voided++
		from := round.Began.Sub(*r.Machine.GPU.Watch.Began).Seconds()
		f.Box("voided", plot.Point{X: x.At(from), Y: f.Top}, plot.Point{X: x.At(from + round.Seconds), Y: f.Bottom}, "voided round: "+report.Visible(round.Voided))
	}
	return voided
}

func plainNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
