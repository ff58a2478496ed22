package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// verdictTone colours a verdict.
var verdictTone = map[result.Verdict]Tone{
	result.Regression: Bad, result.Error: Warn, result.Inconclusive: Warn, result.Undecided: Warn, result.Skipped: Warn,
	result.Faster: Plain, result.Improvement: Good,
	result.Verdict(result.EffectAccepted): Warn, result.Verdict(result.EffectWaived): Warn, result.Verdict(result.EffectTraded): Warn,
}

// isExcused says whether a case was slower than its tolerance, or inconclusive, and passed all the same: see withExcused.
func isExcused(c result.Case) bool { return slices.Contains(result.Excused, result.Effect(c.Verdict)) }

// withExcused is a result in which each case that passed all the same has what let it pass in the place of its verdict: accepted, waived or traded. All of a
// report goes by it, so that no table, figure or count takes such a case for one that fails.
func withExcused(r *result.Result) *result.Result {
	out := *r
	out.Cases = slices.Clone(r.Cases)
	for i, c := range out.Cases {
		for _, f := range r.Conclusion.Findings {
			if f.IsExcused() && f.Competitor == "" && f.About(c) && (c.Verdict == result.Regression || c.Verdict == result.Inconclusive) {
				out.Cases[i].Verdict = result.Verdict(f.Effect)
			}
		}
	}
	return &out
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
	slices.SortStableFunc(out, func(a, b result.Case) int {
		if n := cmp.Compare(urgency(a), urgency(b)); n != 0 || a.Verdict != result.Regression {
			return n
		}
		return cmp.Compare(ratio(b), ratio(a))
	})
	return slices.Concat(grouped(out, func(c result.Case) string { return c.Kernel })...)
}

func urgency(c result.Case) int {
	if isExcused(c) {
		return slices.Index(result.Verdicts, result.Slower)
	}
	return max(0, slices.Index(result.Verdicts, c.Verdict))
}

func ratio(c result.Case) float64 {
	if c.Compared() == nil {
		return 0
	}
	return c.Compared().Ratio
}

// caseTable is the table that the report is about.
func caseTable(r *result.Result) Table {
	kernels, ranks, mde := byName(r.Kernels), ranksOf(r.Cases), statedMDE(r)
	// of is a column of what a comparison says: a case without one has nothing there, or an estimate.
	of := func(say func(q *result.Comparison) Cell) func(result.Case) Cell {
		return func(c result.Case) Cell {
			if c.Compared() == nil {
				return cell(text.Blank, Quiet)
			}
			return say(deciding(c))
		}
	}
	change := numbersIn("change", "change", 0, changeIn)
	change.Bar = true
	_, interval := shiftIn("change", "change", 0, asChange, decidingShift)
	interval.Title, interval.Under = confidence(r)+" interval", true
	t := tableBy("case", sorted(r.Cases), func(_ int, c result.Case) Row { return caseRow(c, kernels[c.Kernel], ranks[nameOf(c).Full]) },
		numbersIn("base", "base", 2, func(c result.Case) Cell { base, _ := medians(c); return base }),
		numbersIn("head", "head", 2, func(c result.Case) Cell { _, head := medians(c); return head }),
		change, interval,
		numbersIn("delta", "δ", 3, of(func(q *result.Comparison) Cell { return number(text.SignedDelta(q.Delta), q.Delta/100, Plain) })),
		numbersIn("mde", "MDE", 1, func(c result.Case) Cell {
			return of(func(*result.Comparison) Cell {
				if x := mde(c); x > 0 {
					return number(text.Percent(x), x, Plain)
				}
				return cell("not stated", Quiet)
			})(c)
		}),
		column[result.Case]{Column{Key: "verdict", Title: "verdict"}, verdictIn})
	t.Brief = briefRows
	sayOnce(t.Rows)
	return t.compact().drawnOver(caseForest(r))
}

// statedMDE is the minimum detectable effect that a run states of a case: 0 where it has none, or where the noise of its machine is unsteady. All that is
// said of what a run could have seen takes it from here, or from a finding.
func statedMDE(r *result.Result) func(result.Case) float64 {
	unsteady := map[string]bool{}
	for _, f := range ofKinds(r, result.FindingUnsteady) {
		unsteady[f.Machine] = true
	}
	return func(c result.Case) float64 {
		if c.Compared() == nil || unsteady[c.Machine] {
			return 0
		}
		return c.Compared().MDE
	}
}

func verdictIn(c result.Case) Cell { return cell(verdictText(c), verdictTone[c.Verdict]) }

