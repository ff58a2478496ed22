package page

import (
	"fmt"
	"html/template"
	"math"

	"github.com/org/perfgate/gate/page/plot"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// look is how a verdict looks: a colour and a shape, so that neither is needed.
type look struct {
	class string
	shape plot.Shape
}

// looks: a triangle points to where the time goes, and is filled where the change is over a threshold.
var looks = map[result.Verdict]look{
	result.Regression: {"v-bad", plot.Up}, result.Slower: {"v-slower", plot.Up},
	result.Improvement: {"v-good", plot.Down}, result.Faster: {"v-faster", plot.Down},
	result.Same: {"v-same", plot.Circle}, result.Inconclusive: {"v-warn", plot.Diamond}, result.Undecided: {"v-warn", plot.Diamond},
	result.Error: {"v-error", plot.Cross}, result.New: {"v-new", plot.Square}, result.Skipped: {"v-skipped", plot.Square},
}

// mark is the sign of a verdict as a small picture beside its word.
func mark(v result.Verdict) template.HTML {
	l := looks[v]
	c := plot.New(14, 14)
	c.Mark(l.class, l.shape, plot.Point{X: 7, Y: 7}, 4.4, "")
	return c.SVG("")
}

// chip counts the cases of a verdict.
type chip struct {
	Mark    template.HTML
	Verdict result.Verdict
	Count   int
}

func chips(r *result.Result) []chip {
	count := map[result.Verdict]int{}
	for _, c := range r.Cases {
		count[c.Verdict]++
	}
	var out []chip
	for _, v := range result.Verdicts {
		if count[v] > 0 {
			out = append(out, chip{mark(v), v, count[v]})
		}
	}
	return out
}

// overview is all cases on one axis.
type overview struct {
	Axis    template.HTML // over the column of intervals; empty if no case has one
	Caption string
	Rows    []overviewRow
	Kernels []string
	Extra   []string // titles of more columns
	Span    int      // columns of numbers
	Unit    string   // of Interval: the confidence
}

type overviewRow struct {
	ID, Kernel, Name string
	Parts            []part
	Verdict          result.Verdict
	Class            string
	Mark             template.HTML
	Base, Head       string
	Change, Interval string
	Detects, Instead string
	Extra            []string // of the columns between the smallest effect and the verdict, such as those of competitors
	Figure           template.HTML
	Rank             int
	Theta            string // ln of the ratio, to sort by
	Full             string
	cell             report.Row
	of               result.Case
}

// part is a parameter of a case; Common says that all cases of its kernel have it.
type part struct {
	Name, Value string
	Common      bool
}

// Sizes of the column of intervals.
const (
	stripWidth  = 300.0
	stripHeight = 40.0
)

// fullName is what the document calls a case by.
func fullName(c result.Case) string {
	if c.Machine != "" {
		return c.Name + " on " + c.Machine
	}
	return c.Name
}

func newOverview(r *result.Result, d report.Document) overview {
	byName := map[string]result.Case{}
	for _, c := range r.Cases {
		byName[fullName(c)] = c
	}
	o := overview{Span: 5}
	common := commonParams(d.Cases.Rows)
	seen := map[string]bool{}
	for i, cells := range d.Cases.Rows {
		c, known := byName[cells.Name.Full]
		if !known {
			continue
		}
		o.Rows = append(o.Rows, newRow(i, c, cells, common))
		if !seen[c.Kernel] {
			seen[c.Kernel] = true
			o.Kernels = append(o.Kernels, c.Kernel)
		}
	}
	s, any := ratioScale(r)
	if !any {
		return o
	}
	o.Axis = overviewAxis(s, r.Policy)
	for i := range o.Rows {
		o.Rows[i].Figure = strip(s, o.Rows[i], r.Policy)
	}
	o.Caption = "Time of head over time of base, on a logarithmic axis: left is faster. The bar is the interval of the estimate; the shaded band is what the tolerance of " +
		plusPercent(r.Policy.Tolerance) + " lets pass. Red begins where a whole interval lies right of it. Parameters that all cases of a kernel share stand with the cases below."
	if together := allTogether(r.Cases); together != "" {
		o.Caption = together + " " + o.Caption
	}
	return o
}

// allTogether is the mean change of all cases, and between which they lie; "" of fewer than three. It decides nothing.
func allTogether(cases []result.Case) string {
	sum, n, low, high := 0.0, 0, math.Inf(1), math.Inf(-1)
	for _, c := range cases {
		if c.Compared != nil {
			sum, n, low, high = sum+c.Compared.Theta, n+1, min(low, c.Compared.Theta), max(high, c.Compared.Theta)
		}
	}
	if n < 3 {
		return ""
	}
	return fmt.Sprintf("All %d cases together: %s in the geometric mean, from %s to %s.", n,
		report.Change(math.Exp(sum/float64(n))-1, 1), report.Change(math.Exp(low)-1, 1), report.Change(math.Exp(high)-1, 1))
}

func newRow(i int, c result.Case, cells report.Row, common map[string]map[result.Param]bool) overviewRow {
	l := looks[c.Verdict]
	out := overviewRow{
		ID: fmt.Sprintf("case-%d", i+1), Kernel: cells.Name.Kernel, Name: c.Name, Full: cells.Name.Full, Verdict: c.Verdict, Class: l.class, Mark: mark(c.Verdict),
		Instead: cells.Instead.Text, Rank: cells.Rank, cell: cells, of: c,
	}
	for _, p := range cells.Name.Params {
		out.Parts = append(out.Parts, part{p.Name, p.Value, common[cells.Name.Kernel][p]})
	}
	if reason, has := cells.Cells["reason"]; has { // a table without numbers
		out.Instead = reason.Text
	}
	text := func(key string) string { return cells.Cells[key].Text }
	out.Base, out.Head, out.Change, out.Interval, out.Detects = text("base"), text("head"), text("change"), text("interval"), text("mde")
	if c.Compared != nil {
		out.Theta = fmt.Sprintf("%.6f", c.Compared.Theta)
	}
	return out
}

// commonParams are the parameters that all cases of a kernel share, by kernel, where it has more than one.
func commonParams(rows []report.Row) map[string]map[result.Param]bool {
	cases, count := map[string]int{}, map[string]map[result.Param]int{}
	for _, r := range rows {
		cases[r.Name.Kernel]++
		if count[r.Name.Kernel] == nil {
			count[r.Name.Kernel] = map[result.Param]int{}
		}
		for _, p := range r.Name.Params {
			count[r.Name.Kernel][p]++
		}
	}
	out := map[string]map[result.Param]bool{}
	for kernel, params := range count {
		out[kernel] = map[result.Param]bool{}
		for p, n := range params {
			out[kernel][p] = n > 1 && n == cases[kernel]
		}
	}
	return out
}

// ratioScale holds the intervals of all cases, parity and the tolerance.
func ratioScale(r *result.Result) (s plot.Scale, any bool) {
	tolerance := 1 + r.Policy.Tolerance
	xs := []float64{1, tolerance, 1 / tolerance}
	for _, c := range r.Cases {
		if q := c.Compared; q != nil && q.RatioLow > 0 && q.RatioHigh > 0 {
			any = true
			xs = append(xs, q.RatioLow, q.RatioHigh)
		}
	}
	return plot.Logarithmic(xs, 1.02, 6, stripWidth-6), any
}

func overviewAxis(s plot.Scale, p result.Policy) template.HTML {
	const height = 30
	c := plot.New(stripWidth, height)
	ticks := s.Ticks(5)
	word := ratioWord(ticks)
	for _, x := range ticks {
		at := s.At(x)
		c.Line("axis", plot.Point{X: at, Y: height - 5}, plot.Point{X: at, Y: height})
		c.Text("tick", plot.Point{X: max(18, min(stripWidth-18, at)), Y: 14}, plot.Middle, word(x))
	}
	return c.SVG("")
}

// strip is the interval of one case over the band of the tolerance. All strips share an axis.
func strip(s plot.Scale, r overviewRow, p result.Policy) template.HTML {
	c := plot.New(stripWidth, stripHeight)
	tolerance := 1 + p.Of(r.of.Name).Tolerance
	c.Rect("band", plot.Point{X: s.At(1 / tolerance), Y: 0}, plot.Point{X: s.At(tolerance), Y: stripHeight})
	for _, x := range s.Ticks(5) {
		c.Line("grid", plot.Point{X: s.At(x), Y: 0}, plot.Point{X: s.At(x), Y: stripHeight})
	}
	c.Line("even", plot.Point{X: s.At(1), Y: 0}, plot.Point{X: s.At(1), Y: stripHeight})
	q := r.of.Compared
	if q == nil {
		return c.SVG("")
	}
	const middle = stripHeight / 2
	plot.Interval(c, "bar "+r.Class, s, middle, q.RatioLow, q.RatioHigh)
	c.Mark(r.Class, looks[r.Verdict].shape, plot.Point{X: s.At(q.Ratio), Y: middle}, 5, r.Change+" ("+r.Interval+")")
	return c.SVG("")
}

// ratioWord words ticks of ratios: as a change where they lie close, as a factor where they do not.
func ratioWord(ticks []float64) func(float64) string {
	places := 0
	for _, x := range ticks {
		for n := places; n < 3; n++ {
			if scaled := 100 * (x - 1) * math.Pow(10, float64(n)); math.Abs(scaled-math.Round(scaled)) < 1e-6 {
				places = n
				break
			}
			places = n + 1
		}
	}
	return func(x float64) string {
		switch {
		case math.Abs(x-1) < 1e-9:
			return "0"
		case x >= 2 || x <= 0.5:
			return fmt.Sprintf("%gx", x)
		}
		return report.Change(x-1, places)
	}
}

func plusPercent(share float64) string { return fmt.Sprintf("+%g %%", math.Round(share*1e6)/1e4) }
