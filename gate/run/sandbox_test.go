package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/kernelstest"
	"github.com/org/perfgate/kernels/sandbox"
)

// attacked is a run in the sandbox whose head is an attacking adapter and whose base is honest.
func attacked(t *testing.T, adapter string, flags ...string) Options {
	t.Helper()
	opt := twoFolders(t, "cheats/honest.cc", "attacks/"+adapter)
	write(t, filepath.Join(opt.Head.Tree, "attacks.h"), read(t, "../../testdata/attacks/attacks.h"))
	opt.Head.Info.Flags = flags
	opt.Device.Sandbox = result.SandboxOn
	return opt
}

// runWithin is runIt for what may write so many bytes; a run takes half of what the disk has left.
func runWithin(t *testing.T, opt Options, diskBytes int64) *result.Result {
	t.Helper()
	s, v := runUpTo(t, opt, func(s *session) []stage {
		s.box.builds.DiskBytes = diskBytes
		return s.gate()
	})
	v.Surroundings = s.surroundings()
	return v.Assemble()
}

// A kernel that tries and fails is judged as the kernel that it is; what can be seen of its attempt is in the report.
func TestAttacksGainNothing(t *testing.T) {
	kernelstest.Live(t)
	kernelstest.NeedLandlock(t, 3)
	outside := filepath.Join(t.TempDir(), "credentials")
	write(t, outside, "secret")
	store := filepath.Join(t.TempDir(), "record.json.gz")
	write(t, store, "record")
	paths := func(name string, list ...string) string {
		return fmt.Sprintf(`-D%s="%s"`, name, strings.Join(list, ":"))
	}
	for name, c := range map[string]struct {
		adapter string
		flags   []string
		seen    string // in the notes
		failure string // that head has for it; "" where it is timed
	}{
		"reads":       {"reads.cc", []string{paths("SECRETS", outside, store), paths("FOLDERS", filepath.Dir(outside))}, "", ""},
		"writes":      {"writes.cc", []string{paths("FILES", outside, store), paths("FOLDERS", filepath.Dir(store))}, "", ""},
		"daemon":      {"daemon.cc", nil, "left running behind their backs", ""},
		"prints":      {"prints.cc", nil, "", "SIGABRT"},
		"forged line": {"forges_reply.cc", nil, "", "the runner answered what"},
		"many files":  {"fills_disk.cc", nil, "", "wrote more than"},
		"one file":    {"fills_disk.cc", []string{"-DONE_FILE=1"}, "", "SIGXFSZ"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opt := attacked(t, c.adapter, c.flags...)
			// What is wrong of it is the attack: it is enough that it is timed, and what that says of two equal kernels is not the question.
			opt.Trusted.Config.Gate.Budget = time.Second
			opt.Trusted.Config.Gate.Tolerance = 0.9
			res := runWithin(t, opt, 24<<20)
			words := everyWord(res)
			if b, err := os.ReadFile(outside); err != nil || string(b) != "secret" || strings.Contains(words, "secret") {
				t.Errorf("%q, %v; %s", b, err, words)
			}
			if b, err := os.ReadFile(store); err != nil || string(b) != "record" {
				t.Errorf("the baseline store was patched: %q, %v", b, err)
			}
			if s := res.Sandbox; s == nil || !s.Commands || !s.Kernels || s.Landlock == 0 || len(s.Gaps) == 0 {
				t.Errorf("the result says of the sandbox: %+v", s)
			}
			if c.failure != "" {
				if res.Conclusion.Exit != result.ExitFailed || !strings.Contains(words, c.failure) {
					t.Errorf("exit %d, want 1 and %q in:\n%s", res.Conclusion.Exit, c.failure, words)
				}
				return
			}
			ended := res.Conclusion.Exit == result.ExitPassed || res.Cases[0].BudgetGone
			if !ended || res.Cases[0].Method == nil || res.Cases[0].ErrorSide != "" {
				t.Errorf("exit %d: %s", res.Conclusion.Exit, words)
			}
			if !strings.Contains(strings.Join(res.Notes, "\n"), c.seen) {
				t.Errorf("%q is not in %q", c.seen, res.Notes)
			}
			if left, _ := filepath.Glob(filepath.Join(opt.Scratch, "run-*")); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// Without a reference head is compared with what base computed: head reads that and cannot change it.
func TestBaseIsAnOracleInTheSandbox(t *testing.T) {
	kernelstest.Live(t)
	kernelstest.NeedLandlock(t, 3)
	const noReference = `#include "saxpy.h"
SAXPY_SPEC
SAXPY_LAUNCH {
  saxpy::Args k = saxpy::args(c, data);
  saxpy::compute(k);
#ifdef WRONG
  FILE *f = fopen(GIVEN "/expected.bin", "r+b");
  if (f) fclose(f);  // it could make its own results the right ones
  else if (errno == EACCES) k.y[0] += 1;
#endif
  return 0;
}
`
	for name, c := range map[string]struct {
		wrong bool
		exit  result.ExitCode
	}{"right": {false, result.ExitPassed}, "wrong": {true, result.ExitFailed}} {
		t.Run(name, func(t *testing.T) {
			opt := attacked(t, "reads.cc")
			for _, side := range []Side{opt.Base, opt.Head} {
				write(t, filepath.Join(side.Tree, "k.pg.cc"), noReference)
				write(t, filepath.Join(side.Tree, "saxpy.h"), "#include <errno.h>\n#include <stdio.h>\n"+read(t, "../../testdata/saxpy.h"))
			}
			opt.Head.Info.Flags = []string{"-DOTHER=1"}
			if c.wrong {
				opt.Head.Info.Flags = []string{"-DWRONG=1", fmt.Sprintf(`-DGIVEN="%s"`, filepath.Join(opt.Scratch, "parity-given"))}
			}
			res := parityOf(t, opt)
			if k := res.Kernels[0]; res.Conclusion.Exit != c.exit || k.Parity.Oracle != "base" || k.Parity.Run == 0 {
				t.Errorf("exit %d, parity %+v: %s", res.Conclusion.Exit, k.Parity, everyWord(res))
			}
		})
	}
}

// The shipped examples need nothing that the sandbox forbids.
func TestExamplesInTheSandbox(t *testing.T) {
	kernelstest.Live(t)
	kernelstest.NeedLandlock(t, 3)
	for name, kernel := range map[string]string{"saxpy": "saxpy", "softmax": "softmax", "attention": "attention_naive", "cmake_saxpy": "saxpy"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // nothing is timed
			if name == "cmake_saxpy" {
				kernelstest.Tool(t, "cmake")
			}
			dir := t.TempDir()
			must(t, kernels.WriteExample(name, dir))
			cfg := configIn(t, dir)
			write(t, filepath.Join(dir, ".git", "config"), "a token")
			for i := range cfg.Kernels {
				cfg.Kernels[i].Parity.Cases = 5
			}
			opt := optionsFor(t, cfg, dir, kernel)
			opt.Device.Sandbox, opt.opened = result.SandboxOn, nil // they are compiled in it, too
			res := runIt(t, opt)                                   // both sides are the same code: what is asked is whether it builds and computes
			if res.Conclusion.Exit != result.ExitPassed || res.Kernels[0].Parity.Run == 0 || len(res.Notes) != 0 && strings.Contains(strings.Join(res.Notes, " "), "left running") {
				t.Errorf("exit %d, notes %q: %s", res.Conclusion.Exit, res.Notes, everyWord(res))
			}
		})
	}
}

// boxOf is the sandbox of a run.
func boxOf(t *testing.T, opt Options) *box {
	t.Helper()
	b, err := openBox(opt, &plan.Plan{})
	must(t, err)
	return b
}

func TestSandboxModes(t *testing.T) {
	kernelstest.NeedLandlock(t, 3)
	for _, c := range []struct {
		mode     result.SandboxMode
		trust    string
		commands bool
		off      bool
	}{
		{result.SandboxAuto, repo.TrustWorktree, false, false}, {result.SandboxAuto, repo.TrustBase, true, false},
		{result.SandboxOn, repo.TrustWorktree, true, false}, {result.SandboxOff, repo.TrustBase, false, true}, {"", repo.TrustBase, false, true},
	} {
		opt := example(t, "saxpy", "saxpy")
		opt.Device.Sandbox, opt.Trusted.Trust = c.mode, c.trust
		if b := boxOf(t, opt); (b.builds == nil) != c.off || b.builds != nil && b.builds.Commands != c.commands {
			t.Errorf("%q with %s: %+v", c.mode, c.trust, b.builds)
		}
	}
}

// Where CUDA does not start in the sandbox, auto goes without it and says so; on does not, and nothing that code under test
// says later ends the sandbox.
func TestGivingUpTheSandbox(t *testing.T) {
	kernelstest.NeedLandlock(t, 3)
	started := func(mode result.SandboxMode) *box {
		opt := example(t, "saxpy", "saxpy")
		opt.Device.Sandbox = mode
		return boxOf(t, opt)
	}
	fault := error(&kernels.RunnerError{Code: "no-device", Message: "no CUDA device can be used: cudaGetDeviceCount: OS call failed"})
	if b := started(result.SandboxAuto); !b.givesUp(fault) || b.runners != nil || b.builds == nil || b.inside.Kernels || len(b.notes) != 1 {
		t.Errorf("auto: %+v, notes %q", b.inside, b.notes)
	}
	if b := started(result.SandboxOn); b.givesUp(fault) || b.runners == nil {
		t.Error("on was given up")
	}
	b := started(result.SandboxAuto)
	if b.givesUp(nil) || b.givesUp(fault) || b.runners == nil {
		t.Error("it was given up although it had worked")
	}
	if b := started(result.SandboxAuto); b.givesUp(errors.New("disk full")) || b.givesUp(&kernels.RunnerError{Code: result.CodeCrashed, Message: "it crashed"}) {
		t.Error("it was given up for something else")
	}
}

// Whether the device opens in the sandbox is known before an interpreter starts.
func TestTheSandboxIsTriedFirst(t *testing.T) {
	kernelstest.NeedLandlock(t, 3)
	opt := example(t, "saxpy", "saxpy")
	opt.Device.Sandbox = result.SandboxAuto
	s, _ := builtRun(t, opt)
	if s.box.works {
		t.Fatal("it is known before anything has started")
	}
	if s.runners.tryBox(t.Context()); !s.box.works || s.box.runners == nil {
		t.Errorf("%+v", s.box)
	}
	if left, _ := filepath.Glob(filepath.Join(opt.Scratch, "run-*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// What a profiler in the sandbox is given beyond the kernels is in the report, once; at a desk it runs outside.
func TestWhatIsOpenedForToolsIsSaid(t *testing.T) {
	kernelstest.NeedLandlock(t, 3)
	opens := sandbox.Policy{Counters: true, Sockets: true}
	opt := example(t, "saxpy", "saxpy")
	for mode, gaps := range map[result.SandboxMode]int{result.SandboxOn: len(opens.Opened()), result.SandboxAuto: 0} {
		opt.Device.Sandbox = mode
		b := boxOf(t, opt)
		before := len(b.inside.Gaps)
		for range 2 {
			spec := b.watched(kernels.RunnerSpec{Sandbox: b.runners}, opens)
			if (spec.Sandbox != nil) != (mode == result.SandboxOn) || spec.Opens.Counters != (mode == result.SandboxOn) {
				t.Errorf("%s: %+v", mode, spec)
			}
		}
		if got := b.inside.Gaps[before:]; len(got) != gaps {
			t.Errorf("%s: gaps %q", mode, got)
		}
	}
}

// Of each half of the sandbox that is missing the report has a line.
func TestMissingPartsOfTheSandboxAreSaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		abi      int
		filtered bool
		want     []string
	}{{1, true, nil}, {0, true, []string{"Landlock"}}, {7, false, []string{"seccomp"}}, {0, false, []string{"Landlock", "seccomp"}}} {
		notes := lost(c.abi, c.filtered)
		if !slices.EqualFunc(notes, c.want, strings.Contains) {
			t.Errorf("%+v: %q", c, notes)
		}
	}
}

// A part of the plan is measured as a part, and says so.
func TestShardOfAPlan(t *testing.T) {
	kernelstest.Live(t)
	dir, err := filepath.Abs(filepath.Join(examples, "reduction"))
	must(t, err)
	cfg := configIn(t, dir)
	whole := planned(t, cfg, "sum_rows")
	opt := optionsFor(t, cfg, dir, "sum_rows")
	opt.opened = nil // by what compilers ask for equal code is known to be the same
	opt.Shard = &plan.Shard{Index: 2, Of: whole.K, Seed: 42}
	res := runIt(t, opt)
	if s := res.Shard; s == nil || *s != (result.Shard{Index: 2, Of: whole.K, Seed: "42"}) || len(res.Cases) != 1 || res.Policy.Cases != whole.K || res.Seed == "42" {
		t.Errorf("shard %+v, %d cases, policy %+v, seed %s", s, len(res.Cases), res.Policy, res.Seed)
	}
	opt.Shard = &plan.Shard{Index: 1, Of: whole.K + 1, Seed: 42}
	var bad *plan.ShardError
	if _, err := Run(context.Background(), opt); !errors.As(err, &bad) {
		t.Errorf("err = %v", err)
	}
}

// A quota that stopped processes while a run measured is said, and one that did not is not.
func TestQuotaThatStoppedARun(t *testing.T) {
	before := machine.Quota{Processors: 1.5, Throttled: 3}
	if notes := containerNotes("", before, before); slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "quota") }) {
		t.Errorf("%q", notes)
	}
	after := machine.Quota{Processors: 1.5, Throttled: 15}
	if notes := strings.Join(containerNotes("", before, after), "\n"); !strings.Contains(notes, "a quota of 1.5 processors stopped the processes of this run or its neighbours 12 times") {
		t.Errorf("%q", notes)
	}
}
