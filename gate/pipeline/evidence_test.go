package pipeline

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/profile/count"
	"github.com/org/perfgate/gate/result"
)

// TestRegressionComesWithItsReason plants an extra pass on the CPU: the run says that more instructions are executed, and how
// many, without having been asked.
func TestRegressionComesWithItsReason(t *testing.T) {
	if _, err := count.Find(context.Background()); err != nil {
		t.Skip(err)
	}
	res := runIt(t, example(t, "attention", "attention", "-DPG_FAULT_EXTRA_PASS=1"))
	c := res.Cases[0]
	if c.Verdict != gate.Regression {
		t.Fatalf("verdict %s: %s", c.Verdict, c.Reason)
	}
	e := c.Evidence
	if e == nil || res.Evidence == nil {
		t.Fatalf("no evidence: %+v", res.Evidence)
	}
	if len(e.Causes) != 1 || e.Causes[0].ID != "more-instructions" || e.Log != c.Compared.Theta || e.Source == "" {
		t.Errorf("%+v", e)
	}
	if err := result.Check(res); err != nil {
		t.Error(err)
	}
}

// TestProfilePolicies: never looks at nothing, always looks at a case that did not change, and names no cause for it.
func TestProfilePolicies(t *testing.T) {
	if _, err := count.Find(context.Background()); err != nil {
		t.Skip(err)
	}
	opt := example(t, "saxpy", "saxpy")
	opt.NoSkip, opt.Profile.Policy = true, result.ProfileAlways
	opt.Trusted.Config.Gate.Tolerance = 0.9 // the first look decides
	res := runIt(t, opt)
	if e := res.Cases[0].Evidence; e == nil || len(e.Causes) > 0 {
		t.Errorf("always, unchanged code: %+v", e)
	}
	opt = example(t, "saxpy", "saxpy")
	opt.NoSkip, opt.Profile.Policy = true, result.ProfileNever
	opt.Trusted.Config.Gate.Tolerance = 0.9
	res = runIt(t, opt)
	if res.Cases[0].Evidence != nil || res.Evidence == nil || len(res.Evidence.Gaps) > 0 || res.Evidence.Policy != result.ProfileNever {
		t.Errorf("never: %+v", res.Evidence)
	}
}

// TestGapIsNoFailure runs where nothing can count instructions: the verdict stands, and the gap is said with its cure.
func TestGapIsNoFailure(t *testing.T) {
	bin := t.TempDir()
	for _, tool := range []string{"g++", "cc", "gcc", "c++", "ld", "as", "sh", "git"} { // all but perf and valgrind
		if path, err := exec.LookPath(tool); err == nil {
			if err := os.Symlink(path, filepath.Join(bin, tool)); err != nil && !errors.Is(err, os.ErrExist) {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("PATH", bin)
	opt := example(t, "saxpy", "saxpy")
	opt.NoSkip, opt.Profile.Policy = true, result.ProfileAlways
	opt.Trusted.Config.Gate.Tolerance = 0.9
	res := runIt(t, opt)
	if res.Conclusion.Exit != gate.ExitPassed || res.Cases[0].Evidence != nil {
		t.Errorf("exit %d, evidence %+v", res.Conclusion.Exit, res.Cases[0].Evidence)
	}
	if len(res.Evidence.Gaps) != 1 || res.Evidence.Gaps[0].Kind != "absent" || res.Evidence.Gaps[0].Cure == "" {
		t.Errorf("%+v", res.Evidence)
	}
}
