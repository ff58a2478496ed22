package run

import (
	"cmp"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

const twoFoldersConfig = `version: 1
device: cpu
kernels:
  - name: k
    adapter: k.pg.cc
    params:
      n: {fuzz: {min: 64, max: 4000}}
    measure: [{n: 4000}]
    parity: {cases: 4, atol: 1e-5, rtol: 1e-4}
gate: {tolerance: 5%, budget: 60s}
`

// twoFolders lays out two folders whose kernels are the given adapters of testdata; "" leaves the kernel out.
func twoFolders(t *testing.T, base, head string) Options {
	t.Helper()
	root := t.TempDir()
	side := func(name, adapter string) Side {
		dir := filepath.Join(root, name, "k")
		write(t, filepath.Join(dir, "perfgate.yaml"), twoFoldersConfig)
		if adapter != "" {
			write(t, filepath.Join(dir, "k.pg.cc"), `#include "kernel.h"`+"\n")
			write(t, filepath.Join(dir, "kernel.h"), read(t, filepath.Join("../../testdata", adapter)))
			write(t, filepath.Join(dir, "../saxpy.h"), read(t, "../../testdata/saxpy.h"))
		}
		return Side{Tree: dir, Root: filepath.Dir(dir), Info: result.Version{Kind: result.KindDirectory, Label: name}}
	}
	b, h := side("base", base), side("head", head)
	cfg := configIn(t, h.Tree)
	opt := optionsFor(t, cfg, h.Tree, "")
	opt.Base, opt.Head, opt.Parity.HangLimit, opt.Device.MemoryBytes = b, h, 5*time.Second, 1<<30
	return opt
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o644))
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return string(b)
}

// What head does wrong in the parity check is head's failure, with a message that says what, and never a crash of the gate.
func TestHeadMisbehaves(t *testing.T) {
	kernelstest.Live(t)
	for adapter, words := range map[string]string{
		"bad/crash.cc":            "SIGSEGV",
		"bad/hang.cc":             "hangs",
		"bad/exits.cc":            "ended the process by itself",
		"bad/floods.cc":           "printed without end",
		"bad/returns_error.cc":    "pg_launch",
		"bad/throws.cc":           "pg_launch",
		"bad/unwritten.cc":        "never written",
		"bad/nan.cc":              "NaN",
		"cheats/oob_write.cc":     "outside",
		"cheats/changes_input.cc": "input",
	} {
		t.Run(adapter, func(t *testing.T) {
			t.Parallel()
			opt := twoFolders(t, "cheats/honest.cc", adapter)
			if adapter == "bad/hang.cc" {
				opt.Parity.HangLimit = time.Second
			}
			res := parityOf(t, opt)
			if text := everyWord(res); res.Conclusion.Exit != result.ExitFailed || !strings.Contains(text, words) {
				t.Errorf("exit %d, want 1 and %q in:\n%s", res.Conclusion.Exit, words, text)
			}
		})
	}
}

// Where outputs are wrong is drawn: of 4000 elements, in 48 parts, one of the first.
func TestMapOfWrongOutputs(t *testing.T) {
	kernelstest.Live(t)
	opt := twoFolders(t, "cheats/honest.cc", "cheats/honest.cc")
	code := filepath.Join(opt.Head.Tree, "kernel.h")
	write(t, code, strings.Replace(read(t, code), "y0[i];\n", "y0[i];\n  y[7] += 1;\n", 1))
	res, err := CheckParity(t.Context(), opt, ParityOnly{Case: "k/n=4000", Cases: 1})
	must(t, err)
	if f := res.Kernels[0].Parity.Failure; f == nil || f.Map == nil || f.Map.Tensor != "y" || f.Map.Columns.Size != 4000 || !slices.Equal(f.Map.Levels, []string{"1" + strings.Repeat("0", 47)}) {
		t.Errorf("%+v", f)
	}
}

