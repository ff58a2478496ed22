package page

import (
	"fmt"
	"html/template"
	"strconv"

	"github.com/org/perfgate/gate/page/plot"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// parityView is what was checked of one kernel.
type parityView struct {
	Kernel, Status, Class string
	Text                  template.HTML
	Repro                 string
	Figures               []figure
}

func parityViews(r *result.Result, d report.Document) []parityView {
	kernels := map[string]result.Kernel{}
	for _, k := range r.Kernels {
		kernels[k.Name] = k
	}
	var out []parityView
	for _, check := range d.Parity {
		v := parityView{Kernel: check.Kernel, Status: check.Status, Class: toneClass[check.Tone], Text: prose(check.Text), Repro: report.Visible(check.Repro)}
		p := kernels[check.Kernel].Parity
		for _, f := range []*figure{heatMap(p), ulpFigure(p)} {
			if f != nil {
				v.Figures = append(v.Figures, *f)
			}
		}
		out = append(out, v)
	}
	return out
}

// ulpClasses name the entries of Parity.ULP.
var ulpClasses = []string{"0", "1", "2", "≤ 4", "≤ 16", "≤ 256", "more", "beyond compare"}

// ulpFigure shows by how much the elements are off, in units of the last place.
func ulpFigure(p result.Parity) *figure {
	var all, most int64
	for _, n := range p.ULP {
		all, most = all+n, max(most, n)
	}
	if all == 0 || len(p.ULP) > len(ulpClasses) {
		return nil
	}
	f := plot.NewFrameOf(150, 10)
	width := (f.Right - f.Left) / float64(len(ulpClasses))
	var rows [][]string
	for i, n := range p.ULP {
		x := f.Left + (float64(i)+0.5)*width
		if n > 0 { // a share of its own would hide one wrong element among millions: never lower than can be seen
			height := max(2, (f.Bottom-f.Top-14)*float64(n)/float64(most))
			f.Box("ulp", plot.Point{X: x - 0.36*width, Y: f.Bottom - height}, plot.Point{X: x + 0.36*width, Y: f.Bottom}, fmt.Sprintf("%d elements", n))
			f.Text("tick", plot.Point{X: x, Y: f.Bottom - height - 8}, plot.Middle, report.Percent(float64(n)/float64(all)))
		}
		word := ulpClasses[i]
		if i == len(ulpClasses)-1 {
			word = "other"
		}
		f.Text("tick", plot.Point{X: x, Y: f.Bottom + 9}, plot.Middle, word)
		rows = append(rows, []string{ulpClasses[i], strconv.FormatInt(n, 10), report.Percent(float64(n) / float64(all))})
	}
	f.Line("axis", plot.Point{X: f.Left, Y: f.Bottom}, plot.Point{X: f.Right, Y: f.Bottom})
	f.Text("label", plot.Point{X: plot.Width / 2, Y: f.Bottom + 25}, plot.Middle, "units in the last place")
	caption := fmt.Sprintf("How far %d floating elements of the cases that passed are off what they should be.", all)
	return &figure{Title: "Errors", SVG: f.SVG(caption), Caption: caption, Data: dataTable([]string{"ulp", "elements", "share"}, rows)}
}
