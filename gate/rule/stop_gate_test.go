package rule_test

import (
	"math/rand/v2"
	"testing"

	"github.com/org/perfgate/gate/internal/ruletest"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// Rounds end for each case by its own tolerance.
func TestRoundsEndByTheToleranceOfTheCase(t *testing.T) {
	t.Parallel()
	p := rule.Default()
	p.Tolerances = []result.CaseTolerance{{Cases: "k/n=2", Tolerance: 0.2}}
	var cases []*result.Case
	for _, n := range []string{"1", "2"} {
		c, err := ruletest.Measured(n, rand.New(rand.NewPCG(1, 2)), 0.001, 0.05, p.WithTolerance(0.015))
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, &result.Case{Name: c.Name, Method: c.Method, Processes: c.Processes, Verdict: result.Undecided})
	}
	if _, err := rule.NewGate(p).Look(rule.ScheduleOf(p).Looks()[0], cases); err != nil {
		t.Fatal(err)
	}
	if cases[0].Verdict != result.Regression || cases[1].Verdict != result.Slower || cases[1].Compared().Tolerance != 0.2 {
		t.Errorf("%s and %s, by %g", cases[0].Verdict, cases[1].Verdict, cases[1].Compared().Tolerance)
	}
}
