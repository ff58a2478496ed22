package search

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// Outcome is what one run of a candidate beside another says.
type Outcome struct {
	Verdict Verdict // better: it is ahead in this run, which is no answer yet
	Faults  []Fault
	Stand   *rule.Stand // nil where nothing was timed
	// Unconfirmed: it is ahead by its own clock, and external timing checks do not see half of that.
	Unconfirmed bool
}

// Decide reads a run that followed a course. It reads kinds, codes and numbers alone. What keeps the candidate from being judged, and is not the
// candidate's, is an Unmeasured.
func Decide(res *result.Result, course rule.Course) (Outcome, error) {
	var out Outcome
	var missing *result.Finding
	for _, f := range res.Conclusion.Findings {
		switch v := faultOf(f, res); {
		case v != nil:
			out.Faults = append(out.Faults, *v)
		case unmeasured(f) && missing == nil:
			missing = &f
		}
	}
	if out.Verdict = worst(out.Faults); out.Verdict != "" {
		return out, nil
	}
	if missing == nil {
		missing = uncompared(res)
	}
	if missing != nil {
		return out, unjudged(*missing)
	}
	return timedOutcome(res, course, out)
}

// uncompared finds a kernel that the other side lacks: the gate passes it as new, and a search has nothing to compare it with.
func uncompared(res *result.Result) *result.Finding {
	for _, k := range res.Kernels {
		if k.Status == result.KernelNew {
			return &result.Finding{Kind: result.FindingNothingCompared, Kernel: k.Name, Reason: k.Reason}
		}
	}
	return nil
}

// Unmeasured is the error that there is no answer: to a bisection an end of which cannot be measured, or to a candidate by no fault of its own, as where
// base does not build or the machine fails. The findings are why, which package report has the sentences of.
type Unmeasured struct {
	What     string
	Findings []result.Finding
}

func (u *Unmeasured) Error() string { return u.What }

// unjudged is the error of a candidate, by a finding that is not its own.
func unjudged(why result.Finding) error {
	return &Unmeasured{fmt.Sprintf("the candidate could not be judged: %s", why.Kind), []result.Finding{why}}
}

// BlamesOther says whether a candidate could not be judged because the side that it was compared with failed.
func BlamesOther(err error) bool {
	var u *Unmeasured
	return errors.As(err, &u) && u.Findings[0].Side == result.SideBase
}

// timedOutcome is the outcome of a candidate that nothing is wrong with.
func timedOutcome(res *result.Result, course rule.Course, out Outcome) (Outcome, error) {
	rounds, timings := rule.RoundsOf(res.Cases)
	switch {
	case len(rounds) == 0 && identical(res):
		out.Verdict = Same
		return out, nil
	case len(rounds) == 0 || len(rounds[0]) < course.Looks[0]:
		return out, unjudged(result.Finding{Kind: result.FindingTooFewRounds})
	}
	stand, err := course.Look(rounds, timings)
	if err != nil {
		return out, err
	}
	out.Stand, out.Verdict = &stand, verdictOf(stand.Standing)
	if slices.ContainsFunc(res.Cases, func(c result.Case) bool { return c.Verdict == result.Regression }) {
		out.Verdict = Worse // the gate would say no, whatever the other cases have won
	}
	if out.Verdict == Better && (course.Confirms && slices.ContainsFunc(res.Cases, isUnconfirmed) || isLonger(res)) {
		out.Verdict, out.Unconfirmed = Inconclusive, true
	}
	return out, nil
}

// isUnconfirmed says whether an external timing check does not see half of what it claims to have won in a case.
func isUnconfirmed(c result.Case) bool {
	return rule.CheckTiming(c.Sides()).Likely
}

// isLonger says whether a case takes longer by more than the tolerance when all launches and what they wait for are counted. The few rounds of a search
// may not prove it; they are enough not to call a candidate better.
func isLonger(res *result.Result) bool {
	return slices.ContainsFunc(res.Cases, func(c result.Case) bool {
		return c.Compared() != nil && c.Compared().Elapsed != nil && c.Compared().Elapsed.Theta > math.Log1p(c.Compared().Tolerance)
	})
}

// identical says whether nothing was timed because all code is equal.
func identical(res *result.Result) bool {
	timed := slices.ContainsFunc(res.Kernels, func(k result.Kernel) bool { return k.Status != result.KernelIdentical })
	return len(res.Kernels) > 0 && !timed
}

// unmeasured says whether a finding keeps a candidate from being judged. That a case is slow, noisy or open does not: its rounds are looked at
// together with those of all others.
func unmeasured(f result.Finding) bool {
	switch f.Kind {
	case result.FindingRegression, result.FindingElapsed, result.FindingCumulativeRegression, result.FindingSlowerEstimateOver, result.FindingInconclusive,
		result.FindingInconclusiveFailed, result.FindingInconclusivePassed,
		result.FindingTooFewRounds, result.FindingUnfinished, result.FindingTooNoisy:
		return false
	}
	return f.Against()
}

// faultOf is what a finding says against the candidate; nil where it is not its fault, or about time alone.
func faultOf(f result.Finding, res *result.Result) *Fault {
	fault, kernel := &Fault{Finding: f}, res.KernelOf(f)
	switch f.Kind {
	case result.FindingResource:
		fault.Verdict = Broken
		return fault
	case result.FindingWrongOutput:
		if failure := kernel.Parity.Failure; failure != nil {
			fault.Code, fault.Case = failure.Code, failure.Case
		}
		fault.Verdict = checked(fault.Code)
		return fault
	}
	if f.Side != result.SideHead {
		return nil
	}
	switch f.Kind {
	case result.FindingBuild, result.FindingAdapter, result.FindingKernelRemoved, result.FindingParityError:
		fault.Verdict = Broken
		if kernel.Head != nil {
			fault.Output = kernel.Head.Output
		}
		return fault
	case result.FindingCaseError:
		if i := slices.IndexFunc(res.Cases, f.About); i >= 0 {
			fault.Code = res.Cases[i].ErrorCode
		}
		fault.Verdict = whileTimed(fault.Code)
		return fault
	}
	return nil
}

// checked is the verdict of what parity found.
func checked(code result.Code) Verdict {
	switch {
	case code == result.CodeOutsideWork || code == result.CodeClock || code == result.CodeOtherCase || code == result.CodeInputChanged:
		return Cheating
	case code.EndsProcess() || code == result.CodeLaunchFailed || code == result.CodeSetupFailed:
		return Broken
	}
	return Wrong
}

// whileTimed is the verdict of what was found between timed launches: code that is right in parity and wrong there tells the two apart.
func whileTimed(code result.Code) Verdict {
	if code == result.CodeWrongOutput || code == result.CodeGuardBroken || code == result.CodeBadDelivery {
		return Cheating
	}
	if v := checked(code); v == Cheating {
		return v
	}
	return Broken
}
