package rule

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// A case is decided, concluded and replayed by its own tolerance, and its comparison says it.
func TestACaseIsDecidedByItsOwnTolerance(t *testing.T) {
	r := recorded(t, "regression")
	r.Policy.Tolerances = []result.CaseTolerance{{Cases: "**", Tolerance: 0.999}, {Cases: r.Cases[1].Name, Tolerance: 0.06}}
	redecided := Replay(r, r.Policy)
	for i, c := range redecided.Cases {
		if c.Compared().Tolerance != r.Policy.Of(c.Name).Tolerance {
			t.Errorf("%s was compared by %g", c.Name, c.Compared().Tolerance)
		}
		if (c.Verdict == result.Regression) != (i == 1) {
			t.Errorf("%s: %s", c.Name, c.Verdict)
		}
	}
	for _, f := range redecided.Conclusion.With(result.EffectFails) {
		if f.Kind == result.FindingRegression && (f.Case != r.Cases[1].Name || f.Limit != 0.06) {
			t.Errorf("%+v", f)
		}
	}
	if err := redecided.Err(); err == nil || !strings.Contains(err.Error(), "tolerance 99.9 %") {
		t.Errorf("what was decided by another tolerance is taken: %v", err)
	}
}

// What may be lost since the best-known level is one limit for all cases.
func TestCumulativePolicyHasOneTolerance(t *testing.T) {
	p := Default()
	p.Tolerances = []result.CaseTolerance{{Cases: "k", Tolerance: 0.5}}
	if got := CumulativePolicy(p, 0.05).Of("k/n=1").Tolerance; got != 0.05 {
		t.Errorf("%g", got)
	}
}
