package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// verdictTone colours a verdict.
var verdictTone = map[result.Verdict]Tone{
	result.Regression: Bad, result.Error: Warn, result.Inconclusive: Warn, result.Undecided: Warn, result.Skipped: Warn,
	result.Faster: Plain, result.Improvement: Good,
}

func nameOf(c result.Case) Name {
	name := caseName(c.Name)
	if c.Machine != "" { // the same case on another machine is another row
		name.Params = append([]result.Param{{Name: "on", Value: c.Machine}}, name.Params...)
		name.Full += " on " + c.Machine
	}
	return name
}

// caseName is how rows name a case.
func caseName(full string) Name {
	id := result.ParseCaseID(full)
	name := Name{Kernel: id.Kernel, Params: id.Params, Full: full}
	if id.Row != "" {
		name.Params = []result.Param{{Value: id.Row}}
	}
	if id.Host {
		name.Params = append(name.Params, result.Param{Value: "host"})
	}
	return name
}

// sorted returns the cases worst news first, those of one kernel together. Within a verdict the order of the plan
// holds, since people think of sizes in order; only regressions go by how bad they are.
func sorted(cases []result.Case) []result.Case {
	out := slices.Clone(cases)
	slices.SortStableFunc(out, moreUrgent)
	place := map[string]int{}
	for i, c := range out {
		if _, seen := place[c.Kernel]; !seen {
			place[c.Kernel] = i
		}
	}
	slices.SortStableFunc(out, func(a, b result.Case) int { return cmp.Compare(place[a.Kernel], place[b.Kernel]) })
	return out
}

func moreUrgent(a, b result.Case) int {
	if n := cmp.Compare(urgency(a), urgency(b)); n != 0 || a.Verdict != result.Regression {
		return n
	}
	return cmp.Compare(ratio(b), ratio(a))
}

func urgency(c result.Case) int {
	if i := slices.Index(result.Verdicts, c.Verdict); i >= 0 {
		return i
	}
	return 0
}

func ratio(c result.Case) float64 {
	if c.Compared() == nil {
		return 0
	}
	return c.Compared().Ratio
}

// caseTable is the table that the report is about.
func caseTable(r *result.Result) Table {
	t := Table{First: "case", Brief: briefRows, Columns: []Column{
		{Key: "base", Title: "base", Unit: "ns", Align: Right, Priority: 2}, {Key: "head", Title: "head", Unit: "ns", Align: Right, Priority: 2},
		{Key: "change", Title: "change", Unit: "ratio", Align: Right, Bar: true}, {Key: "interval", Title: confidence(r) + " interval", Align: Right, Under: true},
		{Key: "delta", Title: "δ", Unit: "1", Align: Right, Priority: 3}, {Key: "mde", Title: "MDE", Unit: "ratio", Align: Right, Priority: 1},
		{Key: "verdict", Title: "verdict"},
	}}
	kernels, ranks := byName(r.Kernels), ranksOf(r.Cases)
	for _, c := range sorted(r.Cases) {
		row := caseRow(c, kernels[c.Kernel])
		row.Rank = ranks[row.Name.Full]
		t.Rows = append(t.Rows, row)
	}
	sayOnce(t.Rows)
	return t.compact()
}

// sayOnce leaves a reason that rows of a kernel share, one after the other, to the first of them.
func sayOnce(rows []Row) {
	said := Row{}
	for i, row := range rows {
		if row.Instead.Text != "" && row.Instead.Text == said.Instead.Text && row.Name.Kernel == said.Name.Kernel && row.Cells["verdict"].Text == said.Cells["verdict"].Text {
			rows[i].Instead.Text = "as above"
			continue
		}
		said = row
	}
}

// compact drops the columns of numbers if no row has any.
func (t Table) compact() Table {
	for _, row := range t.Rows {
		if row.Instead.Text == "" {
			return t
		}
	}
	t.Columns = []Column{{Key: "verdict", Title: "verdict"}, {Key: "reason"}}
	for i, row := range t.Rows {
		t.Rows[i].Cells["reason"], t.Rows[i].Instead = row.Instead, Cell{}
	}
	return t
}

func byName(kernels []result.Kernel) map[string]result.Kernel {
	out := make(map[string]result.Kernel, len(kernels))
	for _, k := range kernels {
		out[k.Name] = k
	}
	return out
}

// sureChanges are the verdicts of cases whose interval does not hold 0.
var sureChanges = []result.Verdict{result.Regression, result.Slower, result.Faster, result.Improvement}

func caseRow(c result.Case, k result.Kernel) Row {
	row := Row{Name: nameOf(c), Group: groupOf(c, k), Unchanged: c.Verdict == result.Same, Changed: slices.Contains(sureChanges, c.Verdict), Cells: Cells{}}
	row.Tone = verdictTone[c.Verdict]
	switch {
	case c.Compared() != nil:
		row.Cells = comparisonCells(c)
	case c.Base != nil || c.Head != nil:
		none := cell(blank, Quiet)
		row.Cells = Cells{"change": estimate(c), "interval": none, "delta": none, "mde": none}
	default:
		row.Instead = cell(unmeasured(c, k), Quiet)
	}
	if row.Instead.Text == "" {
		row.Cells["base"], row.Cells["head"] = medians(c)
	}
	row.Cells["verdict"] = cell(string(c.Verdict), verdictTone[c.Verdict])
	return row
}

