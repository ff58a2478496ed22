package result

import (
	"cmp"
	"slices"
)

// Finding is one fact that speaks against a pass, or that a pass leaves unsaid otherwise. Decisions read its kind, effect,
// side and numbers, never its text: package report makes the sentences, and nothing reads them back. docs/findings.md has what each kind does.
type Finding struct {
	Kind    FindingKind  `json:"kind"`              // what it is about, such as regression
	Effect  Effect       `json:"effect"`            // on the run
	Kernel  string       `json:"kernel,omitempty"`  // its kernel; missing where it is about the run
	Case    string       `json:"case,omitempty"`    // its case; missing where it is about the kernel
	Machine string       `json:"machine,omitempty"` // its machine, in results merged of several
	Side    Side         `json:"side,omitempty"`    // at fault: base, head or both; missing where that is unknown
	Reason  *Reason      `json:"reason,omitempty"`  // why; what a compiler, a kernel or a tool said is one line of it
	Shift   *Shift       `json:"shift,omitempty"`   // head against base
	Adapter AdapterFault `json:"adapter,omitempty"` // of adapter: as of the kernel
	Waiver  *Waiver      `json:"waiver,omitempty"`  // of waiver-…: which
	Over    *OverLimit   `json:"over,omitempty"`    // of resource: which limit, and by how much
	Beyond  *Shift       `json:"beyond,omitempty"`  // of cumulative-regression: head against the best-known level
	Elapsed *Elapsed     `json:"elapsed,omitempty"` // of elapsed: the elapsed times of head against base
	Times   *TimesDiffer `json:"times,omitempty"`   // of process-time: head's processes against base's
	Limit   float64      `json:"limit,omitempty"`   // the tolerance, or what may be lost since the best-known level (fraction)
	// of an inconclusive case: the minimum detectable effect; of unfinished: what it would be after all looks, where
	// more time would hardly help (fraction)
	MDE        float64    `json:"mde,omitempty"`
	PassesAt   float64    `json:"passesAt,omitempty"`   // of an inconclusive case: the tolerance above which it would have passed (fraction)
	MetBelow   float64    `json:"metBelow,omitempty"`   // of an inconclusive case: the minimum speedup below which it would have been met (times)
	Competitor string     `json:"competitor,omitempty"` // the competitor that it is about
	MinSpeedup float64    `json:"minSpeedup,omitempty"` // how many times as fast as the competitor head has to be (times)
	Speed      *Shift     `json:"speed,omitempty"`      // how many times as fast head is
	Goal       *GoalCount `json:"goal,omitempty"`       // of the outcome of a goal: how many cases are known to reach its speedup
	Rounds     int        `json:"rounds,omitempty"`     // complete rounds of an inconclusive or undecided case
	Apart      int        `json:"apart,omitempty"`      // of interaction: rounds in which the sides were farther apart than any other two pairs
	Looks      int        `json:"looks,omitempty"`      // taken at an inconclusive or undecided case
	Planned    int        `json:"planned,omitempty"`    // looks planned for an inconclusive or undecided case

	BudgetGone    bool    `json:"budgetGone,omitempty"`          // the budget ended the measuring
	BudgetNeededS float64 `json:"budgetNeededSeconds,omitempty"` // what all looks would take
}

// TimesDiffer is how the processes of a benchmark changed from base to head, in seconds, by medians.
type TimesDiffer struct {
	BaseS    float64 `json:"baseSeconds"`    // how long base's processes lived
	ClaimedS float64 `json:"claimedSeconds"` // head's minus base's: what the benchmark says it measured
	LivedS   float64 `json:"livedSeconds"`   // head's minus base's: how long processes lived
	CPUS     float64 `json:"cpuSeconds"`     // head's minus base's: CPU time of the processes
}

