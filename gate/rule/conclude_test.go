package rule

import (
	"math"
	"slices"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// open is a case that all looks left open: theta and mde as given.
func open(theta, mde float64) result.Case {
	return result.Case{
		Name: "k/S=1", Kernel: "k", Verdict: result.Inconclusive, Looks: looks(mostLooks),
		Comparisons: result.HeadToBase(&result.Comparison{Rounds: 34, Theta: theta, Low: theta - 0.01, High: theta + 0.01, PassHigh: theta + 0.01, MDE: mde}),
	}
}

func verdict(v result.Verdict) result.Case {
	return result.Case{Name: "k/S=1", Kernel: "k", Verdict: v, Looks: looks(1)}
}

func looks(n int) []result.Look { return make([]result.Look, n) }

func TestConcludeCases(t *testing.T) {
	with := func(c result.Case, change func(*result.Case)) result.Case { change(&c); return c }
	tests := []struct {
		name  string
		cases []result.Case
		on    result.OnInconclusive
		exit  result.ExitCode
		kind  result.FindingKind // the one finding; "" if there is none
	}{
		{"nothing at all", nil, "", 3, result.FindingNothingMeasured},
		{"same", []result.Case{verdict(result.Same)}, "", 0, ""},
		{"slower is within the tolerance", []result.Case{verdict(result.Slower)}, "", 0, ""},
		{"faster", []result.Case{verdict(result.Faster)}, "", 0, ""},
		{"improvement", []result.Case{verdict(result.Improvement)}, "", 0, ""},
		{"new", []result.Case{verdict(result.New)}, "", 0, ""},
		{"regression", []result.Case{verdict(result.Same), verdict(result.Regression)}, "", 1, result.FindingRegression},
		{"error on head", []result.Case{{Verdict: result.Error, ErrorSide: result.SideHead, Reason: result.Message("crashed")}}, "", 1, result.FindingCaseError},
		{"error on base", []result.Case{{Verdict: result.Error, ErrorSide: result.SideBase}}, "", 3, result.FindingCaseError},
		{"error on both", []result.Case{{Verdict: result.Error, ErrorSide: result.SideBoth}}, "", 3, result.FindingCaseError},
		{"error, side unknown", []result.Case{{Verdict: result.Error}}, "", 3, result.FindingCaseError},
		{"one error among greens is not green", []result.Case{verdict(result.Same), {Verdict: result.Error, ErrorSide: result.SideBase}}, "", 3, result.FindingCaseError},
		{"regression wins over error", []result.Case{{Verdict: result.Error, ErrorSide: result.SideBase}, verdict(result.Regression)}, "", 1, result.FindingRegression},
		{"skipped without a reason elsewhere", []result.Case{verdict(result.Same), verdict(result.Skipped)}, "", 3, result.FindingNotTimed},
		{"only skipped", []result.Case{verdict(result.Skipped)}, "", 3, result.FindingNotTimed},
		{"unknown verdict", []result.Case{verdict("fine")}, "", 3, result.FindingUnknownVerdict},
		{"empty verdict", []result.Case{verdict("")}, "", 3, result.FindingUnknownVerdict},

		{"open, slower, estimate over", []result.Case{open(0.02, 0.01)}, "", 1, result.FindingSlowerEstimateOver},
		{"open, slower, estimate under", []result.Case{open(0.012, 0.01)}, "", 3, result.FindingInconclusive},
		{"open, estimate under", []result.Case{open(0.01, 0.01)}, "", 3, result.FindingInconclusive},
		{"open, estimate over, not significantly slower", []result.Case{with(open(0.02, 0.01), func(c *result.Case) { c.Compared().Low = 0 })}, "", 3, result.FindingInconclusive},
		{"open, estimate exactly at", []result.Case{open(math.Log1p(0.015), 0.01)}, "", 3, result.FindingInconclusive},
		{"open, runner just good enough", []result.Case{open(0.02, 0.03)}, "", 1, result.FindingSlowerEstimateOver},
		{"open, runner too noisy", []result.Case{open(0.02, 0.031)}, "", 3, result.FindingTooNoisy},
		{"open, runner too noisy, estimate fine", []result.Case{open(0, 0.031)}, "", 3, result.FindingTooNoisy},
		{"open, MDE unknown", []result.Case{open(0, math.NaN())}, "", 3, result.FindingTooNoisy},
		{"open, policy pass", []result.Case{open(0.02, 0.5)}, "pass", 0, result.FindingInconclusivePassed},
		{"open, policy fail", []result.Case{open(-0.02, 0.01)}, "fail", 1, result.FindingInconclusiveFailed},

		{"budget gone after two looks, policy pass", []result.Case{with(open(0, 0.01), func(c *result.Case) {
			c.Looks, c.BudgetGone, c.BudgetNeededS = looks(2), true, 750
		})}, "pass", 3, result.FindingUnfinished},
		{"budget gone after two looks, policy fail", []result.Case{with(open(0.05, 0.01), func(c *result.Case) {
			c.Looks, c.BudgetGone = looks(2), true
		})}, "fail", 3, result.FindingUnfinished},
		{"undecided when the run ended", []result.Case{with(open(0.05, 0.01), func(c *result.Case) {
			c.Verdict = result.Undecided
		})}, "pass", 3, result.FindingUnfinished},
		{"no round at all", []result.Case{{Verdict: result.Inconclusive, BudgetGone: true, BudgetNeededS: 60}}, "pass", 3, result.FindingTooFewRounds},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := Default()
			if tt.on != "" {
				p.OnInconclusive = tt.on
			}
			checkConclusion(t, Conclude(tt.cases, nil, p), tt.exit, tt.kind)
		})
	}
}

