package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// smallestTerm is the part of a change, in ln units, from which on a term has a bar of its own.
const smallestTerm = 0.003

// causeShares is the way from base to head: the named causes, the others, and what none of them accounts for.
func causeShares(e *result.CaseEvidence) Table {
	type step struct {
		name  string
		at    float64 // in ln units, where it begins
		log   float64
		tone  Tone
		style Style
	}
	var steps []step
	at := 0.0
	add := func(name string, log float64, tone Tone, style Style) {
		if math.Abs(log) < smallestTerm {
			return
		}
		steps = append(steps, step{name, at, log, tone, style})
		at += log
	}
	for _, cause := range e.Causes {
		add(cause.Title, cause.Log, Strong, either(cause.Log < 0, StyleBetter, StyleWorse))
	}
	for _, cause := range e.Others {
		add(cause.Title, cause.Log, Plain, StyleRest)
	}
	if len(steps) > 0 {
		add("not accounted for", e.Log-at, Quiet, StyleRest)
		at = 0
		add("head, as measured", e.Log, Strong, StyleTotal)
	}
	caption := Say("How the time of base becomes that of head: each bar begins where the one above it ends.")
	f := forest("time of base, step by step to that of head", QuantityChange, 0, caption)
	f.Series[0].Form = FormBars
	return tableBy("cause", steps, func(_ int, s step) Row {
		return Row{Name: Name{Full: s.name}, Drawn: bar(s.name, math.Exp(s.at), math.Exp(s.at+s.log), s.style)}
	},
		numbersIn("effect", "effect", 0, func(s step) Cell { return number(factorWord(math.Exp(s.log)), math.Expm1(s.log), s.tone) })).drawnOver(f)
}

// factorWord writes a step, as a factor where it is a large one.
func factorWord(ratio float64) string {
	if ratio >= 3 {
		return text.Number(ratio) + "x"
	}
	return text.Change(ratio-1, 1)
}

// rooflineFigure shows how much of what the machine can do each side reaches, and what bounds it.
func rooflineFigure(c result.Case) []Figure {
	all, counted := rooflinePoints(c)
	f := Figure{
		Key: "roofline", Title: "Roofline",
		X: Axis{Title: "FLOP per byte (upward: FLOP per second)", Quantity: QuantityNumber, Log: true, Least: 30},
		Y: Axis{Title: "FLOP per second", Quantity: QuantityScaled, Log: true, Least: 30},
	}
	roofs := "No roof of this machine is known"
	for i, at := range all {
		if at.FlopRoof > 0 && at.ByteRoof > 0 {
			roofs = "Roofs are what this machine reached in the same processes"
			if i == 0 || at.FlopRoof != all[0].FlopRoof || at.ByteRoof != all[0].ByteRoof {
				f.Series = append(f.Series, roof(all, at))
			}
		}
		style := either(at.Side == result.SideHead, StyleHead, StyleBase)
		f.Series = append(f.Series, Series{Name: string(at.Side), Form: FormMarks, Style: style, Points: []Point{{X: at.Intensity, Y: at.FlopRate, Label: string(at.Side)}}})
		if at.ShareOfRoof > 0 {
			f.Caption = append(f.Caption, say("%s reaches %s of the roof. ", at.Side, text.Percent(at.ShareOfRoof))...)
		}
	}
	f.Caption = append(f.Caption, Say(roofs+"; "+counted+".")...)
	return f.drawn()
}

