package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// Outcomes of a test: how it did not succeed.
const (
	TestFailed  = "failure"
	TestError   = "error"
	TestSkipped = "skipped"
)

// Tests are a run as a table of tests, for what counts tests: one for the run, then for each kernel its parity and its cases, and what of head's
// change was not compared. The kernel of a row is its suite. A test succeeds, and has no outcome, where something was compared and nothing speaks
// against it. It fails with what fails the gate, is an error where the gate could not measure, and is skipped where nothing was compared. The time
// of a case is head's median, in seconds.
func Tests(r *result.Result, d Document) Table {
	t := Table{Title: "tests", First: "test", Columns: []Column{
		{Key: "outcome", Title: "outcome"}, {Key: "kind", Title: "kind"}, {Key: "message", Title: "message"},
		{Key: "time", Title: "time", Align: Right}, {Key: "output", Title: "output"},
	}}
	found, cases := map[about][]result.Finding{}, map[string][]result.Case{} // cases by kernel, as long as they have no rows
	r = withExcused(r)
	for _, c := range r.Cases {
		cases[c.Kernel] = append(cases[c.Kernel], c)
	}
	for _, f := range r.Conclusion.Findings {
		found[aboutFinding(f)] = append(found[aboutFinding(f)], f)
	}
	add := func(suite string, rows ...Row) {
		t.Rows = append(t.Rows, rows...)
		for _, f := range found[about{kernel: strings.TrimPrefix(suite, runSuite)}] {
			if f.Kind == result.FindingNotCompared || f.Kind == result.FindingMeaningChanged {
				row := newTest(suite, "comparison", "", nil)
				row.setOutcome(TestSkipped, string(f.Kind), Sentence(f))
				t.Rows = append(t.Rows, row)
			}
		}
	}
	add(runSuite, runTest(r, d, found[about{}]))
	for _, k := range r.Kernels {
		add(k.Name, append([]Row{parityTest(k, found[about{kernel: k.Name}])}, caseTests(cases[k.Name], found)...)...)
		delete(cases, k.Name)
	}
	for _, c := range r.Cases { // of kernels that only they name
		if of, left := cases[c.Kernel]; left {
			add(c.Kernel, caseTests(of, found)...)
			delete(cases, c.Kernel)
		}
	}
	return t
}

// runSuite is the suite of the run.
const runSuite = "perfgate"

// about is what a finding is about: a case on a machine, a kernel, or the run.
type about struct{ kernel, name, machine string }

func aboutFinding(f result.Finding) about {
	if f.Case == "" {
		return about{kernel: f.Kernel}
	}
	return about{name: f.Case, machine: f.Machine}
}

func aboutCase(c result.Case) about { return about{name: c.Name, machine: c.Machine} }

// newTest is a test whose outcome is the worst of what was found.
func newTest(suite, name, output string, found []result.Finding) Row {
	row := Row{Name: Name{Kernel: suite, Full: name}, Cells: Cells{"output": cell(output, Plain)}}
	outcomes := map[result.Effect]string{result.EffectFails: TestFailed, result.EffectUnmeasured: TestError}
	for _, f := range slices.SortedStableFunc(slices.Values(found), func(a, b result.Finding) int {
		return slices.Index(result.Effects, a.Effect) - slices.Index(result.Effects, b.Effect)
	}) {
		if outcome := either(f.IsExcused(), TestSkipped, outcomes[f.Effect]); outcome != "" {
			row.setOutcome(outcome, string(f.Kind), Sentence(f))
			break
		}
	}
	return row
}

func (r *Row) setOutcome(outcome, kind, message string) {
	r.Cells["outcome"], r.Cells["kind"], r.Cells["message"] = cell(outcome, Plain), cell(kind, Plain), cell(message, Plain)
}

// runTest is the run: it has the verdict, so that a dashboard that shows only this test shows the answer.
func runTest(r *result.Result, d Document, found []result.Finding) Row {
	answer := d.Verdict + ": " + PlainText(d.Headline)
	row := newTest(runSuite, "run", answer, found)
	row.Cells["time"] = secondsCell(r.Timings.TotalS, Plain)
	outcome := row.Cells["outcome"].Text
	switch {
	case r.Conclusion.Verdict == result.RunFailed && outcome != TestFailed:
		row.setOutcome(TestFailed, string(r.Conclusion.Verdict), answer)
	case r.Conclusion.Verdict != result.RunPassed && outcome != TestFailed && outcome != TestError:
		row.setOutcome(TestError, string(r.Conclusion.Verdict), answer)
	}
	return row
}

