package rule

import "github.com/org/perfgate/gate/result"

// proposed are the tolerances that a first configuration may have.
var proposed = []float64{0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5}

// HeldBy is the first tolerance above its own by which a run of unchanged code passes, decided again from its samples, and that is no smaller than what
// the cases that stayed open in it would have shown. It is 0 where none is: a tolerance does not repair what is broken.
func HeldBy(r *result.Result) float64 {
	for _, t := range proposed {
		policy := r.Policy
		policy.Tolerance, policy.Improvement = t, max(policy.Improvement, t)
		if t > r.Policy.Tolerance && Replay(r, policy).Conclusion.Exit == result.ExitPassed && shown(r.Cases) <= t {
			return t
		}
	}
	return 0
}

// shown is the smallest effect that all cases which stayed open would have shown.
func shown(cases []result.Case) (most float64) {
	for _, c := range cases {
		if c.Verdict == result.Inconclusive && c.Compared() != nil {
			most = max(most, c.Compared().MDE)
		}
	}
	return most
}
