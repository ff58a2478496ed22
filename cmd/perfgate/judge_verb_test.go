package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/search"
	"github.com/org/perfgate/kernels/kernelstest"
	"github.com/org/perfgate/kernels/kernelstest/fakeharness"
)

// newSearch is a project whose folder before is a slow base of a search. Its kernels say what they take, to a fake harness.
func newSearch(t *testing.T) *project {
	t.Helper()
	p := newProject(t)
	p.env = append(p.env, "PERFGATE_CACHE="+fakeHarness(t))
	p.write("perfgate.yaml", quickConfig)
	p.write("bench/scale_add.pg.cc", fakeharness.Entries)
	p.write("bench/scale_add.cc", fakeharness.Adapter{LaunchNS: 1e7}.Code())
	p.mustRun("sh", "-c", "mkdir before && cp -r bench perfgate.yaml before/ && cp -r before try")
	return p
}

// fakeHarness is a cache with the fake harness in the place of every one that tests have compiled.
func fakeHarness(t *testing.T) (cache string) {
	t.Helper()
	cache = t.TempDir()
	kept, err := filepath.Glob(filepath.Join(os.Getenv("PERFGATE_CACHE"), "harness", "*"))
	if err != nil || len(kept) == 0 {
		t.Fatal(kept, err)
	}
	program, err := exec.LookPath("harness") // testscript's, which is this test binary
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range kept {
		at := filepath.Join(cache, "harness", filepath.Base(folder))
		if err := errors.Join(os.MkdirAll(at, 0o755), exec.Command("cp", "-L", program, filepath.Join(at, "harness")).Run()); err != nil {
			t.Fatal(err)
		}
	}
	return cache
}

// judge asks for one answer. What judge says beside it is in the second value.
func (p *project) judge(args ...string) (search.Answer, string, int) {
	p.t.Helper()
	text, code := p.run("perfgate", append([]string{"judge", "--ledger", "search"}, args...)...)
	var a search.Answer
	if from := strings.Index(text, "{\n \"schema\""); from >= 0 {
		if err := json.Unmarshal([]byte(text[from:]), &a); err != nil {
			p.t.Fatalf("%v:\n%s", err, text)
		}
	}
	return a, text, code
}

// TestJudge is a short search: candidates of all kinds, one that is better, an interruption, and answers from the ledger.
func TestJudge(t *testing.T) {
	t.Parallel()
	p := newSearch(t)
	try := func(code string) { p.write("try/bench/scale_add.cc", code) }
	expect := func(v search.Verdict, code, number int, args ...string) search.Answer {
		t.Helper()
		a, text, got := p.judge(append(args, "--base", "before")...)
		if a.Verdict != v || got != code || a.Candidate.Number != number || a.Schema != search.AnswerSchema || len(a.Says) == 0 {
			t.Fatalf("%s of candidate %d, exit %d, want %s of %d, %d:\n%s", a.Verdict, a.Candidate.Number, got, v, number, code, text)
		}
		return a
	}
	if a := expect(search.Same, 0, 1, "try"); a.Rounds != 0 || !a.Sandboxed {
		t.Errorf("base itself: %d rounds, sandboxed %v", a.Rounds, a.Sandboxed)
	}
	try("this is no C++\n")
	if a := expect(search.Broken, 1, 2, "try"); a.Rounds != 0 || len(a.Faults) != 1 || !strings.Contains(a.Faults[0].Output, "this is no C++") {
		t.Errorf("what does not build: %d rounds, %+v", a.Rounds, a.Faults)
	}
	try(fakeharness.Adapter{LaunchNS: 1e6, Wrong: true}.Code())
	if a := expect(search.Wrong, 1, 3, "try"); a.Rounds != 0 || a.Parity[0].Failure == nil || a.Parity[0].Failure.Repro == "" {
		t.Errorf("a wrong result: %d rounds, %+v", a.Rounds, a.Parity)
	}
	hold := filepath.Join(p.tmp, "hold")
	fast := fakeharness.Adapter{LaunchNS: 1e6, Holds: hold}.Code()
	p.write("../tmp/hold", "")
	try(fast)
	r := p.start("perfgate", "judge", "try", "--base", "before", "--ledger", "search")
	r.waitFor(`^measuring: round 1`)
	send(t, r.cmd.Process.Pid, syscall.SIGKILL)
	r.wait()
	p.mustRun("rm", hold)
	try("something else by now")
	a := expect(search.Better, 0, 4, "--resume")
	if a.Claim == nil || a.Claim.Request != 1 || a.RatioOfBase == nil || a.RatioOfBase.High >= 0.11 || a.RatioOfBase.Low <= 0.09 || a.Ledger.Best.Number != 4 {
		t.Errorf("%+v", a)
	}
	try(fast)
	if again := expect(search.Better, 0, 4, "try"); !again.Ledger.Known || again.Processes != a.Processes {
		t.Errorf("asked again: known %v, %d processes", again.Ledger.Known, again.Processes)
	}
	p.write("worse.cc", fakeharness.Adapter{LaunchNS: 2e7}.Code())
	p.mustRun("sh", "-ec", `mkdir -p patch/a/bench patch/b/bench
		cp before/bench/scale_add.cc patch/a/bench; mv worse.cc patch/b/bench/scale_add.cc
		cd patch; ! git diff --no-index --no-prefix a b >../worse.patch`)
	if a := expect(search.Worse, 1, 5, "worse.patch"); a.Against != 4 || a.Rounds != 2 {
		t.Errorf("slower than the best: against %d, %d rounds", a.Against, a.Rounds)
	}
	p.expect(0, "BETTER | base -> 4 | 5 worse.patch", "perfgate", "judge", "--status", "--ledger", "search")
	p.write("before/bench/scale_add.cc", fast)
	if _, text, code := p.judge("try", "--base", "before"); code != int(result.ExitUsage) || !strings.Contains(text, "of another search: base was") {
		t.Errorf("another base: exit %d\n%s", code, text)
	}
	p.clean()
}

// TestJudgeMeasures is a candidate with the real harness, in the sandbox. Whether it is better is this machine's affair.
func TestJudgeMeasures(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	p := newProject(t)
	p.write("perfgate.yaml", quickConfig)
	p.mustRun("sh", "-c", "mkdir before && cp -r bench perfgate.yaml before/ && cp -r before try")
	p.edit("before/bench/scale_add.cc", "y[i] += a * x[i];", "{ y[i] += a * x[i]; for (volatile int k = 0; k < 9; ++k) {} }")
	a, text, _ := p.judge("try", "--base", "before")
	if measured := []search.Verdict{search.Better, search.Same, search.Worse, search.Inconclusive}; !slices.Contains(measured, a.Verdict) || a.Rounds == 0 || !a.Sandboxed {
		t.Errorf("%s after %d rounds, sandboxed %v:\n%s", a.Verdict, a.Rounds, a.Sandboxed, text)
	}
}
