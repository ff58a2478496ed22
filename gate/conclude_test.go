package gate

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// open is a case that all looks left open: theta and mde as given.
func open(theta, mde float64) CaseOutcome {
	return CaseOutcome{
		Name: "k/S=1", Verdict: Inconclusive, LooksDone: 8,
		Comparison: &Comparison{Rounds: 36, Theta: theta, Low: theta - 0.01, High: theta + 0.01, MDE: mde},
	}
}

func verdict(v Verdict) CaseOutcome { return CaseOutcome{Name: "k/S=1", Verdict: v, LooksDone: 1} }

func TestConcludeCases(t *testing.T) {
	with := func(c CaseOutcome, change func(*CaseOutcome)) CaseOutcome { change(&c); return c }
	tests := []struct {
		name  string
		cases []CaseOutcome
		on    OnInconclusive
		exit  ExitCode
		says  string // in a reason, or in a note if the run passes
	}{
		{"nothing at all", nil, "", 3, "nothing was measured"},
		{"same", []CaseOutcome{verdict(Same)}, "", 0, ""},
		{"slower is within the tolerance", []CaseOutcome{verdict(Slower)}, "", 0, ""},
		{"faster", []CaseOutcome{verdict(Faster)}, "", 0, ""},
		{"improvement", []CaseOutcome{verdict(Improvement)}, "", 0, ""},
		{"new", []CaseOutcome{verdict(New)}, "", 0, ""},
		{"regression", []CaseOutcome{verdict(Same), verdict(Regression)}, "", 1, "k/S=1: regression"},
		{"error on head", []CaseOutcome{{Verdict: Error, ErrorSide: SideHead, Reason: "crashed"}}, "", 1, "crashed"},
		{"error on base", []CaseOutcome{{Verdict: Error, ErrorSide: SideBase}}, "", 3, "base could not"},
		{"error on both", []CaseOutcome{{Verdict: Error, ErrorSide: SideBoth}}, "", 3, "neither side"},
		{"error of nobody", []CaseOutcome{{Verdict: Error}}, "", 3, "could not be measured"},
		{"one error among greens is not green", []CaseOutcome{verdict(Same), {Verdict: Error, ErrorSide: SideBase}}, "", 3, "base"},
		{"regression wins over error", []CaseOutcome{{Verdict: Error, ErrorSide: SideBase}, verdict(Regression)}, "", 1, "regression"},
		{"skipped without a reason elsewhere", []CaseOutcome{verdict(Same), verdict(Skipped)}, "", 3, "was not timed"},
		{"only skipped", []CaseOutcome{verdict(Skipped)}, "", 3, "was not timed"},
		{"unknown verdict", []CaseOutcome{verdict("fine")}, "", 3, "no such verdict"},
		{"empty verdict", []CaseOutcome{verdict("")}, "", 3, "no such verdict"},

		{"open, estimate over", []CaseOutcome{open(0.02, 0.01)}, "", 1, "over the tolerance"},
		{"open, estimate under", []CaseOutcome{open(0.01, 0.01)}, "", 0, "within the tolerance"},
		{"open, estimate exactly at", []CaseOutcome{open(math.Log1p(0.015), 0.01)}, "", 0, "within the tolerance"},
		{"open, runner just good enough", []CaseOutcome{open(0.02, 0.03)}, "", 1, "over the tolerance"},
		{"open, runner too noisy", []CaseOutcome{open(0.02, 0.031)}, "", 3, "too noisy"},
		{"open, runner too noisy, estimate fine", []CaseOutcome{open(0, 0.031)}, "", 3, "too noisy"},
		{"open, MDE unknown", []CaseOutcome{open(0, math.NaN())}, "", 3, "too noisy"},
		{"open, policy pass", []CaseOutcome{open(0.02, 0.5)}, "pass", 0, "passed by policy"},
		{"open, policy fail", []CaseOutcome{open(-0.02, 0.01)}, "fail", 1, "failed by policy"},

		{"budget gone after two looks, policy pass", []CaseOutcome{with(open(0, 0.01), func(c *CaseOutcome) {
			c.LooksDone, c.BudgetGone, c.BudgetNeeded = 2, true, 750
		})}, "pass", 3, "about 12m30s"},
		{"budget gone after two looks, policy fail", []CaseOutcome{with(open(0.05, 0.01), func(c *CaseOutcome) {
			c.LooksDone, c.BudgetGone = 2, true
		})}, "fail", 3, "budget is spent"},
		{"undecided when the run ended", []CaseOutcome{with(open(0.05, 0.01), func(c *CaseOutcome) {
			c.Verdict = Undecided
		})}, "pass", 3, "still open"},
		{"three rounds", []CaseOutcome{with(open(0.05, 0.01), func(c *CaseOutcome) {
			c.Comparison.Rounds = 3
		})}, "pass", 3, "fewer than 4 complete rounds"},
		{"no round at all", []CaseOutcome{{Verdict: Inconclusive, BudgetGone: true, BudgetNeeded: 60}}, "pass", 3, "about 1m"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := Default()
			if tt.on != "" {
				p.OnInconclusive = tt.on
			}
			checkConclusion(t, Conclude(tt.cases, nil, p), tt.exit, tt.says)
		})
	}
}