// verdictText is the verdict of a case, or what says more of one that is new by its meaning.
func verdictText(c result.Case) string {
	return either(c.Verdict == result.New && c.Reason.Is(result.ReasonEpoch), "meaning changed", string(c.Verdict))
}

// changeIn is the change of a case; of one that has no bounds an estimate, where both sides have a time.
func changeIn(c result.Case) Cell {
	switch {
	case c.Compared() != nil:
		change, _ := changeOf(shiftOf(deciding(c)))
		tone := verdictTone[c.Verdict]
		if tone == Warn {
			tone = Plain // the number is as good as any; it is the verdict that lacks
		}
		return number(change, c.Compared().Ratio-1, tone)
	case c.Base == nil || c.Head == nil || c.Base.MedianNS <= 0:
		return cell(text.Blank, Quiet)
	}
	return changeCell(c.Head.MedianNS/c.Base.MedianNS-1, Quiet)
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

func caseRow(c result.Case, k result.Kernel, rank int) Row {
	row := Row{Name: nameOf(c), Rank: rank, Group: groupOf(c, k),
		Unchanged: c.Verdict == result.Same, Changed: slices.Contains(sureChanges, c.Verdict)}
	row.Drawn = drawnShift(row.Name.Full, decidingShift(c), Style(c.Verdict))
	if c.Compared() == nil && c.Base == nil && c.Head == nil {
		row.Instead, row.Cells = cell(unmeasured(c, k), Quiet), Cells{"verdict": verdictIn(c)}
	}
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

// groups are what a count says of cases that are not shown, where it is not their verdict.
var groups = map[result.Verdict]string{
	result.Same: "within the tolerance", result.Slower: "within the tolerance", result.Faster: "within the tolerance", result.Improvement: "within the tolerance",
	result.Regression: "slower than the tolerance allows", result.Error: "could not be measured", result.Skipped: "not timed",
}

func groupOf(c result.Case, k result.Kernel) string {
	if c.Compared() == nil && groups[c.Verdict] == groups[result.Same] {
		return unmeasured(c, k)
	}
	return cmp.Or(groups[c.Verdict], string(c.Verdict))
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

// failures word an error by whose it is.
var failures = map[result.Side]string{
	result.SideHead: "head failed", result.SideBase: "base failed, so head has nothing to be compared with", result.SideBoth: "base and head both failed",
}

func failure(side result.Side) string { return cmp.Or(failures[side], "could not be measured") }

// medians are the times of both sides, in one unit where there are two.
func medians(c result.Case) (base, head Cell) {
	base, head = cell(text.Blank, Plain), cell(text.Blank, Plain)
	if c.Base != nil {
		base = timeCell(c.Base.MedianNS)
	}
	if c.Head != nil {
		head = timeCell(c.Head.MedianNS)
	}
	if c.Base != nil && c.Head != nil {
		base.Text, head.Text = text.Durations(c.Base.MedianNS, c.Head.MedianNS)
	}
	return base, head
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

// decidingShift is that of the comparison that a verdict went by; nil of a case without one.
func decidingShift(c result.Case) *result.Shift {
	if c.Compared() == nil {
		return nil
	}
	return result.ShiftOf(deciding(c))
}

// largeRatio is from where a factor says more than a percentage.
const largeRatio = 10

// shiftOf is the shift that a comparison found.
func shiftOf(c *result.Comparison) result.Shift {
	return *result.ShiftOf(c)
}

// shiftOfLogs is a shift that is known by logarithms.
func shiftOfLogs(theta, low, high float64) result.Shift {
	return result.Shift{Ratio: math.Exp(theta), Low: math.Exp(low), High: math.Exp(high)}
}

// changeOf writes a change and its interval, both to the same places and no finer than the interval is wide.
func changeOf(s result.Shift) (change, interval string) {
	if s.Ratio >= largeRatio {
		n := text.Decimals(s.High)
		return text.Digits(s.Ratio, n) + "x", text.Digits(s.Low, n) + "x … " + text.Digits(s.High, n) + "x"
	}
	n := 1
	switch half := (s.High - s.Low) / 2; {
	case s.Ratio >= 3:
		n = 0
	case half < 0.005:
		n = 2
	}
	return text.Change(s.Ratio-1, n), text.Signed(s.Low-1, n) + " … " + text.Change(s.High-1, n)
}

// shifted is a change with its interval, as every sentence has it.
func shifted(s result.Shift) string {
	change, interval := changeOf(s)
	return change + " (" + interval + ")"
}

// confidence is what the bounds hold with, over all cases and looks of the run.
func confidence(r *result.Result) string { return text.Limit(r.Policy.Confidence) }