// parityTest says whether a kernel is right, and what else concerns all of it.
func parityTest(k result.Kernel, found []result.Finding) Row {
	output := ""
	if !k.Skipped {
		c := check(k)
		output = c.Label + ": " + PlainText(c.Text)
	}
	row := newTest(k.Name, "parity", output, found)
	if row.Cells["outcome"].Text == "" && k.Parity.Status != result.ParityPassed {
		row.setOutcome(TestSkipped, cmp.Or(string(k.Parity.Status), "not-run"), "parity was not checked")
	}
	return row
}

func caseTests(cases []result.Case, found map[about][]result.Finding) []Row {
	var out []Row
	for _, c := range cases {
		output := verdictText(c)
		if q := c.Compared(); q != nil {
			output += ": " + shifted(shiftOf(q))
		}
		row := newTest(c.Kernel, result.ParseCaseID(c.Name).Short()+either(c.Machine != "", " on "+c.Machine, ""), output, found[aboutCase(c)])
		if c.Head != nil && c.Head.MedianNS > 0 {
			row.Cells["time"] = number(text.Duration(c.Head.MedianNS), c.Head.MedianNS/1e9, Plain)
		}
		if row.Cells["outcome"].Text == "" && groups[c.Verdict] != groups[result.Same] {
			row.setOutcome(TestSkipped, string(c.Verdict), cmp.Or(Reason(c.Reason), "not compared"))
		}
		out = append(out, row)
	}
	return out
}

// Values are the cases of a run as a table of raw numbers: times in ns, ratios of head over base with the bounds of the run's confidence,
// and the minimum detectable effect as a fraction. What is not known has no cell.
func Values(r *result.Result) Table {
	mde := statedMDE(r)
	known := func(x float64) float64 { return either(x == 0, math.NaN(), x) }
	side := func(key string, of func(result.Case) *result.Summary, value func(result.Summary) float64) column[result.Case] {
		return rawIn(key, func(c result.Case) float64 { return known(value(*cmp.Or(of(c), &result.Summary{}))) })
	}
	base, head := func(c result.Case) *result.Summary { return c.Base }, func(c result.Case) *result.Summary { return c.Head }
	median, cv := func(s result.Summary) float64 { return s.MedianNS }, func(s result.Summary) float64 { return s.ProcessCV }
	compared := func(key string, of func(result.Case, result.Comparison) float64) column[result.Case] {
		return rawIn(key, func(c result.Case) float64 {
			if q := c.Compared(); q != nil {
				return of(c, *q)
			}
			return math.NaN()
		})
	}
	t := tableBy("case", r.Cases, func(_ int, c result.Case) Row { return Row{Name: nameOf(c)} },
		keyIn("machine", func(c result.Case) string { return cmp.Or(c.Machine, r.Machine.Model) }),
		keyIn("kernel", func(c result.Case) string { return c.Kernel }),
		keyIn("case", func(c result.Case) string { return c.Name }),
		keyIn("verdict", func(c result.Case) string { return string(c.Verdict) }),
		side("base_ns", base, median), side("head_ns", head, median),
		compared("ratio", func(_ result.Case, q result.Comparison) float64 { return known(q.Ratio) }),
		compared("ratio_low", func(_ result.Case, q result.Comparison) float64 { return known(q.RatioLow) }),
		compared("ratio_high", func(_ result.Case, q result.Comparison) float64 { return known(q.RatioHigh) }),
		compared("cliffs_delta", func(_ result.Case, q result.Comparison) float64 { return q.Delta }),
		compared("mde", func(c result.Case, _ result.Comparison) float64 { return known(max(0, mde(c))) }),
		compared("rounds", func(_ result.Case, q result.Comparison) float64 { return float64(q.Rounds) }),
		side("base_cv", base, cv), side("head_cv", head, cv),
		keyIn("reason", func(c result.Case) string { return Reason(c.Reason) }))
	t.Title = "values"
	return t
}
