package result

import (
	"errors"
	"fmt"
)

// OnInconclusive says what an open case means for the run, once all looks are spent.
type OnInconclusive string

const (
	OnInconclusiveStop OnInconclusive = "stop" // no answer, but for a case that is significantly slower and by its estimate over the tolerance: that fails
	OnInconclusivePass OnInconclusive = "pass"
	OnInconclusiveFail OnInconclusive = "fail"
)

// RuleVersion is the version of the rule: docs/statistics.md has it. A saved result names it, since samples that another rule asked for cannot be decided by this one.
const RuleVersion = 4

// Policy is what the gate tolerates and how sure it has to be.
type Policy struct {
	Tolerance      float64        `json:"tolerance"`      // relative slowdown that passes: 0.015 is 1.5 %
	Improvement    float64        `json:"improvement"`    // relative speed-up worth the name: 0.10 is 10 %
	Confidence     float64        `json:"confidence"`     // for the whole run, over cases and looks: 0.99
	OnInconclusive OnInconclusive `json:"onInconclusive"` // what a case means that all looks left open
	Cases          int            `json:"cases"`          // K: cases planned for timing in all shards, fixed before round 1
	PlannedLooks   int            `json:"plannedLooks"`   // how often the bounds are looked at; 0 means as often as the rule says
	Rule           int            `json:"rule"`           // RuleVersion in a saved result, which Write sees to
	// Tolerances are those of some cases, in the order of the configuration: the last that names a case holds. They are fixed before round 1.
	Tolerances []CaseTolerance `json:"tolerances,omitempty"`
	// Waivers let some cases be slower for a time: the last that names a case and has not lapsed on Day holds.
	Waivers []Waiver `json:"waivers,omitempty"`
	Day     string   `json:"day,omitempty"` // of the run, where there are waivers
	// MinSpeedups is how many questions about a speedup of a case are planned, in all shards: whether head is as many times as fast as a competitor as a
	// minimum speedup or a goal says.
	MinSpeedups int `json:"minSpeedups,omitempty"`
	// Goals are what is wanted of some cases against a competitor, which all shards of a plan tell together.
	Goals []Goal `json:"goals,omitempty"`
	// Competitors is the most competitors that a kernel of the plan is measured beside, in all shards: each has a place in every half of a round.
	Competitors int `json:"competitors,omitempty"`
	// Suite is what is asked of cases together, which all shards of a plan tell together.
	Suite Suite `json:"suite,omitzero"`
	// NeedsBase is set where base was asked for by name: a run that compared nothing with it does not pass.
	NeedsBase bool `json:"needsBase,omitempty"`
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
