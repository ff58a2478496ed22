package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
)

// fakeNsight stands in for ncu: it runs the harness that it is given, and exports the recorded attention, good for base and
// serial for head.
func fakeNsight(t *testing.T, body string) profile.Nsight {
	t.Helper()
	pages, err := filepath.Abs("../../testdata/ncu/recorded")
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf(`#!/bin/sh
if [ "$1" = --import ]; then
  case "$2" in *-base.ncu-rep) side=good ;; *) side=serial ;; esac
  case "$*" in *"--page raw"*) page=raw ;; *) page=details ;; esac
  exec cat %s/attn_$side.$page.csv
fi
while [ $# -gt 0 ]; do
  case "$1" in
    --export) report=$2; shift 2 ;;
    --log-file) log=$2; shift 2 ;;
    --force-overwrite) shift ;;
    --*) shift 2 ;;
    *) break ;;
  esac
done
%s
"$@" && echo report >"$report.ncu-rep"
`, pages, body)
	path := filepath.Join(t.TempDir(), "ncu")
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return profile.Nsight{Path: path, Version: "2025.3.1.0"}
}

// nsightRun is a run whose one case was measured 5.48 times as slow, up to where it is profiled.
func nsightRun(t *testing.T) (*run, profiled) {
	t.Helper()
	opt := example(t, "saxpy", "saxpy")
	opt.NoSkip, opt.Profile.Policy, opt.Profile.Dir = true, result.ProfileAuto, filepath.Join(t.TempDir(), "out", "profiles")
	r, err := newRun(opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if err := r.build(ctx); err != nil {
		t.Fatal(err)
	}
	k := r.kernels[0]
	if k.base.Path == "" {
		if err := r.buildBase(ctx, k); err != nil {
			t.Fatal(err)
		}
	}
	r.res.Evidence = &result.Evidence{Policy: result.ProfileAuto, Profiler: "Nsight Compute 2025.3.1.0"}
	theta := math.Log(5.48)
	c := result.Case{
		Name: k.plan.Measured[0].Name(), Kernel: "saxpy", Verdict: result.Regression, Compared: &result.Comparison{Theta: theta, Low: theta - 0.01, High: theta + 0.01},
		Base: &result.Summary{MedianNS: 1e6}, Head: &result.Summary{MedianNS: 5.48e6}, Flops: 1e6,
	}
	k.cases = []result.Case{c}
	return r, profiled{kernel: k, plan: k.plan.Measured[0]}
}

// TestNsightExplains takes both sides of a case through the stage: the cause is named, Nsight is quoted, the reports are kept.
func TestNsightExplains(t *testing.T) {
	r, p := nsightRun(t)
	if err := r.nsight(context.Background(), fakeNsight(t, ""), p, time.Minute); err != nil {
		t.Fatal(err)
	}
	e := p.record().Evidence
	if e == nil {
		t.Fatalf("gaps: %+v", r.res.Evidence.Gaps)
	}
	if len(e.Causes) != 1 || e.Causes[0].ID != "grid-too-small" || e.Log != p.record().Compared.Theta || len(e.Advice) == 0 || len(e.Launches) != 1 {
		t.Errorf("%+v", e)
	}
	if len(e.Roofline) != 2 || e.Roofline[0].FlopRate != 1e9 || e.Roofline[0].DRAMBytes == 0 {
		t.Errorf("%+v", e.Roofline)
	}
	for _, report := range e.Reports {
		if _, err := os.Stat(filepath.Join(filepath.Dir(r.opt.Profile.Dir), report)); err != nil {
			t.Error(err)
		}
	}
	if len(e.Reports) != 2 || !strings.HasPrefix(e.Reports[0], "profiles/") {
		t.Errorf("reports %q", e.Reports)
	}
	left, err := filepath.Glob(filepath.Join(r.opt.Scratch, "ncu-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%q is left, %v", left, err)
	}
}

// TestNsightRefused: a refused profile is a gap with its cure, on the side that it was refused for, and no error.
func TestNsightRefused(t *testing.T) {
	r, p := nsightRun(t)
	body := `echo "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters" >"$log"; exit 1`
	if err := r.nsight(context.Background(), fakeNsight(t, body), p, time.Minute); err != nil {
		t.Fatal(err)
	}
	gaps := r.res.Evidence.Gaps
	if p.record().Evidence != nil || len(gaps) != 1 || gaps[0].Kind != result.GapPermission || gaps[0].Side != result.SideBase || gaps[0].Cure == "" || gaps[0].Case != p.record().Name {
		t.Errorf("%+v, gaps %+v", p.record().Evidence, gaps)
	}
}

// TestNsightWithoutComparison: a case that the gate could not compare, and that is to be profiled all the same, is explained by
// the ratio of its profiles, which is said.
func TestNsightWithoutComparison(t *testing.T) {
	r, p := nsightRun(t)
	c := p.record()
	c.Compared, c.Verdict, c.Base, c.Head = nil, result.Error, nil, nil
	r.opt.Profile.Policy = result.ProfileAlways
	if chosen := r.chooseCases(); len(chosen) != 1 {
		t.Fatalf("%d cases are chosen", len(chosen))
	}
	if err := r.nsight(context.Background(), fakeNsight(t, ""), p, time.Minute); err != nil {
		t.Fatal(err)
	}
	e := c.Evidence
	if e == nil || len(e.Causes) != 1 || e.Causes[0].ID != "grid-too-small" || e.Log != e.Profiled || !slices.Contains(e.Notes, notCompared) {
		t.Errorf("%+v, gaps %+v", e, r.res.Evidence.Gaps)
	}
}

// TestNsightOfNondeterministic: what parity saw is said beside counters of several passes.
func TestNsightOfNondeterministic(t *testing.T) {
	for differing, want := range map[int]int{0: 0, 3: 1} {
		r, p := nsightRun(t)
		p.kernel.record.Parity = result.Parity{Status: result.ParityPassed, Run: 20, Differing: differing}
		if err := r.nsight(context.Background(), fakeNsight(t, ""), p, time.Minute); err != nil {
			t.Fatal(err)
		}
		if notes := p.record().Evidence.Notes; len(notes) != want || want > 0 && !strings.Contains(notes[0], "3 of 20 cases") {
			t.Errorf("%d differ: notes %q", differing, notes)
		}
	}
}

// TestProfilerBusy: whoever profiles meanwhile is waited for as long as profiles may take, and is then a gap with a cure, as is
// a lock that cannot be had.
func TestProfilerBusy(t *testing.T) {
	r, _ := nsightRun(t)
	t.Setenv("PERFGATE_LOCK_DIR", t.TempDir())
	lock, err := machine.Acquire(context.Background(), "profiler", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	r.opt.Profile.Limit = 300 * time.Millisecond
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := r.profileCases(ctx); err != nil {
		t.Fatal(err)
	}
	gaps := r.res.Evidence.Gaps
	if len(gaps) != 1 || gaps[0].Kind != result.GapProfilerBusy || gaps[0].Cure == "" || !strings.Contains(gaps[0].Said, "process") || r.waited < r.opt.Profile.Limit {
		t.Errorf("%+v, waited %v", gaps, r.waited)
	}
	t.Setenv("PERFGATE_LOCK_DIR", filepath.Join(t.TempDir(), "none"))
	r.res.Evidence.Gaps = nil
	if err := r.profileCases(ctx); err != nil {
		t.Fatal(err)
	}
	if gaps := r.res.Evidence.Gaps; len(gaps) != 1 || gaps[0].Kind != result.GapProfilerBusy || !strings.Contains(gaps[0].Cure, "PERFGATE_LOCK_DIR") {
		t.Errorf("%+v", gaps)
	}
	cancel()
	if err := r.profileCases(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// TestOldProfilesGo: reports of an earlier run are not taken for this one's; other files of the folder stay.
func TestOldProfilesGo(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"case1-base.ncu-rep", "case7-head.ncu-rep", "mine.ncu-rep"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := &run{opt: Options{Profile: Profile{Dir: dir}}}
	r.removeOldProfiles()
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(left) != 1 || filepath.Base(left[0]) != "mine.ncu-rep" {
		t.Errorf("%q is left", left)
	}
}
