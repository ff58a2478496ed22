package result

// Finding is one fact that speaks against a pass, or that a pass leaves unsaid otherwise. Decisions read its kind, side and
// numbers. Detail is for people alone: package report makes the sentences, and nothing reads them back.
type Finding struct {
	Kind       FindingKind  `json:"kind"`
	Effect     Effect       `json:"effect"`            // on the run
	Kernel     string       `json:"kernel,omitempty"`  // empty: the finding is about the run
	Case       string       `json:"case,omitempty"`    // empty: about the kernel
	Machine    string       `json:"machine,omitempty"` // in results merged of several machines
	Side       Side         `json:"side,omitempty"`    // at fault: base, head or both; empty if that cannot be told
	Reason     *Reason      `json:"reason,omitempty"`
	Shift      *Shift       `json:"shift,omitempty"`      // head against base
	Adapter    AdapterFault `json:"adapter,omitempty"`    // of adapter: why it does not build against head
	Waiver     *Waiver      `json:"waiver,omitempty"`     // that a finding on waivers is about
	Over       *OverLimit   `json:"over,omitempty"`       // of resource: which limit, and by how much
	Beyond     *Shift       `json:"beyond,omitempty"`     // of a cumulative regression: head against the best-known level
	Elapsed    *Elapsed     `json:"elapsed,omitempty"`    // of elapsed, and of what elapsed time leaves open: head against base
	Limit      float64      `json:"limit,omitempty"`      // that the kind is about: the tolerance, or what may be lost since the best-known level
	MDE        float64      `json:"mde,omitempty"`        // of what the last look left open: the smallest effect that can be seen; of unfinished: the same after all looks, where that is too much
	PassesAt   float64      `json:"passesAt,omitempty"`   // of what the last look left open: the tolerance above which the case would have passed
	MetBelow   float64      `json:"metBelow,omitempty"`   // of what the last look left open: the minimum speedup below which it would have been met
	Competitor string       `json:"competitor,omitempty"` // that the finding is about
	MinSpeedup float64      `json:"minSpeedup,omitempty"` // how many times as fast as it head has to be
	Speed      *Shift       `json:"speed,omitempty"`      // how many times as fast head is
	Goal       *GoalCount   `json:"goal,omitempty"`       // of what became of a goal: MinSpeedup over Competitor in some cases
	Rounds     int          `json:"rounds,omitempty"`     // of open cases: complete rounds; of interaction: rounds that were looked at
	Apart      int          `json:"apart,omitempty"`      // of interaction: rounds in which the sides lay farther apart than any other two pairs
	Looks      int          `json:"looks,omitempty"`      // of open cases: looks taken
	Planned    int          `json:"planned,omitempty"`    // of open cases: looks planned

	BudgetGone    bool    `json:"budgetGone,omitempty"`          // the budget ended the measuring
	BudgetNeededS float64 `json:"budgetNeededSeconds,omitempty"` // what all looks would take; 0 if not known
}