func TestConcludeKernels(t *testing.T) {
	ok := []result.Case{verdict(result.Same)}
	skipped := []result.Case{verdict(result.Skipped)}
	built, broken := &result.Build{}, &result.Build{Failed: true}
	unfit := &result.Build{Failed: true, Cause: result.CauseAdapter}
	parity := func(status result.ParityStatus) result.Kernel {
		return result.Kernel{Base: built, Head: built, Parity: result.Parity{Status: status}}
	}
	by := func(side result.Side) result.Kernel {
		k := parity(result.ParityError)
		k.Parity.ErrorSide = side
		return k
	}
	builds := func(base, head *result.Build, limits ...result.OverLimit) result.Kernel {
		return result.Kernel{Base: base, Head: head, Limits: limits, Parity: result.Parity{Status: result.ParityPassed}}
	}
	tests := []struct {
		name   string
		kernel result.Kernel
		cases  []result.Case
		exit   result.ExitCode
		kind   result.FindingKind
	}{
		{"all is well", parity(result.ParityPassed), ok, 0, ""},
		{"parity failed, nothing timed", parity(result.ParityFailed), skipped, 1, result.FindingWrongOutput},
		{"parity failed beside green cases", parity(result.ParityFailed), ok, 1, result.FindingWrongOutput},
		{"parity skipped is never green", parity(result.ParitySkipped), ok, 3, result.FindingParitySkipped},
		{"parity switched off is said", parity(result.ParityOff), ok, 0, result.FindingParityOff},
		{"parity skipped and nothing timed", parity(result.ParitySkipped), nil, 3, result.FindingParitySkipped},
		{"parity passed and nothing timed", parity(result.ParityPassed), nil, 3, result.FindingNothingMeasured},
		{"parity impossible by head", by(result.SideHead), skipped, 1, result.FindingParityError},
		{"parity impossible by base", by(result.SideBase), ok, 3, result.FindingParityError},
		{"parity impossible by both", by(result.SideBoth), ok, 3, result.FindingParityError},
		{"parity impossible, side unknown", by(""), ok, 3, result.FindingParityError},
		{"head does not build", builds(built, broken), skipped, 1, result.FindingBuild},
		{"adapter does not build against head", builds(built, unfit), skipped, 1, result.FindingAdapter},
		{"nor against head, nor base", builds(broken, unfit), skipped, 3, result.FindingBuild},
		{"base does not build", builds(broken, built), skipped, 3, result.FindingBuild},
		{"neither builds", builds(broken, broken), skipped, 3, result.FindingBuild},
		{"new kernel", builds(nil, built), []result.Case{verdict(result.New)}, 0, ""},
		{"new kernel that does not build", builds(nil, broken), nil, 1, result.FindingBuild},
		{"kernel gone", builds(built, nil), skipped, 1, result.FindingKernelRemoved},
		{"kernel nowhere", builds(nil, nil), nil, 3, result.FindingKernelRemoved},
		{"resource limit", builds(built, built, result.OverLimit{Key: "registers", Needs: 200, Limit: 128}), ok, 1, result.FindingResource},
		{"resource limit wins over base error", builds(broken, built, result.OverLimit{Key: "spill-bytes"}), skipped, 1, result.FindingResource},
		{
			"none of its cases can be measured",
			result.Kernel{Base: built, Head: built, Status: result.KernelError, Parity: result.Parity{Status: result.ParitySkipped}}, skipped, 3, result.FindingKernelUnmeasured,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.kernel.Name = "k"
			checkConclusion(t, Conclude(tt.cases, []result.Kernel{tt.kernel}, Default()), tt.exit, tt.kind)
		})
	}
}

