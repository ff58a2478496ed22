package page

import (
	"fmt"
	"io"
	"strconv"

	"github.com/org/perfgate/gate/page/plot"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// WriteVersus writes the page of two implementations beside each other: all cases with their intervals, and along each parameter that takes
// three values or more where the one overtakes the other.
func WriteVersus(w io.Writer, d *result.VersusResult, o Options) error {
	doc := report.VersusDocument(d)
	v := newView(&result.Result{Machine: d.Machine}, doc, o)
	if f := speeds(d, doc); f != nil {
		v.Figures = append(v.Figures, *f)
	}
	for _, l := range report.Sweeps(d) {
		v.Figures = append(v.Figures, along(d, l))
	}
	for _, c := range d.Cases {
		if f := versusDistribution(d, c); f != nil {
			v.Figures = append(v.Figures, *f)
		}
	}
	return write(w, v)
}

// speeds has a line a case: how many times as fast as B A is, with the interval.
func speeds(d *result.VersusResult, doc report.Document) *figure {
	var stripes []stripe
	for _, c := range d.Cases {
		if s := result.Speed(c.Compared); s != nil {
			stripes = append(stripes, stripe{name: c.Name, Shift: *s, look: versusLook(c)})
		}
	}
	caption := fmt.Sprintf("Right of 1 %s is faster, left of it %s. A bar that crosses 1 is open.", report.Visible(d.A), report.Visible(d.B))
	return stripesFigure(stripes, func([]float64) func(float64) string { return timesWord }, "times as fast as "+shortName(d.B), caption, tableOf(doc.Cases))
}

// versusLook shows which of the two is surely faster.
func versusLook(c result.Case) look {
	switch {
	case c.Compared.High < 0:
		return looks[result.Improvement]
	case c.Compared.Low > 0:
		return looks[result.Regression]
	}
	return looks[result.Inconclusive]
}

// along draws both times over one parameter while the others stay.
func along(d *result.VersusResult, l report.Sweep) figure {
	var xs, ys []float64
	for i, c := range l.Cases {
		xs, ys = append(xs, l.At[i]), append(ys, c.Head.MedianNS, c.Base.MedianNS)
	}
	f := plot.NewFrame(64)
	x, word := f.X(xs[0], xs[len(xs)-1]), func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	if xs[0] > 0 && xs[len(xs)-1]/xs[0] >= 8 {
		x = plot.Logarithmic(xs, leastReach, f.Left, f.Right)
	}
	y := plot.Logarithmic(ys, leastReach, f.Bottom, f.Top)
	f.AxisY(y, y.Ticks(5), report.Duration)
	f.AxisX(x, xs, word, report.Visible(l.Param))
	for _, side := range []struct {
		class, name string
		of          func(result.Case) *result.Summary
	}{{"head", d.A, func(c result.Case) *result.Summary { return c.Head }}, {"base", d.B, func(c result.Case) *result.Summary { return c.Base }}} {
		var points []plot.Point
		for i, c := range l.Cases {
			points = append(points, plot.Point{X: x.At(l.At[i]), Y: y.At(side.of(c).MedianNS)})
			f.Mark("process "+side.class, plot.Circle, points[i], 3.6, fmt.Sprintf("%s, %s=%s: %s", report.Visible(side.name), report.Visible(l.Param), word(l.At[i]), report.Duration(side.of(c).MedianNS)))
		}
		f.Path("median "+side.class, points)
	}
	caption := report.PlainText(l.Says(d))
	return figure{Title: "Along " + report.Visible(l.Name), SVG: f.SVG(caption), Caption: caption, Legend: []legend{{"head", report.Visible(d.A)}, {"base", report.Visible(d.B)}}}
}

// versusDistribution shows the samples and processes of a case, as of a run, under the names of the two.
func versusDistribution(d *result.VersusResult, c result.Case) *figure {
	f := distributionOf(c, map[result.Side]string{result.SideBase: "B", result.SideHead: "A"})
	if f != nil {
		f.Title = "Distribution: " + report.Visible(c.Name)
		f.Caption = fmt.Sprintf("A is %s, B is %s. ", report.Visible(d.A), report.Visible(d.B)) + f.Caption
	}
	return f
}

func shortName(name string) string { return report.Clip(report.Visible(name), 24) }

// timesWord writes a factor as it is: 0.5x, 2x.
func timesWord(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) + "x" }
