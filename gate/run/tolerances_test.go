package run

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/repo"
)

// The policy has the tolerances of cases, before anything is measured. Of a benchmark's rows the report says which tolerance is of none.
func TestTolerancesOfRows(t *testing.T) {
	t.Parallel()
	c := parsed(t, "  - {name: b, bench: {command: ./b, format: csv}}\ntolerances: [{cases: b/sum, tolerance: 3%}, {cases: b/copy, tolerance: 4%}]\n")
	whole := planned(t, c)
	p := Policy(c, whole, 1, false)
	if p.Of("b/sum", 0).Tolerance != 0.03 || p.Of("b/copy", 0).Tolerance != 0.04 || p.Of("b/x", 0).Tolerance != c.Gate.Tolerance {
		t.Errorf("%+v", p)
	}
	f := &finding{opt: Question{Trusted: repo.Trusted{Config: c}}}
	found := whole.Found(map[string][]string{"b": {"sum"}})
	if notes := f.unusedTolerances(found); len(notes) != 1 || !strings.Contains(notes[0], `no timed case matches "b/copy"`) {
		t.Errorf("%q", notes)
	}
	f.opt.Cases = []string{"b/sum"}
	if notes := f.unusedTolerances(found); len(notes) != 0 {
		t.Errorf("what this run leaves out: %q", notes)
	}
}