// Shift is a ratio head/base with its bounds.
type Shift struct {
	Ratio float64 `json:"ratio"` // head over base (fraction)
	Low   float64 `json:"low"`   // its lower bound (fraction)
	High  float64 `json:"high"`  // its upper bound (fraction)
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

// IsExcused says whether a finding would keep its run from passing, and a person, a waiver or a trade lets it pass.
func (f Finding) IsExcused() bool { return slices.Contains(Excused, f.Effect) }

// WorseFirst compares what two findings do to a run, and then what they are about.
func WorseFirst(a, b Finding) int {
	return cmp.Or(slices.Index(Effects, a.Effect)-slices.Index(Effects, b.Effect), slices.Index(FindingKinds, a.Kind)-slices.Index(FindingKinds, b.Kind))
}

// Effect is what a finding does to the run that has it.
type Effect string

const (
	EffectFails      Effect = "fails"      // the gate says no: exit 1
	EffectUnmeasured Effect = "unmeasured" // nothing can be said of a part of the run: exit 3
	EffectAccepted   Effect = "accepted"   // would fail the run, and a person accepted it
	EffectWaived     Effect = "waived"     // would keep the run from passing, and a waiver of the configuration lets it
	EffectTraded     Effect = "traded"     // would keep the run from passing, and a suite that is faster makes up for it
	EffectNote       Effect = "note"       // nothing
)

// Effects lists all effects, worst first.
var Effects = []Effect{EffectFails, EffectUnmeasured, EffectAccepted, EffectWaived, EffectTraded, EffectNote}

// Excused lists the effects of what would keep a run from passing by itself, and does not.
var Excused = []Effect{EffectAccepted, EffectWaived, EffectTraded}

// FindingKind says what a finding is about.
type FindingKind string

const (
	FindingBuild                     FindingKind = "build"                       // a side does not build
	FindingAdapter                   FindingKind = "adapter"                     // head's code builds, but the adapter does not build against it
	FindingKernelRemoved             FindingKind = "kernel-removed"              // one or both sides lack a kernel that should be measured
	FindingResource                  FindingKind = "resource"                    // head's build exceeds a limit of the configuration
	FindingWrongOutput               FindingKind = "wrong-output"                // head computes the wrong result
	FindingParityError               FindingKind = "parity-error"                // parity could not be checked
	FindingParitySkipped             FindingKind = "parity-skipped"              // parity had nothing to check
	FindingParityOff                 FindingKind = "parity-off"                  // the configuration turns parity off
	FindingParityUnavailable         FindingKind = "parity-unavailable"          // a benchmark hides its tensors, and neither an adapter nor a check shows them
	FindingSelfTimed                 FindingKind = "self-timed"                  // a benchmark times the kernel itself
	FindingProcessTime               FindingKind = "process-time"                // the times that a benchmark reports contradict how long its processes lived
	FindingKernelUnmeasured          FindingKind = "kernel-unmeasured"           // none of a kernel's cases can be measured
	FindingRegression                FindingKind = "regression"                  // significantly slower than the tolerance allows
	FindingElapsed                   FindingKind = "elapsed"                     // slower in elapsed time, which counts every launch and its waits
	FindingCumulativeRegression      FindingKind = "cumulative-regression"       // slower, and too far above the best-known level
	FindingCaseError                 FindingKind = "case-error"                  // a case could not be measured
	FindingNotTimed                  FindingKind = "not-timed"                   // a case was left out, and no other finding on its kernel says why
	FindingTooFewRounds              FindingKind = "too-few-rounds"              // measuring ended before the first look
	FindingUnfinished                FindingKind = "unfinished"                  // measuring ended before the last look
	FindingTooNoisy                  FindingKind = "too-noisy"                   // inconclusive, and this machine cannot detect twice the tolerance
	FindingSlowerEstimateOver        FindingKind = "slower-estimate-over"        // inconclusive, but significantly slower, with the estimate over the tolerance
	FindingInconclusive              FindingKind = "inconclusive"                // inconclusive after the last look
	FindingInconclusiveFailed        FindingKind = "inconclusive-failed"         // inconclusive, which fails by policy
	FindingInconclusivePassed        FindingKind = "inconclusive-passed"         // inconclusive, which passes by policy
	FindingUnknownVerdict            FindingKind = "unknown-verdict"             // a case has a verdict that this perfgate does not know
	FindingNothingMeasured           FindingKind = "nothing-measured"            // no case has a verdict
	FindingNothingCompared           FindingKind = "nothing-compared"            // the requested base has no case that head has, or no change of head to a kernel was compared
	FindingNotCompared               FindingKind = "not-compared"                // a part of head's change was not compared
	FindingMeaningChanged            FindingKind = "meaning-changed"             // head changes the epoch of a kernel, so its history begins again
	FindingEnvironment               FindingKind = "environment"                 // the sides of a kernel had different environments
	FindingNoKernel                  FindingKind = "no-kernel"                   // there is no kernel to check
	FindingMissing                   FindingKind = "missing"                     // no result has some part of the plan
	FindingUnsteady                  FindingKind = "unsteady-noise"              // some rounds vary more than others, so no minimum detectable effect is stated
	FindingInteraction               FindingKind = "interaction"                 // side-by-round interaction, which the bounds do not allow for
	FindingSpeedupMissed             FindingKind = "speedup-missed"              // significantly below the minimum speedup over a competitor
	FindingSpeedupEstimateBelow      FindingKind = "speedup-estimate-below"      // inconclusive for the minimum speedup, but the estimate is below it, significantly so with the tolerance added
	FindingSpeedupInconclusive       FindingKind = "speedup-inconclusive"        // inconclusive for the minimum speedup after the last look
	FindingSpeedupInconclusiveFailed FindingKind = "speedup-inconclusive-failed" // inconclusive for the minimum speedup, which fails by policy
	FindingSpeedupInconclusivePassed FindingKind = "speedup-inconclusive-passed" // inconclusive for the minimum speedup, which passes by policy
	FindingSpeedupUnmeasured         FindingKind = "speedup-unmeasured"          // the minimum speedup was not measured, or not to the end
	FindingCompetitorUnmeasured      FindingKind = "competitor-unmeasured"       // a competitor was not measured, nor any minimum speedup
	FindingGoalReached               FindingKind = "goal-reached"                // enough cases are significantly above the speedup of a goal
	FindingGoalMissed                FindingKind = "goal-missed"                 // too many cases are significantly below the speedup of a goal
	FindingGoalInconclusive          FindingKind = "goal-inconclusive"           // it is unknown whether enough cases are above the speedup of a goal
	FindingGoalInconclusiveFailed    FindingKind = "goal-inconclusive-failed"    // the same for a required goal, which fails by policy
	FindingWaiverLapsed              FindingKind = "waiver-lapsed"               // the last day of a waiver is over
	FindingWaiverUnmatched           FindingKind = "waiver-unmatched"            // a waiver matches no case
	FindingWaiverUnneeded            FindingKind = "waiver-unneeded"             // the cases of a waiver have been within their own tolerance for 10 sessions
	FindingNothingToDo               FindingKind = "nothing-to-do"               // the change touches nothing that is measured
	FindingTradeRefused              FindingKind = "trade-refused"               // the suite does not make up for slower cases, and why
)

// FindingKinds lists all kinds, in the order in which reports have them: what fails a run before what keeps it from being
// measured, and wrong before slow.
var FindingKinds = []FindingKind{
	FindingBuild, FindingAdapter, FindingKernelRemoved, FindingWrongOutput, FindingResource, FindingRegression, FindingElapsed, FindingCumulativeRegression, FindingSpeedupMissed,
	FindingSpeedupEstimateBelow, FindingSpeedupInconclusiveFailed, FindingGoalMissed, FindingGoalInconclusiveFailed,
	FindingParityError, FindingCaseError, FindingSlowerEstimateOver, FindingInconclusiveFailed, FindingTooFewRounds, FindingUnfinished,
	FindingTooNoisy, FindingInconclusive, FindingProcessTime, FindingSpeedupInconclusive, FindingSpeedupUnmeasured, FindingKernelUnmeasured, FindingParitySkipped, FindingNotTimed, FindingUnknownVerdict,
	FindingNothingMeasured, FindingNothingCompared, FindingNoKernel, FindingMissing, FindingMeaningChanged, FindingNotCompared, FindingEnvironment, FindingInconclusivePassed, FindingParityOff,
	FindingParityUnavailable, FindingSelfTimed, FindingSpeedupInconclusivePassed, FindingCompetitorUnmeasured,
	FindingGoalInconclusive, FindingGoalReached, FindingTradeRefused,
	FindingWaiverLapsed, FindingWaiverUnmatched, FindingWaiverUnneeded, FindingInteraction, FindingUnsteady, FindingNothingToDo,
}
