package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// VersusDocument is a versus result as its reader meets it.
func VersusDocument(d *result.VersusResult) Document {
	out := parts{Document: Document{Kind: "versus", Verdict: "COMPARED", Tone: Quiet, Headline: versusAnswer(d)}, cases: versusTable(d), repro: d.Repro}
	if len(d.Cases) == d.Unmeasured() {
		out.Verdict, out.Tone = verdictWords[result.RunError].words, verdictWords[result.RunError].tone
	}
	for _, l := range Sweeps(d) {
		if l.Crossing != "" {
			out.also = append(out.also, l.Says(d))
		}
	}
	for _, note := range d.Notes {
		out.noted = append(out.noted, Say(note))
	}
	out.facts = slices.DeleteFunc(facts(versusRun(d)), func(f Fact) bool { return f.Label == labelColumns })
	out.facts = append(out.facts, Fact{Label: "rounds", Text: Say(Count(len(d.Rounds), "round") + ", in each two fresh processes of both, in a randomized order and mirrored")})
	out.Blocks = versusBlocks(d, out)
	return out.Document
}

func versusBlocks(d *result.VersusResult, out parts) []Block {
	var all blocks
	all.add(pointsOf("against", Always, Plain, out.also))
	all.add(tableOf("cases", Always, out.cases))
	all.addEach(figureBlocks("cases", speedIntervals(d)))
	for i, l := range Sweeps(d) {
		all.add(Block{Key: fmt.Sprintf("sweep-%d", i+1), Title: Say("Along " + l.Name), Table: l.table(d)})
	}
	all.add(versusDetails(d))
	all.add(notesOf(out.noted))
	all.add(factsOf(out.facts))
	all.add(repeatOf(Folded, out.repro))
	return all
}

// versusRun is a versus result as a run, for the facts that both have; those of single processes are left out. B has base's place.
func versusRun(d *result.VersusResult) *result.Result {
	r := &result.Result{Tool: d.Tool, Started: d.Started, Seed: d.Seed, Machine: d.Machine, Timings: result.Timings{TotalS: d.Seconds}}
	for _, c := range d.Cases {
		r.Cases = append(r.Cases, result.Case{Name: c.Name, Method: c.Method, Comparisons: result.HeadToBase(c.Compared())})
	}
	return r
}

// versusAnswer says which of the two is faster, in how many cases, and by how much in between.
func versusAnswer(d *result.VersusResult) Text {
	a, b, open := 0, 0, 0
	sum, n := 0.0, 0
	for _, c := range d.Cases {
		switch {
		case c.Compared() == nil:
			continue
		case c.Compared().High < 0:
			a++
		case c.Compared().Low > 0:
			b++
		default:
			open++
		}
		sum, n = sum-c.Compared().Theta, n+1
	}
	if n == 0 {
		return Say("no case could be measured")
	}
	var c clauses
	c.say("%s is faster in %d of %s", Visible(d.A), a, Count(len(d.Cases), "case"))
	if b > 0 {
		c.say("%s in %d", Visible(d.B), b)
	}
	if open > 0 {
		c.say("%d inconclusive", open)
	}
	if lost := d.Unmeasured(); lost > 0 {
		c.say("%d could not be measured", lost)
	}
	text := c.join(", ")
	if n > 1 {
		text += fmt.Sprintf("; %s as fast in the geometric mean", times(math.Exp(sum/float64(n))))
	}
	return Say(text)
}

