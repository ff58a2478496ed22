package main

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"

	"github.com/org/perfgate/gate/judge"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

// slowLoop makes the kernel several times slower without changing what it computes.
const slowLoop = "{ y[i] += a * x[i]; for (volatile int k = 0; k < 9; ++k) {} }"

// newSearch is a project whose folder before is a slow base of a search, and the kernel in it.
func newSearch(t *testing.T) (p *project, kernel string) {
	t.Helper()
	p = newProject(t)
	p.write("perfgate.yaml", quickConfig)
	kernel = p.read("bench/scale_add.cc")
	p.write("bench/scale_add.cc", strings.ReplaceAll(kernel, "y[i] += a * x[i];", slowLoop))
	p.mustRun("sh", "-c", "mkdir before && cp -r bench perfgate.yaml before/ && cp -r before try")
	return p, kernel
}

// judge asks for one answer. What judge says beside it is in the second value.
func (p *project) judge(args ...string) (judge.Answer, string, int) {
	p.t.Helper()
	text, code := p.run("perfgate", append([]string{"judge", "--ledger", "search"}, args...)...)
	var a judge.Answer
	if from := strings.Index(text, "{\n \"schema\""); from >= 0 {
		if err := json.Unmarshal([]byte(text[from:]), &a); err != nil {
			p.t.Fatalf("%v:\n%s", err, text)
		}
	}
	return a, text, code
}

// TestJudge is a short search with the real harness: candidates of all kinds, one that is better, an interruption, and answers from the ledger.
func TestJudge(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	p, fast := newSearch(t)
	try := func(code string) { p.write("try/bench/scale_add.cc", code) }
	expect := func(v judge.Verdict, code, number int, args ...string) judge.Answer {
		t.Helper()
		a, text, got := p.judge(append(args, "--base", "before")...)
		if a.Verdict != v || got != code || a.Candidate.Number != number || a.Schema != judge.Schema || len(a.Says) == 0 {
			t.Fatalf("%s of candidate %d, exit %d, want %s of %d, %d:\n%s", a.Verdict, a.Candidate.Number, got, v, number, code, text)
		}
		return a
	}
	if a := expect(judge.Same, 0, 1, "try"); a.Rounds != 0 || !a.Sandboxed {
		t.Errorf("base itself: %d rounds, sandboxed %v", a.Rounds, a.Sandboxed)
	}
	try("this is no C++\n")
	if a := expect(judge.Broken, 1, 2, "try"); a.Rounds != 0 || len(a.Faults) != 1 || !strings.Contains(a.Faults[0].Output, "this is no C++") {
		t.Errorf("what does not build: %d rounds, %+v", a.Rounds, a.Faults)
	}
	try(strings.ReplaceAll(fast, "y[i] += a * x[i];", "y[i] += x[i];"))
	if a := expect(judge.Wrong, 1, 3, "try"); a.Rounds != 0 || a.Parity[0].Failure == nil || a.Parity[0].Failure.Repro == "" {
		t.Errorf("a wrong result: %d rounds, %+v", a.Rounds, a.Parity)
	}
	try(fast)
	r := p.start("perfgate", "judge", "try", "--base", "before", "--ledger", "search")
	r.waitFor(`^measuring: round 2`)
	send(t, r.cmd.Process.Pid, syscall.SIGKILL)
	r.wait()
	try("something else by now")
	a, said, code := p.judge("--resume", "--base", "before")
	requests := 1
	for try(fast); a.Verdict == judge.Inconclusive && requests < 5; requests++ { // what runs beside the test can hide any gain
		a, said, code = p.judge("try", "--recheck", "--base", "before")
	}
	if a.Verdict != judge.Better || code != 0 || a.Candidate.Number != 4 {
		t.Fatalf("%s of candidate %d, exit %d after %d requests:\n%s", a.Verdict, a.Candidate.Number, code, requests, said)
	}
	if a.Claim == nil || a.Claim.Request != requests || a.RatioOfBase == nil || a.RatioOfBase.High >= 1 || a.Ledger.Best.Number != 4 {
		t.Errorf("%+v", a)
	}
	if again := expect(judge.Better, 0, 4, "try"); !again.Ledger.Known || again.Processes != a.Processes {
		t.Errorf("asked again: known %v, %d processes", again.Ledger.Known, again.Processes)
	}
	p.write("worse.cc", strings.ReplaceAll(fast, "y[i] += a * x[i];", strings.Replace(slowLoop, "9", "19", 1)))
	p.mustRun("sh", "-ec", `mkdir -p patch/a/bench patch/b/bench
		cp before/bench/scale_add.cc patch/a/bench; mv worse.cc patch/b/bench/scale_add.cc
		cd patch; ! git diff --no-index --no-prefix a b >../worse.patch`)
	if a := expect(judge.Worse, 1, 5, "worse.patch"); a.Against != 4 || a.Rounds != 2 {
		t.Errorf("slower than the best: against %d, %d rounds", a.Against, a.Rounds)
	}
	p.expect(0, "BETTER | base -> 4 | 5 worse.patch", "perfgate", "judge", "--status", "--ledger", "search")
	p.write("before/bench/scale_add.cc", fast)
	if _, text, code := p.judge("try", "--base", "before"); code != int(result.ExitUsage) || !strings.Contains(text, "of another search: base was") {
		t.Errorf("another base: exit %d\n%s", code, text)
	}
	p.clean()
}