// checkConclusion wants an exit code, and a finding of a kind that has that effect; no finding at all for "".
func checkConclusion(t *testing.T, c result.Conclusion, exit result.ExitCode, kind result.FindingKind) {
	t.Helper()
	if c.Exit != exit {
		t.Errorf("exit %d, want %d; findings %+v", c.Exit, exit, c.Findings)
	}
	verdicts := map[result.ExitCode]result.RunVerdict{0: "pass", 1: "fail", 3: "error"}
	if c.Verdict != verdicts[c.Exit] {
		t.Errorf("verdict %q with exit %d", c.Verdict, c.Exit)
	}
	if (c.Exit == result.ExitPassed) != (len(c.Against()) == 0) {
		t.Errorf("exit %d with findings %+v", c.Exit, c.Findings)
	}
	effect := map[result.ExitCode]result.Effect{0: result.EffectNote, 1: result.EffectFails, 3: result.EffectUnmeasured}[exit]
	switch {
	case kind == "" && len(c.Findings) > 0:
		t.Errorf("findings %+v, want none", c.Findings)
	case kind != "" && (len(c.Findings) == 0 || c.Findings[0].Kind != kind || c.Findings[0].Effect != effect):
		t.Errorf("findings %+v, want %s first, with effect %s", c.Findings, kind, effect)
	}
}

func TestConcludeCountsEveryCase(t *testing.T) {
	c := Conclude([]result.Case{verdict(result.Same), verdict(result.Same), verdict(result.Faster), verdict(result.Regression)}, nil, Default())
	if c.Counts[result.Same] != 2 || c.Counts[result.Faster] != 1 || c.Counts[result.Regression] != 1 {
		t.Errorf("counts %v", c.Counts)
	}
}

func TestSingleLookLetsThePolicySpeak(t *testing.T) {
	p := Default()
	p.PlannedLooks = 1
	c := open(0.02, 0.01)
	c.Looks = looks(1)
	checkConclusion(t, Conclude([]result.Case{c}, nil, p), result.ExitFailed, result.FindingSlowerEstimateOver)
}

// An open case says at which tolerance it would have passed, and what could have been seen.
func TestOpenCasesSayWhereTheyWouldHavePassed(t *testing.T) {
	f := Conclude([]result.Case{open(0.01, 0.02)}, nil, Default()).Findings[0]
	if f.Kind != result.FindingInconclusive || f.MDE != 0.02 || math.Abs(f.PassesAt-math.Expm1(0.02)) > 1e-12 {
		t.Errorf("%+v", f)
	}
	p := Default()
	p.Tolerance = f.PassesAt + 1e-9
	if v := Decide(*open(0.01, 0.02).Compared(), p, true); v != result.Same && v != result.Slower {
		t.Errorf("at a tolerance just over it the case is %s", v)
	}
}