// rooflinePoints are both sides as a profiler counted them, else as the adapter counts its work.
func rooflinePoints(c result.Case) (all []result.RooflineAt, counted string) {
	if c.Evidence != nil {
		all = slices.DeleteFunc(slices.Clone(c.Evidence.Roofline), func(at result.RooflineAt) bool { return at.Intensity <= 0 || at.FlopRate <= 0 })
	}
	if n := len(all); n > 0 {
		return all, "bytes " + either(all[n-1].DRAMBytes <= 0, "as the adapter counts them", "of DRAM as the profiler counted them")
	}
	if c.Flops <= 0 || c.Bytes <= 0 {
		return nil, ""
	}
	for i, s := range []*result.Summary{c.Base, c.Head} {
		if s != nil && s.GFlops > 0 && s.FlopRoof > 0 && s.ByteRoof > 0 {
			side := []result.Side{result.SideBase, result.SideHead}[i]
			all = append(all, result.RooflineAt{Side: side, Intensity: c.Flops / c.Bytes, FlopRate: s.GFlops * 1e9, FlopRoof: s.FlopRoof, ByteRoof: s.ByteRoof, ShareOfRoof: s.RooflineShare})
		}
	}
	return all, "work and bytes as the adapter counts them"
}

// roof is the smaller of what arithmetic and memory allow, around the points.
func roof(points []result.RooflineAt, of result.RooflineAt) Series {
	ridge := of.FlopRoof / of.ByteRoof
	from, to := ridge/4, ridge*4
	for _, p := range points {
		from, to = min(from, p.Intensity/2), max(to, p.Intensity*2)
	}
	return Series{Form: FormLine, Style: StyleTotal, Points: []Point{{X: from, Y: from * of.ByteRoof}, {X: ridge, Y: of.FlopRoof}, {X: to, Y: of.FlopRoof}}}
}

// parityDetails show how far outputs are off, kernel by kernel.
func parityDetails(r *result.Result) Block {
	var all []Block
	for _, k := range r.Kernels {
		key := "outputs " + k.Name
		all = append(all, group(key, Always, code(k.Name), figureBlocks(key, ulpFigure(k.Parity))...))
	}
	return group("outputs", Full, Say("Outputs"), all...)
}

// heatMap is where an output is wrong; nil where that says nothing that words do not.
func heatMap(m *result.Map) *Figure {
	if !m.Tells() {
		return nil
	}
	cells := Series{Form: FormCells, Style: StyleWorse}
	for r, line := range m.Levels {
		for c, digit := range line {
			level := int(digit - '0')
			label := map[int]string{0: "all correct", 9: "all wrong"}[level]
			if label == "" {
				label = fmt.Sprintf("about %d of 9 wrong", level)
			}
			cells.Points = append(cells.Points, Point{X: float64(c), Y: float64(r), Low: float64(level) / 9, Label: label})
		}
	}
	across := axisWords(m.Columns, "across")
	if m.Rows.Size > 1 {
		across = axisWords(m.Rows, "down") + ", " + across
	}
	return &Figure{
		Key: "wrong-output", Title: "where " + text.Visible(m.Tensor) + " is wrong: " + across, Series: []Series{cells},
		X: partsAxis(m.Columns, len(m.Levels[0])), Y: partsAxis(m.Rows, len(m.Levels)),
		Caption: Say("Smallest failing case. The darker, the larger the share of wrong elements; other dimensions are combined."),
	}
}

func axisWords(a result.Axis, direction string) string {
	return fmt.Sprintf("%s %s (0 to %d)", text.Visible(cmp.Or(a.Name, "index")), direction, a.Size-1)
}

// partsAxis names the parts of an axis by where they begin; only the first and the last have room for it.
func partsAxis(a result.Axis, parts int) Axis {
	out := Axis{Title: a.Name, Ticks: []float64{0, float64(parts - 1)}[:min(2, parts)]}
	for i := range parts {
		out.Names = append(out.Names, fmt.Sprint(a.From(i, parts)))
	}
	return out
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
		if share := float64(n) / float64(all); n > 0 {
			bars.Points = append(bars.Points, Point{X: float64(i), Y: share, High: share, Label: ulpClasses[i] + " ulp, " + text.Count(int(n), "element")})
		}
	}
	return []Figure{{
		Key: "ulp", Title: "Errors", X: Axis{Title: "units in the last place", Names: ulpClasses},
		Y: Axis{Title: "share of elements", Quantity: QuantityShare}, Series: []Series{bars},
		Caption: say("How far %d floating-point elements of the cases that passed are off the reference.", all),
	}}
}
