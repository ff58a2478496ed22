package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// passing is a run that passes with one case for each comparison and verdict.
func passing(cases ...result.Case) *result.Result {
	r := &result.Result{Policy: result.Policy{Tolerance: 0.08, Improvement: 0.1, Confidence: 0.99, OnInconclusive: result.OnInconclusivePass, Cases: len(cases)}}
	r.Conclusion.Verdict = result.RunPassed
	for i, c := range cases {
		c.Kernel, c.Name = "k", fmt.Sprintf("k/n=%d", i)
		r.Cases = append(r.Cases, c)
	}
	return r
}

// bounds is a compared case: its lower, estimated, passing and upper change.
func bounds(v result.Verdict, low, estimate, pass, high float64) result.Case {
	c := &result.Comparison{Rounds: 4, Theta: math.Log1p(estimate), Low: math.Log1p(low), High: math.Log1p(high), PassHigh: math.Log1p(pass), MDE: 0.21}
	c.Ratio, c.RatioLow, c.RatioHigh = 1+estimate, 1+low, 1+high
	return result.Case{Verdict: v, Comparisons: result.HeadToBase(c), Base: &result.Summary{MedianNS: 100}, Head: &result.Summary{MedianNS: 100 * (1 + estimate)}}
}

// The headline of a pass has one number for what is excluded: the largest of the upper bounds by which the cases passed. What passed by
// policy is said and excludes nothing.
func TestPassSaysTheBoundThatHolds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		run       *result.Result
		says, not []string
	}{
		"one that lost nearly all that is allowed": {
			passing(bounds(result.Slower, 0.061, 0.069, 0.0771, 0.0795)),
			[]string{"1 case: not slower by more than 7.7 % (99 % confidence, tolerance 8 %)"}, []string{"21 %", "inconclusive"},
		},
		"the worst of three": {
			passing(bounds(result.Same, -0.01, 0.004, 0.012, 0.015), bounds(result.Same, -0.02, 0.01, 0.034, 0.05), bounds(result.Faster, -0.05, -0.03, -0.011, -0.01)),
			[]string{"3 cases: none slower by more than 3.4 % (99 % confidence, tolerance 8 %)"}, nil,
		},
		"all faster": {
			passing(bounds(result.Faster, -0.05, -0.03, -0.011, -0.01), bounds(result.Improvement, -0.5, -0.4, -0.31, -0.3)),
			[]string{"2 cases: none slower (99 % confidence, tolerance 8 %)"}, []string{"by more than"},
		},
		"a bound that shows no digit": {
			passing(bounds(result.Same, -0.03, -0.015, 0.0003, 0.0004)), []string{"not slower by more than 0.03 %"}, nil,
		},
		"one by its bound, one by policy": {
			passing(bounds(result.Same, -0.01, 0.004, 0.012, 0.015), bounds(result.Inconclusive, -0.02, 0.02, 0.11, 0.13)),
			[]string{"1 of 2 cases: not slower by more than 1.2 %", "1 case inconclusive, passed by policy (on-inconclusive: pass): up to 13.0 % slower is not excluded"}, nil,
		},
		"two by their bounds, one by policy": {
			passing(bounds(result.Same, -0.01, 0.004, 0.012, 0.015), bounds(result.Same, -0.01, 0.004, 0.02, 0.025), bounds(result.Inconclusive, -0.02, 0.02, 0.11, 0.13)),
			[]string{"2 of 3 cases: none slower by more than 2.0 % (99 % confidence for each case, tolerance 8 %)"}, nil,
		},
		"all by policy": {
			passing(bounds(result.Inconclusive, -0.02, 0.02, 0.11, 0.13), bounds(result.Inconclusive, -0.02, 0.02, 0.09, 0.1)),
			[]string{"2 cases inconclusive, passed by policy (on-inconclusive: pass): up to 13.0 % slower is not excluded"}, []string{"none slower", "confidence"},
		},
	} {
		d := New(c.run)
		for surface, text := range map[string]string{"document": flat(d)} {
			headline, _, _ := strings.Cut(text, " case base ")
			for _, want := range c.says {
				if !strings.Contains(headline, want) {
					t.Errorf("%s, %s: no %q in\n%s", name, surface, want, headline)
				}
			}
			for _, no := range c.not {
				if strings.Contains(plain(d.Headline), no) {
					t.Errorf("%s: %q in %q", name, no, plain(d.Headline))
				}
			}
		}
	}
}

// Of every sample that passes, the headline's bound is one of those that the table shows, and none of the table's is larger.
func TestPassAgreesWithTheTable(t *testing.T) {
	t.Parallel()
	for name := range samples {
		r := load(t, name)
		n := tally(r)
		if r.Conclusion.Verdict != result.RunPassed || n.bounded == 0 {
			continue
		}
		bound, shown := upperBound(n.worst)
		found := bound <= 0
		for _, c := range r.Cases {
			if c.Compared() == nil || c.Verdict == result.Inconclusive || c.Verdict == result.Regression {
				continue
			}
			own, text := upperBound(deciding(c))
			found = found || text == shown
			if own > bound {
				t.Errorf("%s: %s may be %s slower, and the headline says %s", name, c.Name, text, shown)
			}
		}
		if headline := plain(New(r).Headline); !found || bound > 0 && !strings.Contains(headline, "slower by more than "+shown) {
			t.Errorf("%s: %q, and the largest bound is %s", name, headline, shown)
		}
	}
}
