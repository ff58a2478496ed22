package result

import (
	"errors"
	"fmt"
)

// OnInconclusive says what an inconclusive case means for the run, after all looks.
type OnInconclusive string

const (
	OnInconclusiveStop OnInconclusive = "stop" // no answer, but for a case that is significantly slower and by its estimate over the tolerance: that fails
	OnInconclusivePass OnInconclusive = "pass"
	OnInconclusiveFail OnInconclusive = "fail"
)

// RuleVersion is the version of the rule: docs/statistics.md has it. A saved result names it, since samples that another rule asked for cannot be decided by this one.
const RuleVersion = 4

// Policy is what the gate tolerates, and at which confidence.
type Policy struct {
	Tolerance      float64         `json:"tolerance"`            // relative slowdown that passes (fraction)
	Improvement    float64         `json:"improvement"`          // relative speedup that is called an improvement (fraction)
	Confidence     float64         `json:"confidence"`           // of the whole run, over all of its cases and looks (fraction)
	OnInconclusive OnInconclusive  `json:"onInconclusive"`       // what an inconclusive case does after all looks: stop, pass or fail
	Cases          int             `json:"cases"`                // planned for timing in all shards, fixed before round 1; the error rate is shared among them
	PlannedLooks   int             `json:"plannedLooks"`         // how many looks are planned; 0 is the usual 8
	Rule           int             `json:"rule"`                 // version of the rule that decided; another than this perfgate's is refused
	Tolerances     []CaseTolerance `json:"tolerances,omitempty"` // tolerances of some cases, fixed before round 1: the last that matches a case replaces tolerance
	Waivers        []Waiver        `json:"waivers,omitempty"`    // cases that may be slower for a time: the last that matches a case and has not lapsed on day holds
	Day            string          `json:"day,omitempty"`        // the day of the run in UTC, such as 2027-01-31; there where there are waivers
	// speedups that are planned to be tested, in all shards: one for each case and minimum speedup or goal. The error
	// rate is shared among them and the cases
	MinSpeedups int    `json:"minSpeedups,omitempty"`
	Goals       []Goal `json:"goals,omitempty"` // speedups over a competitor that are wanted in some cases, which all shards of a plan answer together
	// the most competitors of a kernel of the plan, in all shards: each has a position in every half of a round
	Competitors int   `json:"competitors,omitempty"`
	Suite       Suite `json:"suite,omitzero"`      // what is asked of cases together, which all shards of a plan answer together; missing where nothing is
	NeedsBase   bool  `json:"needsBase,omitempty"` // base was asked for by name, so a run that compared nothing with it does not pass
}

// Validate returns an error that names every field whose value makes no sense.
func (p Policy) Validate() error {
	var errs []error
	if !isTolerance(p.Tolerance) {
		errs = append(errs, fmt.Errorf("tolerance is %v, must be above 0 and below 1 (100 %%)", p.Tolerance))
	}
	errs = append(errs, p.checkTolerances()...)
	errs = append(errs, p.checkWaivers()...)
	errs = append(errs, p.Suite.check(), p.checkGoals())
	if !(p.Improvement >= 0 && p.Improvement <= 10) {
		errs = append(errs, fmt.Errorf("improvement is %v, must be from 0 to 10 (1000 %%)", p.Improvement))
	}
	if !(p.Confidence >= 0.5 && p.Confidence < 1) {
		errs = append(errs, fmt.Errorf("confidence is %v, must be at least 0.5 (50 %%) and below 1", p.Confidence))
	}
	switch p.OnInconclusive {
	case OnInconclusiveStop, OnInconclusivePass, OnInconclusiveFail:
	default:
		errs = append(errs, fmt.Errorf("on-inconclusive is %q, must be stop, pass or fail", p.OnInconclusive))
	}
	if p.Cases < 1 {
		errs = append(errs, fmt.Errorf("cases is %d, must be at least 1", p.Cases))
	}
	if p.MinSpeedups < 0 || p.Competitors < 0 || p.Competitors > MaxCompetitors {
		errs = append(errs, fmt.Errorf("minSpeedups is %d and competitors is %d, must be at least 0, and competitors at most %d", p.MinSpeedups, p.Competitors, MaxCompetitors))
	}
	if p.PlannedLooks < 0 {
		errs = append(errs, fmt.Errorf("planned looks is %d, must not be negative", p.PlannedLooks))
	}
	return errors.Join(errs...)
}
