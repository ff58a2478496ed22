package rule

import (
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// CumulativePolicy is the policy of rounds against the best-known level: its tolerance is what may be lost since then. They are a
// family of tests of their own, with the same confidence again.
//
// What is less than the floor of a case may be lost here, too.
func CumulativePolicy(p result.Policy, limit float64) result.Policy {
	const least = 1e-9 // nothing may be lost: a tolerance has to be above 0
	p.Tolerance = max(least, min(limit, math.Nextafter(1, 0)))
	p.Suite = result.Suite{} // each case has its own
	p.Tolerances = slices.Clone(p.Tolerances)
	for i := range p.Tolerances {
		p.Tolerances[i].Tolerance = p.Tolerance
	}
	return p
}

// MayFailCumulatively says whether a case with this verdict could fail for what was lost since its best-known level: many changes
// may each stay within the tolerance and lose a lot together, but only one that is slower itself answers for the others.
func MayFailCumulatively(own result.Verdict) bool { return own == result.Slower }
