package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// Outcomes of a test: how it did not succeed.
const (
	TestFailed  = "failure"
	TestError   = "error"
	TestSkipped = "skipped"
)

// Tests are a run as a table of tests, for what counts tests: one for the run, then for each kernel its parity and its cases. The kernel of
// a row is its suite. A test succeeds, and has no outcome, where something was compared and nothing speaks against it. It fails with what
// fails the gate, is an error where the gate could not measure, and is skipped where nothing was compared. The time of a case is head's
// median, in seconds.
func Tests(r *result.Result, d Document) Table {
	t := Table{Title: "tests", First: "test", Columns: []Column{
		{Key: "outcome", Title: "outcome"}, {Key: "kind", Title: "kind"}, {Key: "message", Title: "message"},
		{Key: "time", Title: "time", Unit: "s", Align: Right}, {Key: "output", Title: "output"},
	}}
	t.Rows = append(t.Rows, runTest(r, d))
	for _, kernel := range testedKernels(r) {
		for _, k := range r.Kernels {
			if k.Name == kernel {
				t.Rows = append(t.Rows, parityTest(r, k))
			}
		}
		for _, c := range r.Cases {
			if c.Kernel == kernel {
				t.Rows = append(t.Rows, caseTest(r, c))
			}
		}
	}
	return t
}

// testedKernels are the kernels of the run, and those that only a case names.
func testedKernels(r *result.Result) []string {
	var out []string
	for _, k := range r.Kernels {
		out = append(out, k.Name)
	}
	for _, c := range r.Cases {
		if !slices.Contains(out, c.Kernel) {
			out = append(out, c.Kernel)
		}
	}
	return out
}

// newTest is a test whose outcome is the worst of what was found.
func newTest(r *result.Result, suite, name, output string, about func(result.Finding) bool) Row {
	row := Row{Name: Name{Kernel: suite, Full: name}, Cells: Cells{"output": cell(output, Plain)}}
	outcomes := map[result.Effect]string{result.EffectFails: TestFailed, result.EffectUnmeasured: TestError, result.EffectAccepted: TestSkipped}
	for _, effect := range result.Effects {
		for _, f := range r.Conclusion.Findings {
			if f.Effect == effect && about(f) && outcomes[effect] != "" && row.Cells["outcome"].Text == "" {
				row.setOutcome(outcomes[effect], string(f.Kind), Sentence(f))
			}
		}
	}
	return row
}

func (r *Row) setOutcome(outcome, kind, message string) {
	r.Cells["outcome"], r.Cells["kind"], r.Cells["message"] = cell(outcome, Plain), cell(kind, Plain), cell(message, Plain)
}

// runTest is the run: it has the verdict, so that a dashboard that shows only this test shows the answer.
func runTest(r *result.Result, d Document) Row {
	answer := d.Verdict + ": " + PlainText(d.Headline)
	row := newTest(r, "perfgate", "run", answer, func(f result.Finding) bool { return f.Kernel == "" && f.Case == "" })
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
func parityTest(r *result.Result, k result.Kernel) Row {
	output := ""
	if !k.Skipped {
		c := check(k)
		output = c.Status + ": " + PlainText(c.Text)
	}
	row := newTest(r, k.Name, "parity", output, func(f result.Finding) bool { return f.Kernel == k.Name && f.Case == "" })
	if row.Cells["outcome"].Text == "" && k.Parity.Status != result.ParityPassed {
		row.setOutcome(TestSkipped, cmp.Or(string(k.Parity.Status), "not-run"), "parity was not checked")
	}
	return row
}

func caseTest(r *result.Result, c result.Case) Row {
	name := result.ParseCaseID(c.Name).Short()
	if c.Machine != "" {
		name += " on " + c.Machine
	}
	output := string(c.Verdict)
	if q := c.Compared(); q != nil {
		output += fmt.Sprintf(": %s (%s to %s)", Change(q.Ratio-1, 2), Change(q.RatioLow-1, 2), Change(q.RatioHigh-1, 2))
	}
	row := newTest(r, c.Kernel, name, output, func(f result.Finding) bool { return f.About(c) })
	if c.Head != nil && c.Head.MedianNS > 0 {
		row.Cells["time"] = number(Duration(c.Head.MedianNS), c.Head.MedianNS/1e9, Plain)
	}
	compared := []result.Verdict{result.Same, result.Slower, result.Faster, result.Improvement}
	if row.Cells["outcome"].Text == "" && !slices.Contains(compared, c.Verdict) {
		row.setOutcome(TestSkipped, string(c.Verdict), cmp.Or(Reason(c.Reason), "not compared"))
	}
	return row
}

// Values are the cases of a run as a table of raw numbers: times in ns, ratios of head over base with the bounds of the run's confidence,
// and the minimum detectable effect as a fraction. What is not known has no cell.
func Values(r *result.Result) Table {
	t := Table{Title: "values", Columns: []Column{
		{Key: "machine"}, {Key: "kernel"}, {Key: "case"}, {Key: "verdict"}, {Key: "base_ns", Unit: "ns"}, {Key: "head_ns", Unit: "ns"}, {Key: "ratio", Unit: "ratio"},
		{Key: "ratio_low", Unit: "ratio"}, {Key: "ratio_high", Unit: "ratio"}, {Key: "cliffs_delta", Unit: "1"}, {Key: "mde", Unit: "ratio"}, {Key: "rounds", Unit: "1"},
		{Key: "base_cv", Unit: "ratio"}, {Key: "head_cv", Unit: "ratio"}, {Key: "reason"},
	}}
	for _, c := range r.Cases {
		row := Row{Name: nameOf(c), Cells: Cells{
			"machine": cell(cmp.Or(c.Machine, r.Machine.Model), Plain), "kernel": cell(c.Kernel, Plain), "case": cell(c.Name, Plain),
			"verdict": cell(string(c.Verdict), Plain), "reason": cell(Reason(c.Reason), Plain),
		}}
		put := func(key string, x float64) {
			if x != 0 {
				row.Cells[key] = number(Number(x), x, Plain)
			}
		}
		if c.Base != nil {
			put("base_ns", c.Base.MedianNS)
			put("base_cv", c.Base.ProcessCV)
		}
		if c.Head != nil {
			put("head_ns", c.Head.MedianNS)
			put("head_cv", c.Head.ProcessCV)
		}
		if q := c.Compared(); q != nil {
			put("ratio", q.Ratio)
			put("ratio_low", q.RatioLow)
			put("ratio_high", q.RatioHigh)
			put("mde", q.MDE)
			row.Cells["rounds"] = countCell(q.Rounds, Plain)
			row.Cells["cliffs_delta"] = number(signedDelta(q.Delta), q.Delta, Plain)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
