package report

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

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
