package report

import (
	"fmt"

	"github.com/org/perfgate/gate/result"
)

// parityFigures show where an output is wrong, and how far passing outputs are off.
func parityFigures(p result.Parity) []Figure { return append(heatMap(p), ulpFigure(p)...) }

// heatMap is where the output of the smallest failing case is wrong.
func heatMap(p result.Parity) []Figure {
	if p.Failure == nil || !p.Failure.Map.IsSound() {
		return nil
	}
	m := p.Failure.Map
	cells := Series{Form: FormCells, Style: StyleWorse}
	f := Figure{
		Key: "wrong-output", Title: "Failing region", X: partsAxis(m.Columns, len(m.Levels[0])), Y: partsAxis(m.Rows, len(m.Levels)),
		Caption: Say("Smallest failing case, " + mapTitle(m) + ". The darker, the larger the share of wrong elements; other dimensions are combined."),
	}
	for r, line := range m.Levels {
		for c, digit := range line {
			level := int(digit - '0')
			cells.Points = append(cells.Points, Point{X: float64(c), Y: float64(r), Low: float64(level) / 9, Label: levelWords(level)})
		}
	}
	f.Series = []Series{cells}
	return []Figure{f}
}

// partsAxis names the parts of an axis by their coordinates; only the first and the last have room for it.
func partsAxis(a result.Axis, parts int) Axis {
	out := Axis{Title: a.Name, Ticks: []float64{0, float64(parts - 1)}}
	for i := range parts {
		first, last := a.From(i, parts), a.From(i+1, parts)-1
		name := fmt.Sprintf("%s %d to %d", a.Name, first, last)
		if first == last {
			name = fmt.Sprintf("%s %d", a.Name, first)
		}
		out.Names = append(out.Names, name)
	}
	if parts == 1 {
		out.Ticks = out.Ticks[:1]
	}
	return out
}

// levelWords are what the levels of a map mean.
func levelWords(level int) string {
	switch level {
	case 0:
		return "all correct"
	case 9:
		return "all wrong"
	}
	return fmt.Sprintf("about %d of 9 wrong", level)
}

// ulpClasses name the entries of Parity.ULP.
var ulpClasses = []string{"0", "1", "2", "≤ 4", "≤ 16", "≤ 256", "more", "other"}

// ulpFigure shows by how much the elements are off, in units in the last place.
func ulpFigure(p result.Parity) []Figure {
	var all int64
	for _, n := range p.ULP {
		all += n
	}
	if all == 0 || len(p.ULP) > len(ulpClasses) {
		return nil
	}
	bars := Series{Form: FormBars, Style: StyleFirst}
	for i, n := range p.ULP {
		if n > 0 {
			share := float64(n) / float64(all)
			bars.Points = append(bars.Points, Point{X: float64(i), Y: share, High: share, Label: ulpClasses[i] + " ulp, " + Count(int(n), "element")})
		}
	}
	return []Figure{{
		Key: "ulp", Title: "Errors", X: Axis{Title: "units in the last place", Names: ulpClasses},
		Y: Axis{Title: "share of elements", Quantity: QuantityShare}, Series: []Series{bars},
		Caption: Say(fmt.Sprintf("How far %d floating-point elements of the cases that passed are off the reference.", all)),
	}}
}
