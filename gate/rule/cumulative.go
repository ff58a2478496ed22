package rule

import (
	"math"

	"github.com/org/perfgate/gate/result"
)

// CumulativePolicy is the policy of rounds against the best-known level: its tolerance is what may be lost since then. They are a
// family of tests of their own, with the same confidence again.
func CumulativePolicy(p result.Policy, limit float64) result.Policy {
	const least = 1e-9 // nothing may be lost: a tolerance has to be above 0
	return p.WithTolerance(max(least, min(limit, math.Nextafter(1, 0))))
}

// MayFailCumulatively says whether a case with this verdict could fail for what was lost since its best-known level: many changes
// may each stay within the tolerance and lose a lot together, but only one that is slower itself answers for the others.
func MayFailCumulatively(own result.Verdict) bool { return own == result.Slower }
