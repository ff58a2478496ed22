package gate

import (
	"errors"
	"fmt"
	"math"
)

// Looks are the numbers of complete rounds after which the bounds are looked at.
var Looks = []int{4, 6, 8, 11, 15, 20, 27, 36}

// MinRounds is the fewest rounds of which a verdict is made.
const MinRounds = 4

// improvementRounds is how long a case that may be an improvement waits before it settles for faster.
const improvementRounds = 11

// largeEffect is the Cliff's delta from which an effect is called large (Romano et al. 2006).
const largeEffect = 0.474

// OnInconclusive says what an open case means for the run, once all looks are spent.
type OnInconclusive string

const (
	OnInconclusiveEstimate OnInconclusive = "estimate" // fail if the estimate is over the tolerance, on a runner that can tell
	OnInconclusivePass     OnInconclusive = "pass"
	OnInconclusiveFail     OnInconclusive = "fail"
)

// Policy is what the gate tolerates and how sure it has to be.
type Policy struct {
	Tolerance      float64        `json:"tolerance"`      // relative slowdown that passes: 0.015 is 1.5 %
	Improvement    float64        `json:"improvement"`    // relative speed-up worth the name: 0.10 is 10 %
	Confidence     float64        `json:"confidence"`     // for the whole run, over cases and looks: 0.99
	OnInconclusive OnInconclusive `json:"onInconclusive"` // what a case means that all looks left open
	Cases          int            `json:"cases"`          // K: cases planned for timing in all shards, fixed before round 1
	PlannedLooks   int            `json:"plannedLooks"`   // how often the bounds are looked at; 0 means len(Looks)
	// NeedsBase is set where base was asked for by name: a run that compared nothing with it does not pass.
	NeedsBase bool `json:"needsBase,omitempty"`
}

// OfPart is the policy that one part of a plan is concluded by: whether there was anything to compare, all parts tell together.
func (p Policy) OfPart() Policy {
	p.NeedsBase = false
	return p
}

// Default returns the policy of a configuration that says nothing, for one case.
func Default() Policy {
	return Policy{
		Tolerance:      0.015,
		Improvement:    0.10,
		Confidence:     0.99,
		OnInconclusive: OnInconclusiveEstimate,
		Cases:          1,
	}
}

// Validate returns an error that names every field whose value makes no sense.
func (p Policy) Validate() error {
	var errs []error
	if !(p.Tolerance > 0 && p.Tolerance < 1) {
		errs = append(errs, fmt.Errorf("tolerance is %v, must be above 0 and below 1 (100 %%)", p.Tolerance))
	}
	if !(p.Improvement >= 0 && p.Improvement <= 10) {
		errs = append(errs, fmt.Errorf("improvement is %v, must be from 0 to 10 (1000 %%)", p.Improvement))
	}
	if !(p.Confidence >= 0.5 && p.Confidence < 1) {
		errs = append(errs, fmt.Errorf("confidence is %v, must be at least 0.5 (50 %%) and below 1", p.Confidence))
	}
	switch p.OnInconclusive {
	case OnInconclusiveEstimate, OnInconclusivePass, OnInconclusiveFail:
	default:
		errs = append(errs, fmt.Errorf("on-inconclusive is %q, must be estimate, pass or fail", p.OnInconclusive))
	}
	if p.Cases < 1 {
		errs = append(errs, fmt.Errorf("cases is %d, must be at least 1", p.Cases))
	}
	if p.PlannedLooks < 0 {
		errs = append(errs, fmt.Errorf("planned looks is %d, must not be negative", p.PlannedLooks))
	}
	return errors.Join(errs...)
}

// Alpha returns the chance of error that one side of one look at one case may use up, so that Confidence holds for
// all sides that can turn a run red, all looks and all cases together (Bonferroni).
func (p Policy) Alpha() float64 {
	return (1 - p.Confidence) / float64(p.looks()*p.Cases)
}

func (p Policy) looks() int {
	if p.PlannedLooks == 0 {
		return len(Looks)
	}
	return p.PlannedLooks
}

// toleranceLog is m of the rule: the tolerance as a log shift.
func (p Policy) toleranceLog() float64 { return math.Log1p(p.Tolerance) }

// improvementLog is g of the rule: the improvement threshold as a log shift.
func (p Policy) improvementLog() float64 { return math.Log1p(p.Improvement) }
