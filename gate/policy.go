package gate

import (
	"math"

	"github.com/org/perfgate/gate/result"
)

// Looks are the numbers of complete rounds after which the bounds are looked at.
var Looks = []int{4, 6, 8, 11, 15, 20, 27, 36}

// MinRounds is the fewest rounds of which a verdict is made.
const MinRounds = 4

// improvementRounds is how long a case that may be an improvement waits before it settles for faster.
const improvementRounds = 11

// largeEffect is the Cliff's delta from which an effect is called large (Romano et al. 2006).
const largeEffect = 0.474

// Default returns the policy of a configuration that says nothing, for one case.
func Default() result.Policy {
	return result.Policy{
		Tolerance:      0.015,
		Improvement:    0.10,
		Confidence:     0.99,
		OnInconclusive: result.OnInconclusiveEstimate,
		Cases:          1,
	}
}

// Alpha returns the chance of error that one side of one look at one case may use up, so that Confidence holds for
// all sides that can turn a run red, all looks and all cases together (Bonferroni).
func Alpha(p result.Policy) float64 {
	return (1 - p.Confidence) / float64(PlannedLooks(p)*p.Cases)
}

// PlannedLooks is how often the bounds of a case are looked at before the policy speaks for it.
func PlannedLooks(p result.Policy) int {
	if p.PlannedLooks == 0 {
		return len(Looks)
	}
	return p.PlannedLooks
}

// toleranceLog is m of the rule: the tolerance as a log shift.
func toleranceLog(p result.Policy) float64 { return math.Log1p(p.Tolerance) }

// improvementLog is g of the rule: the improvement threshold as a log shift.
func improvementLog(p result.Policy) float64 { return math.Log1p(p.Improvement) }
