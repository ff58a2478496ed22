package report

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// A waiver that held is named with whose it is, until when and why, and a run that passes by one begins with it. One that is of no use is said, too.
func TestWaiversAreSaid(t *testing.T) {
	r := load(t, "regression")
	slow := slices.IndexFunc(r.Cases, func(c result.Case) bool { return c.Verdict == result.Regression })
	r.Policy.Day = "2027-01-30"
	r.Policy.Waivers = []result.Waiver{{Cases: r.Cases[slow].Name, Reason: "driver 580, #1234", Owner: "@kernels", Until: "2027-01-31"},
		{Cases: "gone", Reason: "x", Owner: "@others", Until: "2027-01-31"}, {Cases: "old", Reason: "x", Owner: "@others", Until: "2027-01-29"}}
	r.Conclusion = rule.Conclude(r.Cases, r.Kernels, r.Policy)
	d := New(r)
	said := PlainText(d.Headline)
	for _, b := range d.Blocks {
		for _, item := range b.List {
			said += "\n" + b.Key + ": " + PlainText(item.Text)
		}
	}
	for _, want := range []string{
		"waivers: waiver of @kernels until 2027-01-31 for " + r.Cases[slow].Name + " (1 case, however slow): driver 580, #1234",
		"the waiver of @others for gone matches no case", "the waiver of @others for old ended on 2027-01-29",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said:\n%s", want, said)
		}
	}
	r.Conclusion = rule.Accept(r.Conclusion, func(result.Finding) bool { return true }) // of what else is wrong
	if headline := PlainText(New(r).Headline); r.Conclusion.Exit != result.ExitPassed || !strings.Contains(headline, "1 regression waived by @kernels: ") {
		t.Error(headline)
	}
}

// A case that passed all the same reads as what it is in every table, and is no regression of a run that fails by another case, however much slower it is.
func TestExcusedCasesAreNoRegressions(t *testing.T) {
	t.Parallel()
	r := load(t, "regression")
	slow := slices.DeleteFunc(slices.Clone(r.Conclusion.Findings), func(f result.Finding) bool { return f.Kind != result.FindingRegression })
	if len(slow) < 2 {
		t.Fatalf("%d regressions", len(slow))
	}
	worst := slices.MaxFunc(slow, func(a, b result.Finding) int { return cmp.Compare(a.Shift.Ratio, b.Shift.Ratio) })
	for _, effect := range result.Excused {
		for i, f := range r.Conclusion.Findings {
			if f.Case == worst.Case {
				r.Conclusion.Findings[i].Effect = effect
			}
		}
		d := New(r)
		headline := PlainText(d.Headline)
		for _, b := range d.Blocks {
			headline += "\n" + PlainText(append(Text{}, slices.Concat(textsOf(b.List)...)...))
		}
		if d.Verdict != "FAIL" || strings.HasPrefix(headline, worst.Case) || len(slow) == 2 && strings.Contains(headline, "regressed as well") || !strings.Contains(headline, "; "+string(effect)) {
			t.Errorf("%s: %s", effect, headline)
		}
		row := rowOf(t, caseTable(withExcused(r)), worst.Case)
		if c := row.Cells["verdict"]; c.Text != string(effect) || c.Tone != Warn || row.Cells["change"].Tone == Bad {
			t.Errorf("%s: %+v", effect, row.Cells)
		}
		test := rowOf(t, Tests(r, d), result.ParseCaseID(worst.Case).Short())
		if test.Cells["outcome"].Text != TestSkipped || !strings.HasSuffix(test.Cells["message"].Text, "; "+string(effect)) || !strings.HasPrefix(test.Cells["output"].Text, string(effect)) {
			t.Errorf("%s: %+v", effect, test.Cells)
		}
	}
}

func textsOf(items []Item) (out []Text) {
	for _, i := range items {
		out = append(out, i.Text)
	}
	return out
}

func rowOf(t *testing.T, table Table, name string) Row {
	t.Helper()
	i := slices.IndexFunc(table.Rows, func(r Row) bool { return r.Name.Full == name })
	if i < 0 {
		t.Fatalf("no row %s", name)
	}
	return table.Rows[i]
}
