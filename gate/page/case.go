package page

import (
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// caseView is all that is known of one case.
type caseView struct {
	Row         overviewRow
	Open        bool // worth reading unasked
	Reason      string
	Remarks     []template.HTML
	Evidence    *evidence
	Numbers     table
	Figures     []figure
	Competitors table
	Processes   table
	Repeat      string // a command line
}

// figure is a picture, what it says in a sentence, and its numbers.
type figure struct {
	Title   string
	Caption string
	SVG     template.HTML
	Legend  []legend
	Data    table // empty: the numbers stand elsewhere in the section
}

// legend explains a class of marks.
type legend struct{ Class, Text string }

var sides = []legend{{"base", "base"}, {"head", "head"}}

func caseViews(r *result.Result, d report.Document) []caseView {
	var out []caseView
	for _, row := range newOverview(r, d).Rows {
		out = append(out, newCase(r, d, row))
	}
	return out
}

func newCase(r *result.Result, d report.Document, row overviewRow) caseView {
	c := row.of
	v := caseView{Row: row, Open: !row.cell.Unchanged, Numbers: numbers(c), Processes: processTable(c), Evidence: caseEvidence(c, d), Repeat: repeat(r, c), Competitors: caseCompetitors(d, row.Full)}
	if c.Verdict != result.Same && !report.RemarksReason(r, c) {
		v.Reason = report.Reason(c.Reason)
	}
	for _, remark := range d.Remarks {
		if remark.Case.Full == row.Full {
			v.Remarks = append(v.Remarks, prose(remark.Text))
		}
	}
	for _, f := range []*figure{distribution(c), order(r, c), narrowing(r, c), roofline(c), course(c.Past)} {
		if f != nil {
			v.Figures = append(v.Figures, *f)
		}
	}
	return v
}

// HasNumbers says whether anything of the case was timed.
func (v caseView) HasNumbers() bool { return len(v.Numbers.Rows) > 0 }

// numbers are both sides of a case, a row for each quantity that is known.
func numbers(c result.Case) table {
	t := table{Head: []string{"", "base", "head"}, Right: []bool{false, true, true}}
	add := func(name string, of func(result.Summary) float64, write func(float64) string) {
		base, head := "–", "–"
		any := false
		for _, side := range []struct {
			of *result.Summary
			to *string
		}{{c.Base, &base}, {c.Head, &head}} {
			if side.of != nil && of(*side.of) > 0 {
				*side.to, any = write(of(*side.of)), true
			}
		}
		if any {
			t.Rows = append(t.Rows, row{Name: name, Cells: []cell{{Text: base, Right: true}, {Text: head, Right: true}}})
		}
	}
	add("median of samples", func(s result.Summary) float64 { return s.MedianNS }, report.Duration)
	add("p90 of samples", func(s result.Summary) float64 { return s.P90NS }, report.Duration)
	add("p99 of samples", func(s result.Summary) float64 { return s.P99NS }, report.Duration)
	add("scatter of processes (CV)", func(s result.Summary) float64 { return s.ProcessCV }, report.Percent)
	add("scatter of samples (CV)", func(s result.Summary) float64 { return s.SampleCV }, report.Percent)
	add("processes", func(s result.Summary) float64 { return float64(s.Processes) }, func(n float64) string { return strconv.Itoa(int(n)) })
	add("GB/s", func(s result.Summary) float64 { return s.GBytesPerSec }, report.Number)
	add("GFLOP/s", func(s result.Summary) float64 { return s.GFlops }, report.Number)
	add("of roofline", func(s result.Summary) float64 { return s.RooflineShare }, report.Percent)
	if base, head := hostTime(c, result.SideBase), hostTime(c, result.SideHead); base > 0 && head > 0 {
		t.Rows = append(t.Rows, row{Name: "host time of a launch", Cells: []cell{{Text: report.Duration(base), Right: true}, {Text: report.Duration(head), Right: true}}})
	}
	return t
}

// hostTime is the median time that the host needs to enqueue a launch, 0 where it is not known.
func hostTime(c result.Case, side result.Side) float64 {
	var xs []float64
	for _, p := range c.Of(side) {
		if p.HostNS > 0 {
			xs = append(xs, p.HostNS)
		}
	}
	return median(xs)
}

// median is 0 of nothing.
func median(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	xs = slices.Sorted(slices.Values(xs))
	return (xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2
}

// repeat is the command line that measures this case alone; "" where the run cannot be narrowed down.
func repeat(r *result.Result, c result.Case) string {
	if report.OwnCommand(r.Repro) == "" || len(r.Merged) > 0 || c.Compared == nil {
		return ""
	}
	return report.Visible(r.Repro + " --case=" + quote(c.Name))
}

// quote quotes a word for a shell.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
