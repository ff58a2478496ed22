package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/kernelstest"
)

// comparedExample is what would be measured of an example whose head takes as long as base, or twice as long, up to where it is profiled.
func comparedExample(t *testing.T, opt Options, slower bool) (*explaining, *Measured) {
	t.Helper()
	s, v := builtRun(t, opt)
	if !slower {
		return s.explaining(), comparedAs(v.Builds.On[0], result.Same, 1e6, 1e6)
	}
	return s.explaining(), comparedAs(v.Builds.On[0], result.Regression, 1e6, 2e6)
}

// TestRegressionComesWithItsReason plants an extra pass on the CPU: the run says that more instructions are executed, and how
// many, without having been asked.
func TestRegressionComesWithItsReason(t *testing.T) {
	if _, err := profile.FindCounter(context.Background()); err != nil {
		kernelstest.Missing(t, err.Error())
	}
	kernelstest.Live(t)
	opt := quick(t, "attention", "attention", "-DPG_FAULT_EXTRA_PASS=1")
	opt.Profile.Policy = "" // auto, as of a run that was told nothing
	x, m := comparedExample(t, opt, true)
	found, err := x.explain(t.Context(), m)
	c, e := theCase(m).Record, theCase(m).Record.Evidence
	if err != nil || e == nil {
		t.Fatalf("%v, no evidence: %+v", err, found)
	}
	if len(e.Causes) != 1 || e.Causes[0].ID != "more-instructions" || e.Log != c.Compared().Theta || e.Source == "" {
		t.Errorf("%+v", e)
	}
	if len(e.Roofline) != 2 || e.Roofline[1].CountedBytes != c.Bytes || e.Roofline[1].FlopRate <= 0 || e.Roofline[1].ShareOfRoof != 0 {
		t.Errorf("roofline of what the adapter counts: %+v", e.Roofline)
	}
}

// An interruption while reasons are looked for takes no verdict back.
func TestInterruptedEvidenceLeavesTheVerdicts(t *testing.T) {
	kernelstest.Live(t)
	opt := quick(t, "saxpy", "saxpy")
	opt.Profile.Policy = result.ProfileAlways
	x, m := comparedExample(t, opt, false)
	interrupted, stop := context.WithCancel(t.Context())
	stop()
	e, err := x.evidence(interrupted, m)
	if err != nil || e == nil || len(m.Notes) == 0 || theCase(m).Record.Verdict != result.Same {
		t.Errorf("%v, evidence %+v, notes %q", err, e, m.Notes)
	}
}

// TestProfilePolicies: never looks at nothing, always looks at a case that did not change, and names no cause for it.
func TestProfilePolicies(t *testing.T) {
	kernelstest.Live(t)
	if _, err := profile.FindCounter(context.Background()); err != nil {
		kernelstest.Missing(t, err.Error())
	}
	opt := quick(t, "saxpy", "saxpy")
	opt.Profile.Policy = result.ProfileAlways
	x, m := comparedExample(t, opt, false)
	if e, err := x.explain(t.Context(), m); err != nil || theCase(m).Record.Evidence == nil || len(theCase(m).Record.Evidence.Causes) > 0 {
		t.Errorf("always, unchanged code: %v, %+v, %+v", err, e, m.On)
	}
	x.ask.Policy, m.On[0].Cases[0].Record.Evidence = result.ProfileNever, nil
	if e, err := x.explain(t.Context(), m); err != nil || theCase(m).Record.Evidence != nil || len(e.Gaps) > 0 || e.Policy != result.ProfileNever {
		t.Errorf("never: %v, %+v", err, e)
	}
}

// TestGapIsNoFailure runs where nothing can count instructions: the verdict stands, and the gap is said with its cure.
func TestGapIsNoFailure(t *testing.T) {
	kernelstest.Live(t)
	opt := quick(t, "saxpy", "saxpy")
	opt.Profile.Policy = result.ProfileAlways
	x, m := comparedExample(t, opt, false)
	t.Setenv("PATH", t.TempDir()) // neither perf nor valgrind
	e, err := x.explain(t.Context(), m)
	if err != nil || theCase(m).Record.Evidence != nil || len(e.Gaps) != 1 || e.Gaps[0].Kind != result.GapAbsent || e.Gaps[0].Cure == "" {
		t.Errorf("%v, %+v", err, e)
	}
	v := Values{Asked: Asked{Plan: &plan.Plan{Kernels: []plan.KernelPlan{m.On[0].Plan}}, Frame: result.Result{Policy: Policy(opt.Trusted.Config, &plan.Plan{K: 1}, 0, false)}}, Measured: *m, Evidence: e}
	v.Measured.On[0].Parity.Status = result.ParityPassed
	if res := v.Assemble(); res.Conclusion.Exit != result.ExitPassed || res.Cases[0].Evidence != nil {
		t.Errorf("exit %d, evidence %+v", res.Conclusion.Exit, res.Cases[0].Evidence)
	}
}

// TestCountGaps: a limit and a kernel that fails have kinds and cures of their own; nothing is told that is no help.
func TestCountGaps(t *testing.T) {
	for want, err := range map[result.GapKind]error{
		result.GapTimeLimit:    fmt.Errorf("%w: more than 2s (signal: killed)", profile.ErrCountTime),
		result.GapKernelFailed: fmt.Errorf("count: %w", &kernels.RunnerError{Code: "crashed", Message: "Illegal instruction"}),
		result.GapOther:        errors.New("callgrind's file has no total"),
	} {
		g := countGap("callgrind", "k/n=1", result.SideHead, err)
		if g.Kind != want || g.Text == "" || g.Cure == "" || strings.Contains(g.Cure, "verdict") || want == result.GapTimeLimit && !strings.Contains(g.Cure, "profile-budget") {
			t.Errorf("%v: %+v", err, g)
		}
	}
}

// TestCountWithoutComparison: a number of instructions alone explains nothing, and the report says so, and where it says why.
func TestCountWithoutComparison(t *testing.T) {
	x, m := nsightRun(t)
	c := &m.On[0].Cases[0].Record
	c.Verdict, c.Reason = result.Error, result.Message("no complete round")
	c.SetComparison(result.VariantHead, result.VariantBase, nil)
	e, gap := x.instructions(t.Context(), profile.Counter{Name: "callgrind"}, theCase(m), time.Minute)
	if e != nil || gap == nil || gap.Kind != result.GapNotCompared || !strings.Contains(gap.Cure, "row of the cases") {
		t.Errorf("%+v, %+v", e, gap)
	}
}