func TestConcludeKernels(t *testing.T) {
	ok := []CaseOutcome{verdict(Same)}
	skipped := []CaseOutcome{verdict(Skipped)}
	tests := []struct {
		name   string
		kernel KernelOutcome
		cases  []CaseOutcome
		exit   ExitCode
		says   string
	}{
		{"all is well", KernelOutcome{Parity: ParityPassed}, ok, 0, ""},
		{"parity failed, nothing timed", KernelOutcome{Parity: ParityFailed, Reason: "wrong-output"}, skipped, 1, "wrong-output"},
		{"parity failed beside green cases", KernelOutcome{Parity: ParityFailed}, ok, 1, "parity failed"},
		{"parity skipped is never green", KernelOutcome{Parity: ParitySkipped}, ok, 3, "nothing shows"},
		{"parity switched off is said", KernelOutcome{Parity: ParityOff}, ok, 0, "switched off"},
		{"parity skipped and nothing timed", KernelOutcome{Parity: ParitySkipped}, nil, 3, "nothing shows"},
		{"parity passed and nothing timed", KernelOutcome{Parity: ParityPassed}, nil, 3, "nothing was measured"},
		{"parity impossible by head", KernelOutcome{Parity: ParityError, ParitySide: SideHead}, skipped, 1, "could not be checked"},
		{"parity impossible by base", KernelOutcome{Parity: ParityError, ParitySide: SideBase}, ok, 3, "could not be checked"},
		{"parity impossible by nobody", KernelOutcome{Parity: ParityError}, ok, 3, "could not be checked"},
		{"head does not build", KernelOutcome{Head: BuildFailed}, skipped, 1, "head does not build"},
		{"adapter does not build against head", KernelOutcome{Head: BuildUnfit, Reason: "head needs an adapter change and the label"}, skipped, 1, ": head needs an adapter change and the label"},
		{"nor against head, nor base", KernelOutcome{Base: BuildFailed, Head: BuildUnfit}, skipped, 3, "neither"},
		{"base does not build", KernelOutcome{Base: BuildFailed}, skipped, 3, "base does not build"},
		{"neither builds", KernelOutcome{Base: BuildFailed, Head: BuildFailed}, skipped, 3, "neither"},
		{"new kernel", KernelOutcome{Base: BuildAbsent, Parity: ParityPassed}, []CaseOutcome{verdict(New)}, 0, ""},
		{"new kernel that does not build", KernelOutcome{Base: BuildAbsent, Head: BuildFailed}, nil, 1, "head does not build"},
		{"kernel gone", KernelOutcome{Head: BuildAbsent}, skipped, 1, "no longer has"},
		{"kernel nowhere", KernelOutcome{Base: BuildAbsent, Head: BuildAbsent}, nil, 3, "neither base nor head has"},
		{"resource limit", KernelOutcome{Limits: []string{"registers 200 > 128"}}, ok, 1, "registers 200 > 128"},
		{"resource limit wins over base error", KernelOutcome{Base: BuildFailed, Limits: []string{"spill"}}, skipped, 1, "spill"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkConclusion(t, Conclude(tt.cases, []KernelOutcome{tt.kernel}, Default()), tt.exit, tt.says)
		})
	}
}

func checkConclusion(t *testing.T, c Conclusion, exit ExitCode, says string) {
	t.Helper()
	if c.Exit != exit {
		t.Errorf("exit %d, want %d; reasons %q", c.Exit, exit, c.Reasons)
	}
	verdicts := map[ExitCode]string{0: "pass", 1: "fail", 3: "error"}
	if c.Verdict != verdicts[c.Exit] {
		t.Errorf("verdict %q with exit %d", c.Verdict, c.Exit)
	}
	if (c.Exit == ExitPassed) != (len(c.Reasons) == 0) {
		t.Errorf("exit %d with reasons %q", c.Exit, c.Reasons)
	}
	said := slices.Concat(c.Reasons, c.Notes)
	if says != "" && !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, says) }) {
		t.Errorf("nothing of %q says %q", said, says)
	}
}

func TestConcludeCountsEveryCase(t *testing.T) {
	c := Conclude([]CaseOutcome{verdict(Same), verdict(Same), verdict(Faster), verdict(Regression)}, nil, Default())
	if c.Counts[Same] != 2 || c.Counts[Faster] != 1 || c.Counts[Regression] != 1 {
		t.Errorf("counts %v", c.Counts)
	}
}

func TestSingleLookLetsThePolicySpeak(t *testing.T) {
	p := Default()
	p.PlannedLooks = 1
	c := open(0.02, 0.01)
	c.LooksDone = 1
	checkConclusion(t, Conclude([]CaseOutcome{c}, nil, p), ExitFailed, "over the tolerance")
}

func TestFailuresComeBeforeErrors(t *testing.T) {
	c := Conclude([]CaseOutcome{{Name: "a", Verdict: Error}, {Name: "b", Verdict: Regression}}, nil, Default())
	if len(c.Reasons) != 2 || !strings.HasPrefix(c.Reasons[0], "b: regression") {
		t.Errorf("reasons %q", c.Reasons)
	}
}
