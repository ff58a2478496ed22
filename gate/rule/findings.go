package rule

import (
	"slices"

	"github.com/org/perfgate/gate/result"
)

// Problem is what is wrong with a run, as the option fail-on names it.
type Problem string

const (
	ProblemNone       Problem = ""
	ProblemRegression Problem = "regression" // slower than the tolerance allows, or open and failed by on-inconclusive
	ProblemParity     Problem = "parity"     // a wrong result, a broken guard zone, a crash in parity
	ProblemBuild      Problem = "build"      // head does not build, lost a kernel, breaks a resource limit, or cannot be measured
	ProblemError      Problem = "error"      // could not be measured
)

// rule is what a kind of finding does to a run. A finding of head's fault may fail it; the same of another side leaves nothing
// to compare with.
type rule struct {
	head    result.Effect // head is at fault
	other   result.Effect // base, both sides or none is
	problem Problem       // of the effect fails
}

func always(e result.Effect, p Problem) rule { return rule{e, e, p} }

const (
	fails      = result.EffectFails
	unmeasured = result.EffectUnmeasured
	note       = result.EffectNote
)

// rules has every kind: what has none would be dropped, which TestEveryKindHasARule excludes.
var rules = map[result.FindingKind]rule{
	result.FindingBuild:                     {fails, unmeasured, ProblemBuild},
	result.FindingAdapter:                   {fails, unmeasured, ProblemBuild},
	result.FindingKernelRemoved:             {fails, unmeasured, ProblemBuild},
	result.FindingResource:                  always(fails, ProblemBuild),
	result.FindingWrongOutput:               always(fails, ProblemParity),
	result.FindingParityError:               {fails, unmeasured, ProblemParity},
	result.FindingParitySkipped:             always(unmeasured, ProblemNone),
	result.FindingParityOff:                 always(note, ProblemNone),
	result.FindingParityUnavailable:         always(note, ProblemNone),
	result.FindingSelfTimed:                 always(note, ProblemNone),
	result.FindingProcessTime:               {unmeasured, note, ProblemNone}, // head's fault where it claims to be faster
	result.FindingKernelUnmeasured:          always(unmeasured, ProblemNone),
	result.FindingRegression:                always(fails, ProblemRegression),
	result.FindingElapsed:                   always(fails, ProblemRegression),
	result.FindingCumulativeRegression:      always(fails, ProblemRegression),
	result.FindingCaseError:                 {fails, unmeasured, ProblemBuild},
	result.FindingNotTimed:                  always(unmeasured, ProblemNone),
	result.FindingTooFewRounds:              always(unmeasured, ProblemNone),
	result.FindingUnfinished:                always(unmeasured, ProblemNone),
	result.FindingTooNoisy:                  always(unmeasured, ProblemNone),
	result.FindingSlowerEstimateOver:        always(fails, ProblemRegression),
	result.FindingInconclusive:              always(unmeasured, ProblemNone),
	result.FindingInconclusiveFailed:        always(fails, ProblemRegression),
	result.FindingInconclusivePassed:        always(note, ProblemNone),
	result.FindingUnknownVerdict:            always(unmeasured, ProblemNone),
	result.FindingNothingMeasured:           always(unmeasured, ProblemNone),
	result.FindingNothingCompared:           always(unmeasured, ProblemNone),
	result.FindingNotCompared:               always(note, ProblemNone),
	result.FindingMeaningChanged:            {unmeasured, note, ProblemNone}, // of nobody's fault where it is approved
	result.FindingEnvironment:               always(note, ProblemNone),
	result.FindingNoKernel:                  always(unmeasured, ProblemNone),
	result.FindingMissing:                   always(unmeasured, ProblemNone),
	result.FindingInteraction:               always(note, ProblemNone),
	result.FindingUnsteady:                  always(note, ProblemNone),
	result.FindingSpeedupMissed:             always(fails, ProblemRegression),
	result.FindingSpeedupEstimateBelow:      always(fails, ProblemRegression),
	result.FindingSpeedupInconclusive:       always(unmeasured, ProblemNone),
	result.FindingSpeedupInconclusiveFailed: always(fails, ProblemRegression),
	result.FindingSpeedupInconclusivePassed: always(note, ProblemNone),
	result.FindingSpeedupUnmeasured:         always(unmeasured, ProblemNone),
	result.FindingCompetitorUnmeasured:      always(note, ProblemNone),
	result.FindingGoalReached:               always(note, ProblemNone),
	result.FindingGoalMissed:                {fails, note, ProblemRegression}, // head's fault where it is required
	result.FindingGoalInconclusive:          {unmeasured, note, ProblemNone},
	result.FindingGoalInconclusiveFailed:    always(fails, ProblemRegression),
	result.FindingWaiverLapsed:              always(note, ProblemRegression), // drift, which runs by no pull request, fails by them
	result.FindingWaiverUnmatched:           always(note, ProblemRegression),
	result.FindingWaiverUnneeded:            always(note, ProblemRegression),
	result.FindingNothingToDo:               always(note, ProblemNone),
	result.FindingTradeRefused:              always(note, ProblemNone),
}

// EffectOf is what a finding of a kind does to a run when side is at fault. A kind without a rule lets no run pass.
func EffectOf(kind result.FindingKind, side result.Side) result.Effect {
	r, known := rules[kind]
	switch {
	case !known:
		return result.EffectUnmeasured
	case side == result.SideHead:
		return r.head
	}
	return r.other
}

// ProblemOf names what a finding makes wrong with a run; ProblemNone if it keeps no run from passing.
func ProblemOf(f result.Finding) Problem {
	switch f.Effect {
	case result.EffectFails:
		return rules[f.Kind].problem
	case result.EffectUnmeasured:
		return ProblemError
	}
	return ProblemNone
}

// Acceptable says whether a person may take the responsibility for a finding, so that it does not keep the run from passing: it is about
// the time of one case and nothing else. A goal is of no case: what is required is for the configuration to say.
func Acceptable(f result.Finding) bool {
	return f.Case != "" && f.Goal == nil && (f.Effect == result.EffectFails && rules[f.Kind].problem == ProblemRegression || f.Against() && IsOpen(f))
}

// IsOpen says whether a finding is about a case that was measured to the end without an answer.
func IsOpen(f result.Finding) bool {
	return f.Effect != result.EffectNote && slices.Contains([]result.FindingKind{result.FindingInconclusive, result.FindingTooNoisy, result.FindingSpeedupInconclusive, result.FindingProcessTime}, f.Kind)
}
