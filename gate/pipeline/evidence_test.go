package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/kernelstest"
)

// TestRegressionComesWithItsReason plants an extra pass on the CPU: the run says that more instructions are executed, and how
// many, without having been asked.
func TestRegressionComesWithItsReason(t *testing.T) {
	if _, err := profile.FindCounter(context.Background()); err != nil {
		kernelstest.Missing(t, err.Error())
	}
	kernelstest.Live(t)
	opt := quick(t, "attention", "attention", "-DPG_FAULT_EXTRA_PASS=1")
	opt.Profile.Policy = "" // auto, as of a run that was told nothing
	res := runIt(t, opt)
	c := res.Cases[0]
	if c.Verdict != result.Regression {
		t.Fatalf("verdict %s: %s", c.Verdict, c.Reason)
	}
	e := c.Evidence
	if e == nil || res.Evidence == nil {
		t.Fatalf("no evidence: %+v", res.Evidence)
	}
	if len(e.Causes) != 1 || e.Causes[0].ID != "more-instructions" || e.Log != c.Compared.Theta || e.Source == "" {
		t.Errorf("%+v", e)
	}
	if len(e.Roofline) != 2 || e.Roofline[1].CountedBytes != c.Bytes || e.Roofline[1].FlopRate <= 0 || e.Roofline[1].ShareOfRoof != 0 {
		t.Errorf("roofline of what the adapter counts: %+v", e.Roofline)
	}
	if err := result.Check(res); err != nil {
		t.Error(err)
	}
}

// TestProfilePolicies: never looks at nothing, always looks at a case that did not change, and names no cause for it.
func TestProfilePolicies(t *testing.T) {
	kernelstest.Live(t)
	if _, err := profile.FindCounter(context.Background()); err != nil {
		kernelstest.Missing(t, err.Error())
	}
	opt := quick(t, "saxpy", "saxpy")
	opt.NoSkip, opt.Profile.Policy = true, result.ProfileAlways
	opt.Trusted.Config.Gate.Tolerance = 0.9 // the first look decides
	res := runIt(t, opt)
	if e := res.Cases[0].Evidence; e == nil || len(e.Causes) > 0 {
		t.Errorf("always, unchanged code: %+v", e)
	}
	opt = quick(t, "saxpy", "saxpy")
	opt.NoSkip, opt.Profile.Policy = true, result.ProfileNever
	opt.Trusted.Config.Gate.Tolerance = 0.9
	res = runIt(t, opt)
	if res.Cases[0].Evidence != nil || res.Evidence == nil || len(res.Evidence.Gaps) > 0 || res.Evidence.Policy != result.ProfileNever {
		t.Errorf("never: %+v", res.Evidence)
	}
}

// TestGapIsNoFailure runs where nothing can count instructions: the verdict stands, and the gap is said with its cure.
func TestGapIsNoFailure(t *testing.T) {
	kernelstest.Live(t)
	bin := t.TempDir()
	for _, tool := range []string{"g++", "cc", "gcc", "c++", "ld", "as", "sh", "git"} { // all but perf and valgrind
		if path, err := exec.LookPath(tool); err == nil {
			if err := os.Symlink(path, filepath.Join(bin, tool)); err != nil && !errors.Is(err, os.ErrExist) {
				t.Fatal(err)
			}
		}
	}
	if compiler, err := exec.LookPath("c++"); err == nil && os.Getenv("CXX") == "" {
		t.Setenv("CXX", compiler) // that of the other tests, whose harness is there already
	}
	t.Setenv("PATH", bin)
	opt := quick(t, "saxpy", "saxpy")
	opt.NoSkip, opt.Profile.Policy = true, result.ProfileAlways
	opt.Trusted.Config.Gate.Tolerance = 0.9
	res := runIt(t, opt)
	if res.Conclusion.Exit != result.ExitPassed || res.Cases[0].Evidence != nil {
		t.Errorf("exit %d, evidence %+v", res.Conclusion.Exit, res.Cases[0].Evidence)
	}
	if len(res.Evidence.Gaps) != 1 || res.Evidence.Gaps[0].Kind != "absent" || res.Evidence.Gaps[0].Cure == "" {
		t.Errorf("%+v", res.Evidence)
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
		if g.Kind != want || g.Text == "" || g.Cure == "" || strings.Contains(g.Cure, "verdict") || want == result.GapTimeLimit && !strings.Contains(g.Cure, "profile-limit") {
			t.Errorf("%v: %+v", err, g)
		}
	}
}

// TestCountWithoutComparison: a number of instructions alone explains nothing, and the report says so.
func TestCountWithoutComparison(t *testing.T) {
	x, m := nsightRun(t)
	c := &m.On[0].Cases[0].Record
	c.Compared, c.Verdict, c.Reason = nil, result.Error, "no complete round"
	e, gap := x.instructions(t.Context(), profile.Counter{Name: "callgrind"}, theCase(m), time.Minute)
	if e != nil || gap == nil || gap.Kind != result.GapNotCompared || !strings.Contains(gap.Cure, "no complete round") {
		t.Errorf("%+v, %+v", e, gap)
	}
}
