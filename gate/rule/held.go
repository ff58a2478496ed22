package rule

import (
	"slices"

	"github.com/org/perfgate/gate/result"
)

// proposed are the tolerances that a first configuration may have.
var proposed = []float64{0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5}

// HeldBy is the first tolerance above its own by which a run of unchanged code passes, decided again from its samples, and by which each case
// that stayed inconclusive in it would have shown a change of its tolerance. Cases that have a tolerance of their own keep it. It is 0 where none
// is: a tolerance does not repair what is broken.
func HeldBy(r *result.Result) float64 {
	for _, t := range proposed {
		policy := r.Policy
		policy.Tolerance, policy.Improvement = t, max(policy.Improvement, t)
		if t > r.Policy.Tolerance && Replay(r, policy).Conclusion.Exit == result.ExitPassed && shows(r.Cases, policy) {
			return t
		}
	}
	return 0
}

// shows says whether every case that stayed inconclusive would have shown a change of its tolerance.
func shows(cases []result.Case, p result.Policy) bool {
	return !slices.ContainsFunc(cases, func(c result.Case) bool {
		return c.Verdict == result.Inconclusive && c.Compared() != nil && c.Compared().MDE > p.OfCase(c).Tolerance
	})
}
