package page

import (
	"fmt"
	"math"

	"github.com/org/perfgate/gate/page/plot"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// under is where a side stands under the roofs of the machine.
type under struct {
	side               result.Side
	intensity, rate    float64 // flop per byte, flop per second
	flopRoof, byteRoof float64
	share              float64
}

// standings are both sides as a profiler counted them, else as the adapter counts its work.
func standings(c result.Case) (all []under, counted string) {
	if c.Evidence != nil {
		for _, at := range c.Evidence.Roofline {
			if at.Intensity > 0 && at.FlopRate > 0 {
				counted = "bytes of DRAM as the profiler counted them"
				if at.DRAMBytes <= 0 {
					counted = "bytes as the adapter counts them"
				}
				all = append(all, under{at.Side, at.Intensity, at.FlopRate, at.FlopRoof, at.ByteRoof, at.ShareOfRoof})
			}
		}
	}
	if len(all) > 0 || c.Flops <= 0 || c.Bytes <= 0 {
		return all, counted
	}
	for _, side := range []struct {
		side result.Side
		of   *result.Summary
	}{{result.SideBase, c.Base}, {result.SideHead, c.Head}} {
		if s := side.of; s != nil && s.GFlops > 0 && s.FlopRoof > 0 && s.ByteRoof > 0 {
			all = append(all, under{side.side, c.Flops / c.Bytes, s.GFlops * 1e9, s.FlopRoof, s.ByteRoof, s.RooflineShare})
		}
	}
	return all, "work and bytes as the adapter counts them"
}

// roofline shows how much of what the machine can do each side reaches, and what holds it back.
func roofline(c result.Case) *figure {
	all, counted := standings(c)
	if len(all) == 0 {
		return nil
	}
	var xs, ys []float64
	for _, u := range all {
		xs, ys = append(xs, u.intensity), append(ys, u.rate)
		if u.flopRoof > 0 && u.byteRoof > 0 {
			xs, ys = append(xs, u.flopRoof/u.byteRoof), append(ys, u.flopRoof)
		}
	}
	f := plot.NewFrame(60)
	x, y := plot.Logarithmic(xs, 30, f.Left, f.Right), plot.Logarithmic(ys, 30, f.Bottom, f.Top)
	f.AxisY(y, y.Ticks(4), func(v float64) string { return report.Scaled(v, "") })
	f.AxisX(x, x.Ticks(4), func(v float64) string { return fmt.Sprintf("%g", v) }, "FLOP per byte (upward: FLOP per second)")
	var rows [][]string
	caption, roofs := "", "No roof of this machine is known"
	for i, u := range all {
		if u.flopRoof > 0 && u.byteRoof > 0 {
			roofs = "Roofs are what this machine reached in the same processes"
		}
		if i == 0 || u.flopRoof != all[0].flopRoof || u.byteRoof != all[0].byteRoof {
			roof(f, x, y, u)
		}
		f.Mark("process "+string(u.side), plot.Circle, plot.Point{X: x.At(u.intensity), Y: y.At(u.rate)}, 5, string(u.side)+": "+report.Scaled(u.rate, "FLOP/s"))
		share := "–"
		if u.share > 0 {
			share = report.Percent(u.share)
			caption += fmt.Sprintf("%s reaches %s of the roof. ", u.side, share)
		}
		rows = append(rows, []string{string(u.side), report.Number(u.intensity), report.Scaled(u.rate, "FLOP/s"), share, report.Scaled(u.flopRoof, "FLOP/s"), report.Scaled(u.byteRoof, "B/s")})
	}
	caption += roofs + "; " + counted + "."
	return &figure{
		Title: "Roofline", SVG: f.SVG(caption), Caption: caption, Legend: sides,
		Data: dataTable([]string{"side", "FLOP per byte", "rate", "of roof", "compute roof", "memory roof"}, rows),
	}
}

// roof draws the smaller of what arithmetic and memory allow.
func roof(f *plot.Frame, x, y plot.Scale, u under) {
	if u.flopRoof <= 0 || u.byteRoof <= 0 {
		return
	}
	ridge := u.flopRoof / u.byteRoof
	// Where the slope comes in over the foot of the field.
	from := max(x.Low, y.Low/u.byteRoof)
	points := []plot.Point{{X: x.At(from), Y: y.At(math.Min(from*u.byteRoof, u.flopRoof))}}
	if ridge > from && ridge < x.High {
		points = append(points, plot.Point{X: x.At(ridge), Y: y.At(u.flopRoof)})
	}
	f.Path("roof", append(points, plot.Point{X: x.At(x.High), Y: y.At(math.Min(x.High*u.byteRoof, u.flopRoof))}))
}
