package run

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

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/profile/explain"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/saved"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/kernelstest"
)

// fakeNsight stands in for ncu: it runs the harness that it is given, and exports the recorded attention, good for base and
// serial for head.
func fakeNsight(t *testing.T, body string) profile.Nsight {
	t.Helper()
	pages, err := filepath.Abs("../../testdata/ncu/recorded")
	must(t, err)
	return fakeNsightOf(t, pages, body)
}

func fakeNsightOf(t *testing.T, pages, body string) profile.Nsight {
	t.Helper()
	script := fmt.Sprintf(`#!/bin/sh
if [ "$1" = --import ]; then
  case "$2" in *-base*.ncu-rep) side=good ;; *) side=serial ;; esac
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
	must(t, kernelstest.WriteProgram(path, []byte(script)))
	return profile.Nsight{Path: path, Version: "2025.3.1.0"}
}

// explained is what comes of a case's profiles.
func explained(t *testing.T, x *explaining, tool profile.Nsight, p profiled, limit time.Duration) (*result.CaseEvidence, *result.Gap) {
	t.Helper()
	read, gap := x.nsight(t.Context(), tool, p, limit)
	if gap != nil {
		return nil, gap
	}
	return read(t.Context())
}

// nsightRun is a run whose one case was measured 5.48 times as slow, up to where it is profiled.
func nsightRun(t *testing.T) (*explaining, *Measured) {
	t.Helper()
	return nsightRunOf(t, example(t, "saxpy", "saxpy"))
}

func nsightRunOf(t *testing.T, opt Options) (*explaining, *Measured) {
	t.Helper()
	opt.NoSkip, opt.Profile.Policy, opt.Profile.Dir = true, result.ProfileAuto, filepath.Join(t.TempDir(), "out", "profiles")
	s, v := builtRun(t, opt)
	x := s.explaining()
	x.tracer = nil // a test of its own
	return x, comparedAs(v.Builds.On[0], result.Regression, 1e6, 5.48e6)
}

// comparedAs is what is measured of a kernel's first case that takes base and head so many ns.
func comparedAs(k Kernel, verdict result.Verdict, base, head float64) *Measured {
	one, theta := timed(k), math.Log(head/base)
	one.Cases = one.Cases[:1]
	c := &one.Cases[0].Record
	c.Verdict, c.Flops, c.Bytes = verdict, 1e6, 1e6
	c.SetComparison(result.VariantHead, result.VariantBase, &result.Comparison{Theta: theta, Low: theta - 0.01, High: theta + 0.01, Ratio: head / base})
	c.Base, c.Head = &result.Summary{MedianNS: base}, &result.Summary{MedianNS: head}
	return &Measured{Kernels: Kernels{On: []Kernel{one}}}
}

// theCase is the one case of nsightRun.
func theCase(m *Measured) profiled {
	subjects, _ := subjectsOf(m)
	return subjects[0]
}

// TestNsightOfPython: an interpreter runs under ncu as the harness does, by one number of process.
func TestNsightOfPython(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	opt := example(t, "softmax_numpy", "softmax")
	opt.Trusted.Config.Python = kernelstest.PythonWith(t, "numpy")
	x, m := nsightRunOf(t, opt)
	e, gap := explained(t, x, fakeNsight(t, ""), theCase(m), time.Minute)
	if e == nil || len(e.Causes) != 1 || e.Causes[0].ID != "grid-too-small" {
		t.Errorf("%+v, gap: %+v", e, gap)
	}
	if out := filepath.Dir(x.ask.Dir); !saved.IsFolder(out) {
		t.Errorf("%s, which profiles are the first in, is no folder for results", out)
	}
}

// TestStaticEvidenceOfPython: what frameworks compiled in the processes of an adapter in Python is compared, by what was launched.
func TestStaticEvidenceOfPython(t *testing.T) {
	t.Parallel()
	tools := t.TempDir()
	must(t, os.WriteFile(filepath.Join(tools, "cuobjdump"), []byte("#!/bin/sh\ncase $1 in -sass) echo ;; *) cat \"$2\" ;; esac\n"), 0o755))
	side := func(registers int) (kernels.Library, []result.LaunchShape) {
		caches := t.TempDir()
		write(t, filepath.Join(caches, "triton", "A1", "softmax_kernel.cubin"), fmt.Sprintf(" Function softmax_kernel:\n  REG:%d STACK:0 SHARED:1024 LOCAL:0\n", registers))
		lib := kernels.Library{Path: filepath.Join(caches, "adapter.python.json"), Caches: caches, Imports: &kernels.Imports{}}
		return lib, []result.LaunchShape{{Function: "softmax_kernel", Grid: []int{64, 1, 1}, Block: []int{128, 1, 1}, Registers: registers}}
	}
	var timed Kernel
	var launched result.Launched
	timed.Plan.Kernel.Name = "softmax"
	timed.Base.Library, launched.Base = side(24)
	timed.Head.Library, launched.Head = side(40)
	timed.Cases = []Case{{Record: result.Case{Launched: &launched}}}
	x := &explaining{device: &device{target: kernels.Target{Device: result.DeviceCUDA, Arch: "sm_90"}}, toolchain: result.Toolchain{Compiler: filepath.Join(tools, "nvcc")}, opt: Question{Scratch: t.TempDir(), Trusted: repo.Trusted{Config: &config.Config{}}}}
	e := new(result.Evidence)
	x.staticEvidence(t.Context(), &Measured{Kernels: Kernels{On: []Kernel{timed}}}, e)
	if len(e.Kernels) != 1 || len(e.Kernels[0].Functions) != 1 {
		t.Fatalf("%+v, gaps %+v", e.Kernels, e.Gaps)
	}
	f := e.Kernels[0].Functions[0]
	if f.Base.Registers != 24 || f.Head.Registers != 40 || f.Head.SharedBytes != 1024 || f.Head.Threads != 128 {
		t.Errorf("%+v, %+v", f.Base, f.Head)
	}
}

// TestNsightExplains takes both sides of a case through the stage: the cause is named, Nsight is quoted, the reports are kept.
func TestNsightExplains(t *testing.T) {
	x, m := nsightRun(t)
	e, gap := explained(t, x, fakeNsight(t, ""), theCase(m), time.Minute)
	if e == nil {
		t.Fatalf("gap: %+v", gap)
	}
	if len(e.Causes) != 1 || e.Causes[0].ID != "grid-too-small" || e.Log != theCase(m).Record.Compared().Theta || len(e.Advice) == 0 || len(e.Launches) != 1 {
		t.Errorf("%+v", e)
	}
	if len(e.Roofline) != 2 || e.Roofline[0].FlopRate != 1e9 || e.Roofline[0].DRAMBytes == 0 {
		t.Errorf("%+v", e.Roofline)
	}
	for _, report := range e.Reports {
		if _, err := os.Stat(filepath.Join(filepath.Dir(x.ask.Dir), report)); err != nil {
			t.Error(err)
		}
	}
	if len(e.Reports) != 2 || !strings.HasPrefix(e.Reports[0], "profiles/") {
		t.Errorf("reports %q", e.Reports)
	}
	left, err := filepath.Glob(filepath.Join(x.opt.Scratch, "ncu-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%q is left, %v", left, err)
	}
}

// TestNsightOfASmallChange: several launches are profiled where a change would be lost in how they scatter, and one of each side is explained. Where they
// have not the same kernels, as in the recording of one launch, one is profiled alone.
func TestNsightOfASmallChange(t *testing.T) {
	const launches = 7
	for name, at := range map[string]struct{ recorded, profiles, notes int }{"told apart": {launches, 2, 1}, "not told apart": {1, 4, 0}} {
		t.Run(name, func(t *testing.T) {
			x, m := nsightRun(t)
			c := &m.On[0].Cases[0].Record
			c.Head = &result.Summary{MedianNS: 1.05e6}
			c.SetComparison(result.VariantHead, result.VariantBase, &result.Comparison{Theta: 0.05, Low: 0.04, High: 0.06})
			c.Launched = &result.Launched{Base: make([]result.LaunchShape, 1), Head: make([]result.LaunchShape, 1)}
			made := filepath.Join(t.TempDir(), "made")
			e, gap := explained(t, x, fakeNsightOf(t, recordedLaunches(t, at.recorded), "echo profile >>"+made), theCase(m), time.Minute)
			if e == nil {
				t.Fatalf("gap: %+v", gap)
			}
			said, err := os.ReadFile(made)
			names := map[bool]string{true: "profiles/case1-base-x7.ncu-rep", false: "profiles/case1-base.ncu-rep"}
			if left, _ := os.ReadDir(x.ask.Dir); len(left) != 2 || e.Reports[0] != names[at.notes > 0] {
				t.Errorf("reports %q, %d files", e.Reports, len(left))
			}
			if got := strings.Count(string(said), "profile"); err != nil || got != at.profiles || len(e.Launches) != 1 || len(e.Notes) != at.notes {
				t.Errorf("%d profiles, %v; %d launches explained, notes %q", got, err, len(e.Launches), e.Notes)
			}
		})
	}
}

// recordedLaunches is a folder with the recorded pages, in which the one launch is there several times.
func recordedLaunches(t *testing.T, times int) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"attn_good.raw.csv", "attn_good.details.csv", "attn_serial.raw.csv", "attn_serial.details.csv"} {
		text := read(t, filepath.Join("../../testdata/ncu/recorded", name))
		if strings.Contains(name, ".raw.") {
			lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
			last := lines[len(lines)-1]
			if len(lines) != 3 || !strings.HasPrefix(last, `"0",`) {
				t.Fatalf("%s has %d lines, the last %.20q", name, len(lines), last)
			}
			for n := 1; n < times; n++ {
				text += fmt.Sprintf("\"%d\"%s\n", n, strings.TrimPrefix(last, `"0"`))
			}
		}
		write(t, filepath.Join(dir, name), text)
	}
	return dir
}

// TestNsightRefused: a refused profile is a gap with its cure, on the side that it was refused for, and no error.
func TestNsightRefused(t *testing.T) {
	x, m := nsightRun(t)
	body := `echo "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters" >"$log"; exit 1`
	e, gap := explained(t, x, fakeNsight(t, body), theCase(m), time.Minute)
	if e != nil || gap == nil || gap.Kind != result.GapPermission || gap.Side != result.SideBase || gap.Cure == "" || gap.Case != theCase(m).Record.Name {
		t.Errorf("%+v, gap %+v", e, gap)
	}
}

// TestNsightWithoutComparison: a case that the gate could not compare, and that is to be profiled all the same, is explained by
// the ratio of its profiles, which is said.
func TestNsightWithoutComparison(t *testing.T) {
	x, m := nsightRun(t)
	c := &m.On[0].Cases[0].Record
	c.Verdict, c.Base, c.Head = result.Error, nil, nil
	c.SetComparison(result.VariantHead, result.VariantBase, nil)
	if _, cases := subjectsOf(m); len(explain.Choose(cases, result.ProfileAlways, x.opt.Trusted.Config.Profile)) != 1 {
		t.Fatal("it is not chosen")
	}
	e, gap := explained(t, x, fakeNsight(t, ""), theCase(m), time.Minute)
	if e == nil || len(e.Causes) != 1 || e.Causes[0].ID != "grid-too-small" || e.Log != e.Profiled || !slices.Contains(e.Notes, notCompared) {
		t.Errorf("%+v, gap %+v", e, gap)
	}
}

// TestNsightOfNondeterministic: what parity saw is said beside counters of several passes.
func TestNsightOfNondeterministic(t *testing.T) {
	x, m := nsightRun(t)
	for differing, want := range map[int]int{0: 0, 3: 1} {
		m.On[0].Parity = result.Parity{Status: result.ParityPassed, Run: 20, Differing: differing}
		e, gap := explained(t, x, fakeNsight(t, ""), theCase(m), time.Minute)
		if e == nil {
			t.Fatalf("%+v", gap)
		}
		if len(e.Notes) != want || want > 0 && !strings.Contains(e.Notes[0], "3 of 20 cases") {
			t.Errorf("%d differ: notes %q", differing, e.Notes)
		}
	}
}

// TestProfilerBusy: another profiler is waited for as long as profiles may take, and is then a gap with a cure, as is
// a lock that cannot be had.
func TestProfilerBusy(t *testing.T) {
	x, m := nsightRun(t)
	t.Setenv("PERFGATE_LOCK_DIR", t.TempDir())
	lock, err := machine.Acquire(t.Context(), "profiler", machine.Alone, nil)
	must(t, err)
	defer lock.Release()
	x.ask.Limit = 300 * time.Millisecond
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	e, err := x.explain(ctx, m)
	must(t, err)
	if gaps := e.Gaps; len(gaps) != 1 || gaps[0].Kind != result.GapProfilerBusy || gaps[0].Cure == "" || !strings.Contains(gaps[0].Message, "process") || x.turns.waited == 0 {
		t.Errorf("%+v, waited %v", gaps, x.turns.waited)
	}
	t.Setenv("PERFGATE_LOCK_DIR", filepath.Join(t.TempDir(), "none"))
	if e, err = x.explain(ctx, m); err != nil {
		t.Fatal(err)
	}
	if gaps := e.Gaps; len(gaps) != 1 || gaps[0].Kind != result.GapProfilerBusy || !strings.Contains(gaps[0].Cure, "PERFGATE_LOCK_DIR") {
		t.Errorf("%+v", gaps)
	}
	cancel()
	if _, err := x.explain(ctx, m); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// TestOldProfilesGo: reports of an earlier run are not taken for this one's; other files of the folder stay.
func TestOldProfilesGo(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"case1-base.ncu-rep", "case7-head.ncu-rep", "mine.ncu-rep"} {
		write(t, filepath.Join(dir, name), "")
	}
	(&explaining{ask: Profile{Dir: dir}}).removeOldProfiles()
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(left) != 1 || filepath.Base(left[0]) != "mine.ncu-rep" {
		t.Errorf("%q is left", left)
	}
}
