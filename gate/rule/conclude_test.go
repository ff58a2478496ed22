package rule

import (
	"slices"
	"testing"

	"github.com/org/perfgate/gate/result"
)

func verdict(v result.Verdict) result.Case {
	return result.Case{Name: "k/S=1", Kernel: "k", Verdict: v, Looks: looks(1)}
}

func looks(n int) []result.Look { return make([]result.Look, n) }

// Only what is about the time of a case can be accepted. A goal is no case's.
func TestOnlyTimesAreAcceptable(t *testing.T) {
	for _, kind := range result.FindingKinds {
		if kind == result.FindingGoalMissed || kind == result.FindingGoalInconclusiveFailed {
			if f := (result.Finding{Kind: kind, Side: result.SideHead, Effect: EffectOf(kind, result.SideHead)}); Acceptable(f) {
				t.Errorf("%s is acceptable", kind)
			}
			continue
		}
		c := Add(result.Conclusion{}, result.Finding{Kind: kind, Kernel: "k", Case: "k/n=1", Side: result.SideHead})
		want := slices.Contains([]result.FindingKind{result.FindingRegression, result.FindingElapsed, result.FindingCumulativeRegression, result.FindingSlowerEstimateOver, result.FindingInconclusiveFailed,
			result.FindingSpeedupMissed, result.FindingSpeedupEstimateBelow, result.FindingSpeedupInconclusiveFailed, result.FindingTooNoisy, result.FindingInconclusive, result.FindingProcessTime, result.FindingSpeedupInconclusive}, kind)
		accepted := Accept(c, func(result.Finding) bool { return true })
		if got := len(accepted.With(result.EffectAccepted)) == 1; got != want {
			t.Errorf("%s is accepted: %v, want %v", kind, got, want)
		}
		if !want && accepted.Exit != c.Exit {
			t.Errorf("%s: exit %d became %d", kind, c.Exit, accepted.Exit)
		}
	}
}

// A kind without a rule would let no run pass.
func TestEveryKindHasARule(t *testing.T) {
	for _, kind := range result.FindingKinds {
		if _, known := rules[kind]; !known {
			t.Errorf("%s has no rule: name its effect in rules (findings.go)", kind)
		}
		for _, side := range []result.Side{result.SideHead, result.SideBase} {
			f := result.Finding{Kind: kind, Side: side, Effect: EffectOf(kind, side)}
			if (ProblemOf(f) == ProblemNone) != (f.Effect == result.EffectNote) {
				t.Errorf("%s of %s: effect %s with problem %q", kind, side, f.Effect, ProblemOf(f))
			}
		}
	}
	if len(rules) != len(result.FindingKinds) {
		t.Errorf("%d rules for %d kinds", len(rules), len(result.FindingKinds))
	}
}

// A label accepts an open case by its name alone: a pattern that happens to match says nothing of a case without an answer.
func TestOpenCasesAreAcceptedByName(t *testing.T) {
	open := result.Finding{Kind: result.FindingInconclusive, Kernel: "k", Case: "k/S=1"}
	for pattern, want := range map[string]result.ExitCode{"k/S=1": result.ExitPassed, "k/*": result.ExitNotMeasurable, "k": result.ExitNotMeasurable} {
		r := &result.Result{Conclusion: Add(result.Conclusion{}, open)}
		if AcceptAsked(r, []Acceptance{{pattern, "known"}}, "someone", "a label"); r.Conclusion.Exit != want {
			t.Errorf("%s: exit %d, want %d", pattern, r.Conclusion.Exit, want)
		}
	}
}