// A head that fails parity is not timed, whatever it would do then. One that is right is an error of head where it only fails while it is
// timed. What base does wrong leaves nothing to compare with, and an adapter that serves neither side is no regression of head: exit 3, never green.
func TestSidesMisbehaveInARun(t *testing.T) {
	kernelstest.Live(t)
	const honest = "cheats/honest.cc"
	for _, c := range []struct {
		base, head string
		exit       result.ExitCode
		parity     result.ParityStatus
		words      string
		rounds     int // that may have begun: how many launches come before them depends on the machine
	}{
		{honest, "bad/crash.cc", result.ExitFailed, result.ParityFailed, "SIGSEGV", 0},
		{honest, "cheats/skip_after_n.cc", result.ExitFailed, result.ParityFailed, "never written", 0},
		{honest, "bad/allocates.cc", result.ExitFailed, result.ParityFailed, "pg_launch ran out of memory (std::bad_alloc), and base has enough", 0},
		{honest, "bad/allocates_late.cc", result.ExitFailed, result.ParityPassed, "head\npg_launch ran out of memory", 1},
		{"bad/crash.cc", honest, result.ExitNotMeasurable, "", "", 1},
		{"bad/returns_error.cc", honest, result.ExitNotMeasurable, "", "", 1},
		{"cheats/skip_after_n.cc", honest, result.ExitNotMeasurable, "", "", 1},
		{"bad/no_launch.cc", "bad/no_launch.cc", result.ExitNotMeasurable, "", "pg_launch", 0},
		{"bad/other_abi.cc", "bad/other_abi.cc", result.ExitNotMeasurable, "", "ABI", 0},
		{"bad/missing_param.cc", "bad/missing_param.cc", result.ExitNotMeasurable, "", "param", 0},
	} {
		t.Run(c.base+" "+c.head, func(t *testing.T) {
			opt := twoFolders(t, c.base, c.head)
			opt.NoSkip = true
			res := runIt(t, opt)
			status := res.Kernels[0].Parity.Status
			if res.Conclusion.Exit != c.exit || len(res.Rounds) > c.rounds || c.parity != "" && status != c.parity || !strings.Contains(everyWord(res), c.words) {
				t.Errorf("exit %d, %d rounds, parity %s, want %+v: %s", res.Conclusion.Exit, len(res.Rounds), status, c, everyWord(res))
			}
		})
	}
}

// What head hands to a thread of its own is in its time: both sides are timed by the wall clock then.
func TestThreadsOfHeadAreTimed(t *testing.T) {
	kernelstest.Live(t)
	opt := twoFolders(t, "cheats/honest.cc", "cheats/side_thread.cc")
	opt.Trusted.Config.Gate.Budget = 1 // by which clock is settled before the rounds
	if c := runIt(t, opt).Cases[0]; c.Method == nil || c.Method.Clock != "wall" {
		t.Errorf("%+v", c.Method)
	}
}

// A kernel that forks a daemon is measured like any other, and the daemon does not outlive its runner.
func TestForkingKernelLeavesNoProcess(t *testing.T) {
	kernelstest.Live(t)
	opt := twoFolders(t, "cheats/honest.cc", "bad/forks.cc")
	opt.Trusted.Config.Gate.Budget = 2 * time.Second // enough to start some processes
	runIt(t, opt)
	stats, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range stats {
		if b, err := os.ReadFile(path); err == nil && strings.Contains(string(b), opt.Scratch) {
			t.Errorf("%s is still there: %q", path, b)
		}
	}
}

// everyWord is all that a result says of what went wrong: kinds, and what tools and the code under test said.
func everyWord(res *result.Result) string {
	var words []string
	for _, f := range res.Conclusion.Findings {
		words = append(words, string(f.Kind), said(f.Reason))
	}
	for _, k := range res.Kernels {
		words = append(words, said(k.Reason), said(k.Parity.Reason))
		if k.Parity.Failure != nil {
			words = append(words, string(k.Parity.Failure.Code), k.Parity.Failure.Message)
		}
		if k.Head != nil {
			words = append(words, k.Head.Output)
		}
	}
	for _, c := range res.Cases {
		words = append(words, string(c.Verdict), string(c.ErrorSide), said(c.Reason))
	}
	return strings.Join(words, "\n")
}

// said is what a reason has: what was said, its names, or else its kind.
func said(why *result.Reason) string {
	if why == nil {
		return ""
	}
	return cmp.Or(why.Message, strings.Join(why.Names, "; "), string(why.Kind))
}

// A head that is hundreds of times slower must not eat the budget: it stops after a few samples, which is recorded, and
// is a regression all the same.
func TestVastlySlowerHeadEndsInTheBudget(t *testing.T) {
	opt := twoFolders(t, "cheats/honest.cc", "cheats/honest.cc")
	write(t, filepath.Join(opt.Base.Tree, "kernel.h"), takes(10).Source())
	write(t, filepath.Join(opt.Head.Tree, "kernel.h"), takes(2600).Source())
	opt.opened, opt.Rounds.MaxSamples = onFakeHarness, 8 // a process takes five in any case
	res := runIt(t, opt)
	c := res.Cases[0]
	if c.Verdict != result.Regression || math.Abs(c.Compared().Ratio-260) > 5 {
		t.Fatalf("verdict %s, %+v: %s", c.Verdict, c.Compared(), everyWord(res))
	}
	for _, p := range c.Processes {
		if short := p.Stopped != "" && p.Samples < p.Planned; short != (p.Variant == result.VariantHead) {
			t.Errorf("%s, stopped early: %v", p.Variant, short)
		}
	}
}
