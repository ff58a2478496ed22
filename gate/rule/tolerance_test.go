package rule

import (
	"slices"
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
		if c.Compared().Tolerance != r.Policy.OfCase(c).Tolerance {
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

// A floor turns the margin of both sides of the decision, is saved with the comparison, and is decided again from base's first processes:
// what a calibration is said to have taken turns nothing.
func TestACaseIsDecidedByItsFloor(t *testing.T) {
	r := recorded(t, "regression")
	c := &r.Cases[1]
	for name, tt := range map[string]struct {
		floor, method float64 // of what base takes, and of its calibrated time
		red           bool
		differs       string
	}{
		"above what was lost":      {0.95, 1, false, "tolerance 94.99"},
		"below what was lost":      {0.3, 1, true, "tolerance 30 %"},
		"none":                     {0, 1, true, "tolerance 6 %"},
		"of a time that is forged": {0.3, 0.1, true, "tolerance 30 %"},
	} {
		method := *c.Method
		one := *r
		one.Cases = slices.Clone(r.Cases)
		one.Cases[1].Method = &method
		one.Policy.Tolerances = []result.CaseTolerance{{Cases: c.Name, Tolerance: 0.06, FloorNS: tt.floor * c.FloorTimeNS()}}
		method.LaunchNS *= tt.method
		redecided := Replay(&one, one.Policy)
		if red := redecided.Cases[1].Verdict == result.Regression; red != tt.red {
			t.Errorf("%s: %s", name, redecided.Cases[1].Verdict)
		}
		said := ""
		for _, d := range redecided.Differences {
			said += d.String()
		}
		if !strings.Contains(said, tt.differs) {
			t.Errorf("%s: %s", name, said)
		}
	}
}

// What may be lost since the best-known level is one limit for all cases.
func TestCumulativePolicyHasOneTolerance(t *testing.T) {
	p := Default()
	p.Tolerances = []result.CaseTolerance{{Cases: "k", Tolerance: 0.5}, {Cases: "k/n=2", Tolerance: 0.01, FloorNS: 100}}
	if got := CumulativePolicy(p, 0.05).Of("k/n=2", 1000).Tolerance; got != 0.1 {
		t.Errorf("with a floor: %g", got)
	}
	if got := CumulativePolicy(p, 0.05).Of("k/n=1", 1000).Tolerance; got != 0.05 {
		t.Errorf("%g", got)
	}
}
