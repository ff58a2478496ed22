package rule

import (
	"math"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// Only a case that is slower itself, and beyond the limit for sure, fails for what was lost since the best-known level.
func TestConcludeCumulativeRegression(t *testing.T) {
	for _, c := range []struct {
		own, against result.Verdict
		exit         result.ExitCode
		kind         result.FindingKind
	}{
		{result.Slower, result.Regression, result.ExitFailed, result.FindingCumulativeRegression},
		{result.Slower, result.Slower, result.ExitPassed, ""},
		{result.Slower, result.Inconclusive, result.ExitPassed, ""},
		{result.Slower, result.Error, result.ExitPassed, ""},
		{result.Slower, "", result.ExitPassed, ""},
		{result.Same, result.Regression, result.ExitPassed, ""},
		{result.Faster, result.Regression, result.ExitPassed, ""},
		{result.Regression, result.Regression, result.ExitFailed, result.FindingRegression},
	} {
		o := verdict(c.own)
		o.Stored = &result.Stored{CumulativeLimit: 0.05}
		o.SetComparison(result.VariantHead, result.Variant{Role: result.RoleBestKnown}, &result.Comparison{Verdict: c.against, Theta: 0.08, Low: 0.07, High: 0.09})
		checkConclusion(t, Conclude([]result.Case{o}, nil, Default()), c.exit, c.kind)
		if t.Failed() {
			t.Fatalf("own %q, against the best-known level %q", c.own, c.against)
		}
	}
}

// Every limit that a configuration allows, 0 % to 100 %, makes a policy that decides.
func TestPolicyForCumulativeRegression(t *testing.T) {
	for limit, shift := range map[float64]float64{0: 0.001, 0.05: 0.06, 1: 0.8} {
		p := CumulativePolicy(Default(), limit)
		if err := p.Validate(); err != nil {
			t.Errorf("%v: %v", limit, err)
		}
		c := result.Comparison{Theta: shift, Low: shift - 1e-4, High: shift + 1e-4}
		if got := Decide(c, p, true); got != result.Regression {
			t.Errorf("limit %v, shift %v: %s", limit, shift, got)
		}
		c = result.Comparison{Theta: -math.Ln2, Low: -1, High: -0.5}
		if got := Decide(c, p, true); got == result.Regression {
			t.Errorf("limit %v: faster is %s", limit, got)
		}
	}
}
