package gate

import (
	"math"
	"testing"
)

// Only a case that is slower itself, and beyond the limit for sure, fails for what was lost since the best-known level.
func TestConcludeCreep(t *testing.T) {
	for _, c := range []struct {
		own, against Verdict
		exit         ExitCode
		says         string
	}{
		{Slower, Regression, ExitFailed, "best-known level"},
		{Slower, Slower, ExitPassed, ""},
		{Slower, Inconclusive, ExitPassed, ""},
		{Slower, Error, ExitPassed, ""},
		{Slower, "", ExitPassed, ""},
		{Same, Regression, ExitPassed, ""},
		{Faster, Regression, ExitPassed, ""},
		{Regression, Regression, ExitFailed, "regression"},
	} {
		o := verdict(c.own)
		o.Creep = &Creep{Limit: 0.05, Verdict: c.against, Comparison: &Comparison{Theta: 0.08, Low: 0.07, High: 0.09}}
		checkConclusion(t, Conclude([]CaseOutcome{o}, nil, Default()), c.exit, c.says)
		if t.Failed() {
			t.Fatalf("own %q, against the best-known level %q", c.own, c.against)
		}
	}
}

// Every limit that a configuration allows, 0 % to 100 %, makes a policy that decides.
func TestPolicyForCreep(t *testing.T) {
	for limit, shift := range map[float64]float64{0: 0.001, 0.05: 0.06, 1: 0.8} {
		p := Default().ForCreep(limit)
		if err := p.Validate(); err != nil {
			t.Errorf("%v: %v", limit, err)
		}
		c := Comparison{Theta: shift, Low: shift - 1e-4, High: shift + 1e-4}
		if got := Decide(c, p, true); got != Regression {
			t.Errorf("limit %v, shift %v: %s", limit, shift, got)
		}
		c = Comparison{Theta: -math.Ln2, Low: -1, High: -0.5}
		if got := Decide(c, p, true); got == Regression {
			t.Errorf("limit %v: faster is %s", limit, got)
		}
	}
}
