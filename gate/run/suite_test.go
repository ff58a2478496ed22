package run

import (
	"slices"
	"testing"

	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
)

const suiteConfig = `
  - {name: a, adapter: a.pg.cc, params: {n: {values: [1, 2]}}}
  - {name: b, adapter: b.pg.cc, params: {n: {values: [1, 2]}}}
suite: {weights: {a: 2}, tolerance: 1%, trade: true, worst: 5%}
`

// The suite is of all cases: one that --kernel or --case chooses is asked nothing, so a part that got faster makes up for nothing. Its rounds know which
// weighted cases are the same code.
func TestSuiteIsOfTheWholePlan(t *testing.T) {
	c := parsed(t, suiteConfig)
	whole := planned(t, c)
	chosen, err := whole.Cases([]string{"a/n=1"}, nil)
	must(t, err)
	p := Policy(c, whole, 0, false)
	if p.Suite.Tolerance != 0.01 || p.Suite.Worst != 0.05 || !slices.Equal(p.Suite.Weights, []result.CaseWeight{{Cases: "a", Weight: 2}}) {
		t.Errorf("the whole plan: %+v", p.Suite)
	}
	for name, part := range map[string]*plan.Plan{"a kernel": planned(t, c, "a"), "a case": chosen} {
		if s := Policy(c, part, 0, false).Suite; s.Tolerance != 0 || s.Worst != 0 || s.Weights != nil {
			t.Errorf("%s: %+v", name, s)
		}
	}
	var o measure.Options
	(&measuring{policy: p}).keepSuite(&Measured{})(&o)
	if len(o.Also) != 1 {
		t.Errorf("%d rules keep the cases of a suite", len(o.Also))
	}
	c.Suite.Weights[0].Cases = "c/**"
	if _, err := plan.New(c, nil); err == nil {
		t.Error("a weight of no case is no error")
	}
}