// A label accepts an open case by its name alone: a pattern that happens to match says nothing of a case without an answer.
func TestOpenCasesAreAcceptedByName(t *testing.T) {
	for pattern, want := range map[string]result.ExitCode{"k/S=1": result.ExitPassed, "k/*": result.ExitNotMeasurable, "k": result.ExitNotMeasurable} {
		r := &result.Result{Conclusion: Conclude([]result.Case{open(0.01, 0.02)}, nil, Default())}
		AcceptAsked(r, []Acceptance{{pattern, "known"}}, "someone", "a label")
		if r.Conclusion.Exit != want {
			t.Errorf("%s: exit %d, want %d", pattern, r.Conclusion.Exit, want)
		}
	}
}

// More of the budget is not asked for where all looks would end in "too noisy".
func TestUnfinishedSaysWhereMoreTimeWouldNotHelp(t *testing.T) {
	for _, tt := range []struct {
		s        float64 // of a process, log
		on       result.OnInconclusive
		hopeless bool
	}{
		{0.007, "", false}, {0.5, "", true}, {0.5, result.OnInconclusivePass, false}, {math.NaN(), "", false},
	} {
		p := Default()
		if tt.on != "" {
			p.OnInconclusive = tt.on
		}
		c := open(0, 0.5)
		c.Looks, c.BudgetGone, c.BudgetNeededS, c.Compared().Rounds, c.Compared().S = looks(2), true, 90, 6, tt.s
		got := Conclude([]result.Case{c}, nil, p).Findings[0]
		if got.Kind != result.FindingUnfinished || (got.MDE > 2*p.Tolerance) != tt.hopeless {
			t.Errorf("s %g, %q: %+v, hopeless should be %v", tt.s, tt.on, got, tt.hopeless)
		}
	}
}

func TestFailuresComeBeforeErrors(t *testing.T) {
	c := Conclude([]result.Case{{Name: "a", Verdict: result.Error}, {Name: "b", Verdict: result.Regression}}, nil, Default())
	if len(c.Findings) != 2 || c.Findings[0].Kind != result.FindingRegression || c.Findings[0].Case != "b" {
		t.Errorf("findings %+v", c.Findings)
	}
}

// An accepted regression swallows nothing else: a kernel without parameters and its one case have the same name, and parity
// that was skipped passed with it.
func TestAcceptedRegressionLeavesOtherFindings(t *testing.T) {
	k := result.Kernel{Name: "k", Base: &result.Build{}, Head: &result.Build{}, Parity: result.Parity{Status: result.ParitySkipped}}
	c := Conclude([]result.Case{{Name: "k", Kernel: "k", Verdict: result.Regression, Looks: looks(1)}}, []result.Kernel{k}, Default())
	c = Accept(c, func(result.Finding) bool { return true })
	if c.Exit != result.ExitNotMeasurable || !c.Has(result.FindingParitySkipped) {
		t.Errorf("exit %d, findings %+v", c.Exit, c.Findings)
	}
	if got := c.With(result.EffectAccepted); len(got) != 1 || got[0].Kind != result.FindingRegression {
		t.Errorf("accepted %+v", got)
	}
}

// Cases that were left out for nothing that is said of their kernel keep a run from passing, also once a regression beside
// them is accepted.
func TestAcceptedRegressionLeavesCasesThatWereNotTimed(t *testing.T) {
	c := Conclude([]result.Case{{Name: "a/n=1", Kernel: "a", Verdict: result.Regression}, {Name: "b/n=1", Kernel: "b", Verdict: result.Skipped}}, nil, Default())
	if c = Accept(c, func(result.Finding) bool { return true }); c.Exit != result.ExitNotMeasurable {
		t.Errorf("exit %d, findings %+v", c.Exit, c.Findings)
	}
}

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
			t.Errorf("%s has no rule", kind)
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