// versusTable has a row a case: both times, how many times as fast A is, and which is surely the faster one.
func versusTable(d *result.VersusResult) Table {
	a, b := Brief(Visible(d.A), longestCell/2), Brief(Visible(d.B), longestCell/2)
	t := Table{First: "case", Columns: []Column{
		{Key: "a", Title: a, Unit: "ns", Align: Right}, {Key: "b", Title: b, Unit: "ns", Align: Right},
		{Key: "speed", Title: a + " vs " + b, Unit: "ratio", Align: Right}, {Key: "interval", Title: "interval", Align: Right}, {Key: "faster", Title: "faster"},
	}}
	for _, c := range d.Cases {
		row := Row{Name: caseName(c.Name)}
		if c.Compared() == nil || c.Head == nil || c.Base == nil {
			row.Instead = cell("could not be measured"+because(Reason(c.Reason)), Warn)
		} else {
			left, right := durations(c.Head.MedianNS, c.Base.MedianNS)
			row.Cells = Cells{"a": number(left, c.Head.MedianNS, Plain), "b": number(right, c.Base.MedianNS, Plain), "faster": fasterOne(c, a, b)}
			row.Cells["speed"], row.Cells["interval"] = speedCells(c.Compared(), Strong)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func fasterOne(c result.Case, a, b string) Cell {
	switch {
	case c.Compared().High < 0:
		return cell(a, Good)
	case c.Compared().Low > 0:
		return cell(b, Plain)
	}
	return cell("inconclusive", Quiet)
}

// Sweep is three cases or more that differ in one parameter alone, by its number.
type Sweep struct {
	Param    string
	Name     string // the parameter and those that stay: S with D=64
	Cases    []result.Case
	At       []float64 // their numbers, ascending
	Crossing string    // between which numbers the one overtakes the other; "" where that does not happen
}

// Sweeps are all of a versus result, those that could not be measured left out.
func Sweeps(d *result.VersusResult) []Sweep {
	var out []Sweep
	drawn := map[string]bool{}
	for _, c := range d.Cases {
		for p := range c.Params {
			if l := along(d, c, p); len(l.Cases) > 2 && !drawn[l.Name] {
				drawn[l.Name] = true
				out = append(out, l)
			}
		}
	}
	return out
}

// along are the cases that differ from one in its parameter p alone.
func along(d *result.VersusResult, from result.Case, p int) Sweep {
	l := Sweep{Param: from.Params[p].Name}
	l.Name = l.Param
	if fixed := (result.CaseID{Params: slices.Delete(slices.Clone(from.Params), p, p+1)}); len(fixed.Params) > 0 {
		l.Name += " with " + fixed.Args()
	}
	for _, c := range d.Cases {
		if at, ok := placeOn(c, from, p); ok {
			l.Cases, l.At = append(l.Cases, c), append(l.At, at)
		}
	}
	l.sort()
	return l
}

// placeOn is the number of a measured case's parameter p, if all others are from's.
func placeOn(c, from result.Case, p int) (at float64, ok bool) {
	if len(c.Params) != len(from.Params) || c.Compared() == nil || c.Head == nil || c.Base == nil {
		return 0, false
	}
	for q := range c.Params {
		if q != p && c.Params[q] != from.Params[q] {
			return 0, false
		}
	}
	at, err := strconv.ParseFloat(c.Params[p].Value, 64)
	return at, err == nil && !math.IsInf(at, 0) && !math.IsNaN(at)
}

// sort orders the cases by their numbers, and finds where the one overtakes the other.
func (l *Sweep) sort() {
	order := make([]int, len(l.Cases))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(l.At[a], l.At[b]) })
	cases, at := make([]result.Case, len(order)), make([]float64, len(order))
	for to, from := range order {
		cases[to], at[to] = l.Cases[from], l.At[from]
	}
	l.Cases, l.At = cases, at
	var between []string
	for i := 1; i < len(cases); i++ {
		if cases[i-1].Compared().Theta*cases[i].Compared().Theta < 0 {
			between = append(between, fmt.Sprintf("between %s=%s and %s", l.Param, formatNumber(at[i-1]), formatNumber(at[i])))
		}
	}
	l.Crossing = strings.Join(between, " and ")
}

// formatNumber writes a parameter's number, whole ones without an exponent.
func formatNumber(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// Says is the line in words: where the one overtakes the other.
func (l Sweep) Says(d *result.VersusResult) Text {
	first, last := l.Cases[0], l.Cases[len(l.Cases)-1]
	ends := fmt.Sprintf("%s as fast at %s, %s at %s", times(math.Exp(-first.Compared().Theta)), formatNumber(l.At[0]), times(math.Exp(-last.Compared().Theta)), formatNumber(l.At[len(l.At)-1]))
	text := fmt.Sprintf("along %s: %s is %s", Visible(l.Name), Visible(d.A), ends)
	if l.Crossing != "" {
		text += "; they cross " + Visible(l.Crossing)
	}
	return Say(text)
}

// barWidth is half of a chart: what one being four times as fast as the other fills.
const barWidth = 24

// table has a bar a case, to the right where A is faster.
func (l Sweep) table(d *result.VersusResult) *Table {
	t := &Table{First: l.Param, Columns: []Column{
		{Key: "bar", Title: fmt.Sprintf("%s faster to the left, %s to the right", Visible(d.B), Visible(d.A))}, {Key: "speed", Title: "speed", Unit: "ratio", Align: Right},
	}}
	for i, c := range l.Cases {
		n := int(math.Round(barWidth * max(-1, min(1, -c.Compared().Theta/math.Log(4)))))
		bar := strings.Repeat(" ", barWidth+min(0, n)) + strings.Repeat("█", max(0, -n)) + "│" + strings.Repeat("█", max(0, n))
		speed := math.Exp(-c.Compared().Theta)
		t.Rows = append(t.Rows, Row{Name: Name{Full: formatNumber(l.At[i])}, Rank: i, Cells: Cells{"bar": cell(bar, Plain), "speed": number(times(speed), speed, Plain)}})
	}
	return t
}