// Shift is a ratio head/base with its bounds.
type Shift struct {
	Ratio float64 `json:"ratio"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// ShiftOf is what a comparison says of head against base; nil stays nil.
func ShiftOf(c *Comparison) *Shift {
	if c == nil {
		return nil
	}
	return &Shift{Ratio: c.Ratio, Low: c.RatioLow, High: c.RatioHigh}
}

// About says whether the finding is about this case.
func (f Finding) About(c Case) bool {
	return f.Case != "" && f.Case == c.Name && f.Machine == c.Machine
}

// KernelOf is the kernel that a finding is about.
func (r *Result) KernelOf(f Finding) Kernel {
	for _, k := range r.Kernels {
		if k.Name == f.Kernel {
			return k
		}
	}
	return Kernel{Name: f.Kernel}
}

// Against says whether the finding keeps its run from passing.
func (f Finding) Against() bool { return f.Effect == EffectFails || f.Effect == EffectUnmeasured }

// Effect is what a finding does to the run that has it.
type Effect string

const (
	EffectFails      Effect = "fails"      // the gate says no: exit 1
	EffectUnmeasured Effect = "unmeasured" // nothing can be said of a part of the run: exit 3
	EffectAccepted   Effect = "accepted"   // would fail the run, and a person took the responsibility
	EffectWaived     Effect = "waived"     // would keep the run from passing, and a waiver of the configuration lets it
	EffectNote       Effect = "note"       // worth saying
)

// Effects lists all effects, worst first.
var Effects = []Effect{EffectFails, EffectUnmeasured, EffectAccepted, EffectWaived, EffectNote}

// FindingKind says what a finding is about.
type FindingKind string

const (
	FindingBuild                     FindingKind = "build"                       // a side does not build
	FindingAdapter                   FindingKind = "adapter"                     // head's code builds, but the adapter does not build against it
	FindingKernelRemoved             FindingKind = "kernel-removed"              // a side, or both, lacks a kernel that is to be measured
	FindingResource                  FindingKind = "resource"                    // head's build needs more than the configuration allows
	FindingWrongOutput               FindingKind = "wrong-output"                // parity: head computes the wrong result
	FindingParityError               FindingKind = "parity-error"                // parity could not be checked
	FindingParitySkipped             FindingKind = "parity-skipped"              // parity had nothing to check
	FindingParityOff                 FindingKind = "parity-off"                  // the configuration asks for no parity
	FindingParityUnavailable         FindingKind = "parity-unavailable"          // a benchmark hides its tensors, and no adapter shows them
	FindingSelfTimed                 FindingKind = "self-timed"                  // a benchmark of the user's times a kernel
	FindingKernelUnmeasured          FindingKind = "kernel-unmeasured"           // none of a kernel's cases can be measured
	FindingRegression                FindingKind = "regression"                  // significantly slower than the tolerance allows
	FindingElapsed                   FindingKind = "elapsed"                     // slower in elapsed time, waits and all launches counted
	FindingCumulativeRegression      FindingKind = "cumulative-regression"       // slower, and too far over the best-known level
	FindingCaseError                 FindingKind = "case-error"                  // a case could not be measured
	FindingNotTimed                  FindingKind = "not-timed"                   // a case was left out, and nothing else of its kernel says why
	FindingTooFewRounds              FindingKind = "too-few-rounds"              // measuring ended before the first look
	FindingUnfinished                FindingKind = "unfinished"                  // measuring ended before the last look
	FindingTooNoisy                  FindingKind = "too-noisy"                   // open, and this machine cannot see twice the tolerance
	FindingSlowerEstimateOver        FindingKind = "slower-estimate-over"        // open, significantly slower, and the estimate is over the tolerance
	FindingInconclusive              FindingKind = "inconclusive"                // open after the last look, and nothing else is known
	FindingInconclusiveFailed        FindingKind = "inconclusive-failed"         // open, which fails by policy
	FindingInconclusivePassed        FindingKind = "inconclusive-passed"         // open, which passes by policy
	FindingUnknownVerdict            FindingKind = "unknown-verdict"             // a case has a verdict that this perfgate does not know
	FindingNothingMeasured           FindingKind = "nothing-measured"            // no case has a verdict
	FindingNothingCompared           FindingKind = "nothing-compared"            // a base was asked for, and has nothing that head has; of a kernel: nothing that head changes of it was compared
	FindingNotCompared               FindingKind = "not-compared"                // a part of what head changes was not compared
	FindingMeaningChanged            FindingKind = "meaning-changed"             // head changes the epoch of a kernel, which begins its history again
	FindingEnvironment               FindingKind = "environment"                 // the sides of a kernel were built and run with different environments
	FindingNoKernel                  FindingKind = "no-kernel"                   // there is no kernel to check
	FindingMissing                   FindingKind = "missing"                     // of what was planned, something is in no result
	FindingUnsteady                  FindingKind = "unsteady-noise"              // some rounds scatter by more than others, so what the run could have seen is not stated
	FindingInteraction               FindingKind = "interaction"                 // a side has a level of its own in a round, which the bounds do not allow for
	FindingSpeedupMissed             FindingKind = "speedup-missed"              // head is significantly below its minimum speedup over a competitor
	FindingSpeedupEstimateBelow      FindingKind = "speedup-estimate-below"      // whether it is stayed open, and it is significantly slower than that plus the tolerance, by its estimate too slow
	FindingSpeedupInconclusive       FindingKind = "speedup-inconclusive"        // whether it is stayed open after the last look
	FindingSpeedupInconclusiveFailed FindingKind = "speedup-inconclusive-failed" // whether it is stayed open, which fails by policy
	FindingSpeedupInconclusivePassed FindingKind = "speedup-inconclusive-passed" // likewise, which passes by policy
	FindingSpeedupUnmeasured         FindingKind = "speedup-unmeasured"          // whether it is was not measured, or not to the end
	FindingCompetitorUnmeasured      FindingKind = "competitor-unmeasured"       // a competitor that head has to keep nothing over was not measured
	FindingGoalReached               FindingKind = "goal-reached"                // as many cases as a goal wants are significantly above its speedup
	FindingGoalMissed                FindingKind = "goal-missed"                 // so many are significantly below it that too few are left
	FindingGoalInconclusive          FindingKind = "goal-inconclusive"           // neither is known
	FindingGoalInconclusiveFailed    FindingKind = "goal-inconclusive-failed"    // neither is known of one that is required, which fails by policy
	FindingWaiverLapsed              FindingKind = "waiver-lapsed"               // the configuration has a waiver whose last day is over
	FindingWaiverUnmatched           FindingKind = "waiver-unmatched"            // likewise, that no case matches
	FindingWaiverUnneeded            FindingKind = "waiver-unneeded"             // likewise, whose cases have stood within their own tolerance for a while
	FindingNothingToDo               FindingKind = "nothing-to-do"               // the change touches nothing that is measured
	FindingTraded                    FindingKind = "traded"                      // slower than its tolerance allows, or open, and passed for a suite that is faster
	FindingTradeRefused              FindingKind = "trade-refused"               // why a suite does not make up for slower cases
)

// FindingKinds lists all kinds, in the order in which reports have them: what fails a run before what keeps it from being
// measured, and wrong before slow.
var FindingKinds = []FindingKind{
	FindingBuild, FindingAdapter, FindingKernelRemoved, FindingWrongOutput, FindingResource, FindingRegression, FindingElapsed, FindingCumulativeRegression, FindingSpeedupMissed,
	FindingSpeedupEstimateBelow, FindingSpeedupInconclusiveFailed, FindingGoalMissed, FindingGoalInconclusiveFailed,
	FindingCaseError, FindingParityError, FindingSlowerEstimateOver, FindingInconclusiveFailed, FindingTooFewRounds, FindingUnfinished,
	FindingTooNoisy, FindingInconclusive, FindingSpeedupInconclusive, FindingSpeedupUnmeasured, FindingKernelUnmeasured, FindingParitySkipped, FindingNotTimed, FindingUnknownVerdict,
	FindingNothingMeasured, FindingNothingCompared, FindingNoKernel, FindingMissing, FindingMeaningChanged, FindingNotCompared, FindingEnvironment, FindingInconclusivePassed, FindingParityOff,
	FindingParityUnavailable, FindingSelfTimed, FindingSpeedupInconclusivePassed, FindingCompetitorUnmeasured,
	FindingGoalInconclusive, FindingGoalReached, FindingTraded, FindingTradeRefused,
	FindingWaiverLapsed, FindingWaiverUnmatched, FindingWaiverUnneeded, FindingInteraction, FindingUnsteady, FindingNothingToDo,
}
