package report

import (
	"fmt"
	"math"

	"github.com/org/perfgate/gate/result"
)

// smallestTerm is the part of a change, in ln units, from which on a term has a bar of its own.
const smallestTerm = 0.003

// causeShares is the way from base to head: the named causes, the others, and what none of them accounts for.
func causeShares(e *result.CaseEvidence) (Table, Figure) {
	t := Table{First: "cause", Columns: []Column{{Key: "effect", Title: "effect", Unit: "ratio", Align: Right}}}
	f := forest("time of base, step by step to that of head", QuantityChange, 0)
	f.Key, f.Title, f.Series[0].Form = "causes", "From base to head", FormBars
	f.Caption = Say("How the time of base becomes that of head: each bar begins where the one above it ends.")
	at := 0.0
	step := func(name string, log float64, tone Tone, style Style) {
		if math.Abs(log) < smallestTerm {
			return
		}
		f.bar(name, math.Exp(at), math.Exp(at+log), style)
		t.Rows = append(t.Rows, Row{Name: Name{Full: name}, Cells: Cells{"effect": number(factorWord(math.Exp(log)), math.Expm1(log), tone)}})
		at += log
	}
	for _, cause := range e.Causes {
		style := StyleWorse
		if cause.Log < 0 {
			style = StyleBetter
		}
		step(cause.Title, cause.Log, Strong, style)
	}
	for _, cause := range e.Others {
		step(cause.Title, cause.Log, Plain, StyleRest)
	}
	if len(t.Rows) == 0 {
		return t, f
	}
	step("not accounted for", e.Log-at, Quiet, StyleRest)
	at = 0
	step("head, as measured", e.Log, Strong, StyleTotal)
	return t, f
}

// bar adds a row with a bar between two numbers.
func (f *Figure) bar(name string, from, to float64, style Style) {
	f.Series[0].Points = append(f.Series[0].Points, Point{
		X: to, Y: float64(len(f.Y.Names)), Low: min(from, to), High: max(from, to), Style: style, Label: name,
	})
	f.Y.Names = append(f.Y.Names, name)
}

// factorWord writes a step, as a factor where it is a large one.
func factorWord(ratio float64) string {
	if ratio >= 3 {
		return Number(ratio) + "x"
	}
	return Change(ratio-1, 1)
}

// rooflineFigure shows how much of what the machine can do each side reaches, and what bounds it.
func rooflineFigure(c result.Case) []Figure {
	all, counted := rooflinePoints(c)
	if len(all) == 0 {
		return nil
	}
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
		style := StyleBase
		if at.Side == result.SideHead {
			style = StyleHead
		}
		f.Series = append(f.Series, Series{Name: string(at.Side), Form: FormMarks, Style: style, Points: []Point{{X: at.Intensity, Y: at.FlopRate, Label: string(at.Side)}}})
		if at.ShareOfRoof > 0 {
			f.Caption = append(f.Caption, words(fmt.Sprintf("%s reaches %s of the roof. ", at.Side, Percent(at.ShareOfRoof))))
		}
	}
	f.Caption = append(f.Caption, words(roofs+"; "+counted+"."))
	return []Figure{f}
}

// rooflinePoints are both sides as a profiler counted them, else as the adapter counts its work.
func rooflinePoints(c result.Case) (all []result.RooflineAt, counted string) {
	if c.Evidence != nil {
		for _, at := range c.Evidence.Roofline {
			if at.Intensity > 0 && at.FlopRate > 0 {
				all, counted = append(all, at), "bytes of DRAM as the profiler counted them"
				if at.DRAMBytes <= 0 {
					counted = "bytes as the adapter counts them"
				}
			}
		}
	}
	if len(all) > 0 || c.Flops <= 0 || c.Bytes <= 0 {
		return all, counted
	}
	for side, s := range map[result.Side]*result.Summary{result.SideBase: c.Base, result.SideHead: c.Head} {
		if s != nil && s.GFlops > 0 && s.FlopRoof > 0 && s.ByteRoof > 0 {
			at := result.RooflineAt{Side: side, Intensity: c.Flops / c.Bytes, FlopRate: s.GFlops * 1e9, FlopRoof: s.FlopRoof, ByteRoof: s.ByteRoof, ShareOfRoof: s.RooflineShare}
			if all = append(all, at); side == result.SideBase && len(all) == 2 {
				all[0], all[1] = all[1], all[0]
			}
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
