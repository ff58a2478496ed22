package simulate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// stackOrder is the order of the verdicts in the figure, from the bottom.
var stackOrder = []result.Verdict{result.Improvement, result.Faster, result.Same, result.Slower, result.Inconclusive, result.Regression}

// colours of the verdicts: told apart in grey and with the common kinds of colour blindness, too.
var colours = map[result.Verdict]string{
	result.Improvement:  "#00507a",
	result.Faster:       "#56b4e9",
	result.Same:         "#d9e6ec",
	result.Slower:       "#f5d98b",
	result.Inconclusive: "#9a9a9a",
	result.Regression:   "#c2410c",
}

const (
	panelWidth   = 300
	panelHeight  = 230
	panelGap     = 52
	figureLeft   = 56
	figureTop    = 66
	figureBottom = 44
)

// Figure draws the curves as SVG: the chance of each verdict, stacked, against the true shift.
func (r Curves) Figure() string {
	f := &figure{tolerance: r.Tolerance}
	width := figureLeft + len(r.Curves)*(panelWidth+panelGap)
	height := figureTop + panelHeight + figureBottom
	f.add(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="12" fill="#222">`,
		width, height, width, height)
	f.add(`<title>Chance of each verdict against the true shift</title>`)
	f.add(`<rect width="%d" height="%d" fill="#fff"/>`, width, height)
	f.legend(r.Curves)
	for i, c := range r.Curves {
		f.panel(float64(figureLeft+i*(panelWidth+panelGap)), c, i == 0)
	}
	f.add(`</svg>`)
	return f.b.String()
}

type figure struct {
	b         strings.Builder
	tolerance float64
}

func (f *figure) add(format string, args ...any) { fmt.Fprintf(&f.b, format+"\n", args...) }

// legend explains the colours of the verdicts that a curve has.
func (f *figure) legend(curves []Curve) {
	x := figureLeft
	for _, v := range stackOrder {
		if !slices.ContainsFunc(curves, func(c Curve) bool { return c.has(v) }) {
			continue
		}
		f.add(`<rect x="%d" y="12" width="14" height="14" fill="%s" stroke="#555" stroke-width="0.5"/>`, x, colours[v])
		f.add(`<text x="%d" y="23">%s</text>`, x+19, v)
		x += 36 + 8*len(v)
	}
}

// panel draws one curve with its axes.
func (f *figure) panel(left float64, c Curve, labelled bool) {
	first, last := c.Points[0].Shift, c.Points[len(c.Points)-1].Shift
	x := func(shift float64) float64 { return left + panelWidth*(shift-first)/(last-first) }
	y := func(share float64) float64 { return figureTop + panelHeight*(1-share) }
	f.add(`<text x="%.1f" y="%d" font-weight="bold">%s</text>`, left, figureTop-12, c.Noise)
	lower := make([]float64, len(c.Points))
	for _, v := range stackOrder {
		f.area(c, v, lower, x, y)
	}
	f.axes(left, first, last, x, y, labelled)
	f.add(`<path d="M%.1f %d V%d" stroke="#000" stroke-dasharray="4 3"/>`, x(f.tolerance), figureTop, figureTop+panelHeight)
	f.add(`<text x="%.1f" y="%d" text-anchor="middle" font-size="11">tolerance</text>`, x(f.tolerance), figureTop-5)
}

// area stacks the share of a verdict on lower, and raises lower by it.
func (f *figure) area(c Curve, v result.Verdict, lower []float64, x, y func(float64) float64) {
	if !c.has(v) {
		return
	}
	var up, down []string
	for i, p := range c.Points {
		down = append(down, fmt.Sprintf("%.1f %.1f", x(p.Shift), y(lower[i])))
		lower[i] += p.Share[v]
		up = append(up, fmt.Sprintf("%.1f %.1f", x(p.Shift), y(lower[i])))
	}
	for i := len(down) - 1; i >= 0; i-- {
		up = append(up, down[i])
	}
	f.add(`<path d="M%s Z" fill="%s" stroke="#fff" stroke-width="0.5"/>`, strings.Join(up, " L"), colours[v])
}

func (f *figure) axes(left, first, last float64, x, y func(float64) float64, labelled bool) {
	f.add(`<rect x="%.1f" y="%d" width="%d" height="%d" fill="none" stroke="#222"/>`, left, figureTop, panelWidth, panelHeight)
	for percent := -10; percent <= 10; percent++ {
		shift := float64(percent) / 100
		if shift < first-1e-9 || shift > last+1e-9 {
			continue
		}
		f.add(`<path d="M%.1f %d v5" stroke="#222"/>`, x(shift), figureTop+panelHeight)
		f.add(`<text x="%.1f" y="%d" text-anchor="middle">%s</text>`, x(shift), figureTop+panelHeight+18, percentLabel(percent))
	}
	f.add(`<text x="%.1f" y="%d" text-anchor="middle">true shift</text>`, left+panelWidth/2, figureTop+panelHeight+36)
	if !labelled {
		return
	}
	for share := 0; share <= 100; share += 25 {
		f.add(`<text x="%.1f" y="%.1f" text-anchor="end">%d %%</text>`, left-7, y(float64(share)/100)+4, share)
	}
}

func percentLabel(percent int) string {
	if percent == 0 {
		return "0"
	}
	return fmt.Sprintf("%+d %%", percent)
}

// has reports whether some point of the curve has the verdict.
func (c Curve) has(v result.Verdict) bool {
	return slices.ContainsFunc(c.Points, func(p Point) bool { return p.Share[v] > 0 })
}
