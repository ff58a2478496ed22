package rule

import (
	"math"

	"github.com/org/perfgate/gate/result"
)

// largeEffect is the Cliff's delta from which an effect is called large (Romano et al. 2006).
const largeEffect = 0.474

// Default returns the policy of a configuration that says nothing, for one case.
func Default() result.Policy {
	return result.Policy{
		Tolerance:      0.015,
		Improvement:    0.10,
		Confidence:     0.99,
		OnInconclusive: result.OnInconclusiveStop,
		Cases:          1,
		Rule:           result.RuleVersion,
	}
}

// Alpha returns the chance of error that one side of one look at one case may use up, so that Confidence holds for
// all sides that can turn a run red, all looks, all cases, all of them as a suite, and all that they have to keep over competitors together (Bonferroni). The bounds of elapsed times
// have their share of it: elapsedAlpha.
func Alpha(p result.Policy) float64 {
	suites := 0
	if p.Suite.Tolerance > 0 {
		suites = 1
	}
	return (1 - p.Confidence) / float64(PlannedLooks(p)*(p.Cases+p.MinSpeedups+suites)) * (1 - elapsedShare)
}

// passAlpha is the chance of error of the upper bound that lets a case pass, at one look. A green run needs every timed case to pass, so that bound spends
// its chance on that case alone (intersection-union); what turns a run red, or claims that head is faster, shares it with all cases. The gate's own looks
// have passShares of it, those of other plans equal ones. A look that is not planned has none, and decides nothing.
func passAlpha(p result.Policy, look int) float64 {
	switch {
	case p.PlannedLooks > 0:
		return (1 - p.Confidence) / float64(p.PlannedLooks)
	case look < 1 || look > mostLooks:
		return 0
	}
	return (1 - p.Confidence) * passShares[look-1]
}

// PlannedLooks is how often the bounds of a case are looked at before the policy speaks for it.
func PlannedLooks(p result.Policy) int {
	if p.PlannedLooks == 0 {
		return mostLooks
	}
	return p.PlannedLooks
}

// toleranceLog is m of the rule: the tolerance as a log shift.
func toleranceLog(p result.Policy) float64 { return math.Log1p(p.Tolerance) }

// improvementLog is g of the rule: the improvement threshold as a log shift.
func improvementLog(p result.Policy) float64 { return math.Log1p(p.Improvement) }
