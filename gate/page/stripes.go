package page

import (
	"fmt"
	"strings"

	"github.com/org/perfgate/gate/page/plot"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// stripe is one case of a figure that has a line for each: a factor with its interval.
type stripe struct {
	result.Shift
	name string
	look look
}

// mostStripes is how many lines a figure has room for on a screen; the table has all.
const mostStripes = 60

// stripesFigure draws factors around 1, a line each; nil of none. word words the ticks of the axis.
func stripesFigure(stripes []stripe, word func(ticks []float64) func(float64) string, title, caption string, data table) *figure {
	if len(stripes) == 0 {
		return nil
	}
	if more := len(stripes) - mostStripes; more > 0 {
		stripes = stripes[:mostStripes]
		caption += fmt.Sprintf(" %d more are in the table.", more)
	}
	xs := []float64{1}
	for _, s := range stripes {
		xs = append(xs, s.Low, s.High)
	}
	const each = 24.0
	f := plot.NewFrameOf(64+each*float64(len(stripes)), 150)
	x := plot.Logarithmic(xs, leastReach, f.Left, f.Right)
	ticks := x.Ticks(4)
	f.AxisX(x, ticks, word(ticks), title)
	f.Upright("even", x, 1)
	for i, s := range stripes {
		y := f.Top + each*(float64(i)+0.6)
		_, args, named := strings.Cut(s.name, "/")
		if !named {
			args = s.name
		}
		f.Text("side", plot.Point{X: f.Left - 8, Y: y}, plot.End, report.Clip(report.Visible(args), 22))
		plot.Interval(f.Canvas, "bar "+s.look.class, x, y, s.Low, s.High)
		f.Mark(s.look.class, s.look.shape, plot.Point{X: x.At(s.Ratio), Y: y}, 4.5, fmt.Sprintf("%s: %.3g (%.3g to %.3g)", report.Visible(s.name), s.Ratio, s.Low, s.High))
	}
	return &figure{Title: "All cases", SVG: f.SVG(caption), Caption: caption, Data: data}
}