// ranksOf orders cases by how much they matter: by their verdicts, and those of one verdict by how much slower they are.
func ranksOf(cases []result.Case) map[string]int {
	order := slices.Clone(cases)
	slices.SortStableFunc(order, func(a, b result.Case) int {
		return cmp.Or(cmp.Compare(urgency(a), urgency(b)), cmp.Compare(ratio(b), ratio(a)))
	})
	ranks := make(map[string]int, len(order))
	for i, c := range order {
		ranks[nameOf(c).Full] = i
	}
	return ranks
}

// groupOf is what a count says of cases that are not shown.
func groupOf(c result.Case, k result.Kernel) string {
	switch c.Verdict {
	case result.Same, result.Slower, result.Faster, result.Improvement:
		if c.Compared() == nil {
			return unmeasured(c, k)
		}
		return "within the tolerance"
	case result.Regression:
		return "slower than the tolerance allows"
	case result.Error:
		return "could not be measured"
	case result.Skipped:
		return "not timed"
	}
	return string(c.Verdict)
}

// estimate is the change of a case that has no bounds, where both sides have a time.
func estimate(c result.Case) Cell {
	if c.Base == nil || c.Head == nil || c.Base.MedianNS <= 0 {
		return cell(blank, Quiet)
	}
	return changeCell(c.Head.MedianNS/c.Base.MedianNS-1, 1, Quiet)
}

// unmeasured says in a few words why a row has no numbers.
func unmeasured(c result.Case, k result.Kernel) string {
	switch {
	case c.Verdict == result.Same && k.Status == result.KernelIdentical:
		return identicalWords([]result.Kernel{k}) + ", not timed"
	case c.Verdict == result.Error:
		return failure(c.ErrorSide)
	case c.Verdict == result.Skipped && k.Parity.Status == result.ParityFailed:
		return "wrong, so not timed"
	case c.Verdict == result.Skipped && failed(k.Head):
		return "head does not build"
	case c.Verdict == result.Skipped && failed(k.Base):
		return "base does not build"
	}
	return cmp.Or(Reason(c.Reason), "not timed")
}

// failure words an error by whose it is.
func failure(side result.Side) string {
	switch side {
	case result.SideHead:
		return "head failed"
	case result.SideBase:
		return "base failed, so head has nothing to be compared with"
	case result.SideBoth:
		return "base and head both failed"
	}
	return "could not be measured"
}

// medians are the times of both sides, in one unit where there are two.
func medians(c result.Case) (base, head Cell) {
	base, head = cell(blank, Plain), cell(blank, Plain)
	if c.Base != nil {
		base = timeCell(c.Base.MedianNS, Plain)
	}
	if c.Head != nil {
		head = timeCell(c.Head.MedianNS, Plain)
	}
	if c.Base != nil && c.Head != nil {
		base.Text, head.Text = durations(c.Base.MedianNS, c.Head.MedianNS)
	}
	return base, head
}

func comparisonCells(c result.Case) Cells {
	change, interval := changeOf(deciding(c))
	tone := verdictTone[c.Verdict]
	if tone == Warn {
		tone = Plain // the number is as good as any; it is the verdict that lacks
	}
	return Cells{
		"change": number(change, c.Compared().Ratio-1, tone), "interval": cell(interval, Plain),
		"delta": number(signedDelta(c.Compared().Delta), c.Compared().Delta/100, Plain), "mde": number(Percent(c.Compared().MDE), c.Compared().MDE, Plain),
	}
}

// deciding is the comparison of a case with the upper bound that its verdict went by: what passes has one of its own.
func deciding(c result.Case) *result.Comparison {
	if passes := c.Verdict == result.Same || c.Verdict == result.Slower; !passes || c.Compared().PassHigh == 0 {
		return c.Compared()
	}
	shown := *c.Compared()
	shown.High, shown.RatioHigh = c.Compared().PassHigh, math.Exp(c.Compared().PassHigh)
	return &shown
}

// largeRatio is from where a factor says more than a percentage.
const largeRatio = 10

// changeOf writes the change and its interval, both to the same places and no finer than the interval is wide.
func changeOf(c *result.Comparison) (change, interval string) {
	if c.Ratio >= largeRatio {
		n := decimals(c.RatioHigh)
		return digits(c.Ratio, n) + "x", digits(c.RatioLow, n) + "x … " + digits(c.RatioHigh, n) + "x"
	}
	n := 1
	switch half := (c.RatioHigh - c.RatioLow) / 2; {
	case c.Ratio >= 3:
		n = 0
	case half < 0.005:
		n = 2
	}
	return Change(c.Ratio-1, n), signed(c.RatioLow-1, n) + " … " + Change(c.RatioHigh-1, n)
}

// confidence is what the bounds hold with, over all cases and looks of the run.
func confidence(r *result.Result) string { return limit(r.Policy.Confidence) }
