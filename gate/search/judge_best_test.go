package search

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/run"
)

// rehearsedSearch is a search whose runs are made up: every candidate is a file with its name, and speeds has its time over base's.
type rehearsedSearch struct {
	t      *testing.T
	dir    string
	speeds map[string]float64
	fails  func(other, candidate string) bool // whether other fails beside candidate
	runs   []string
}

func (s *rehearsedSearch) tree(name string) snapshot {
	s.t.Helper()
	f := snapshot{folder: filepath.Join(s.t.TempDir(), name), label: name}
	if err := os.MkdirAll(f.folder, 0o755); err != nil {
		s.t.Fatal(err)
	}
	err := os.WriteFile(filepath.Join(f.folder, "k.cc"), []byte(name), 0o644)
	if err == nil {
		f.hash, err = hashTree(s.t.Context(), f.folder, s.t.TempDir())
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return f
}

// judge is a call with a candidate.
func (s *rehearsedSearch) judge(name string) (*Answer, error) {
	s.t.Helper()
	l, err := LoadLedger(filepath.Join(s.dir, "ledger"))
	if err == nil {
		err = l.Open(Opening{Schema: LedgerSchema, Base: "b", BaseLabel: "base", Confidence: 0.99, Gain: 0.015})
	}
	if err != nil {
		s.t.Fatal(err)
	}
	base, head := s.tree("base"), s.tree(name)
	side := func(f snapshot) run.Side {
		return run.Side{Tree: f.folder, Info: result.Version{Label: f.label}}
	}
	j := &judging{scratch: s.t.TempDir(), ledger: l, base: base, head: head, opt: run.Options{Question: run.Question{Base: side(base), Head: side(head)}}, Judge: Judge{Measure: s.run, Log: func(string) {}}}
	return j.call(s.t.Context())
}

func (s *rehearsedSearch) run(_ context.Context, opt run.Options) (*result.Result, error) {
	other, candidate := opt.Base.Info.Label, opt.Head.Info.Label
	s.runs = append(s.runs, other+" "+candidate)
	res := &result.Result{Kernels: []result.Kernel{{
		Name: "k", Status: result.KernelCompared, Base: &result.Build{}, Head: &result.Build{}, Parity: result.Parity{Status: result.ParityPassed},
	}}}
	for side, fails := range map[result.Side]bool{result.SideBase: s.fails(other, candidate), result.SideHead: s.fails(candidate, other)} {
		if fails {
			res.Cases = []result.Case{{Name: "k/n=1", Kernel: "k", Verdict: result.Error, ErrorSide: side, ErrorCode: result.CodeCrashed}}
			res.Conclusion = rule.Conclude(res.Cases, res.Kernels, result.Policy{})
			return res, nil
		}
	}
	c := result.Case{Name: "k/n=1", Kernel: "k", Verdict: result.Same, Method: &result.Method{Clock: "thread", Launches: 1, Samples: 100, LaunchNS: 1e6, QuantumNS: 1}}
	random := rand.New(rand.NewPCG(uint64(len(s.runs)), 1))
	for i := range 4 * opt.Rounds.Course.Looks[len(opt.Rounds.Course.Looks)-1] {
		p := result.Process{Round: i / 4, Position: i % 4, Variant: result.VariantBase, ValueNS: s.speeds[other]}
		if p.Position == 1 || p.Position == 2 {
			p.Variant, p.ValueNS = result.VariantHead, s.speeds[candidate]
		}
		p.ValueNS *= 1e6 * math.Exp(0.003*random.NormFloat64())
		c.Processes = append(c.Processes, p)
	}
	res.Cases = []result.Case{c}
	return res, nil
}

func (s *rehearsedSearch) want(name string, verdict Verdict, against int) *Answer {
	s.t.Helper()
	a, err := s.judge(name)
	if err != nil || a.Verdict != verdict || a.Against != against {
		s.t.Fatalf("%s: %+v, %v; want %s against %d", name, a, err, verdict, against)
	}
	return a
}

func newRehearsedSearch(t *testing.T) *rehearsedSearch {
	return &rehearsedSearch{
		t: t, dir: t.TempDir(), speeds: map[string]float64{"base": 1, "good": 0.9, "flaky": 0.7, "next": 0.8, "slow": 0.95},
		fails: func(string, string) bool { return false },
	}
}

// A best that has begun to fail is judged again and gives its place to the best before it: the search goes on.
func TestABestThatFailsIsBestNoLonger(t *testing.T) {
	t.Parallel()
	s := newRehearsedSearch(t)
	s.want("good", Better, 0)
	s.want("flaky", Better, 1)
	s.fails = func(who, _ string) bool { return who == "flaky" }
	a := s.want("next", Better, 1)
	if notes := strings.Join(a.Notes, "\n"); !strings.Contains(notes, "candidate 2 was the best so far") || strings.Count(notes, "\n") > 0 {
		t.Errorf("notes %q", notes)
	}
	l, err := LoadLedger(filepath.Join(s.dir, "ledger"))
	must(t, err)
	if last := l.Answer(2); last.Verdict != Broken || last.Faults[0].Code != result.CodeCrashed {
		t.Errorf("the last word on it is %+v", last)
	}
	if best := l.Best(); best.Candidate.Number != 3 {
		t.Errorf("the best is %d", best.Candidate.Number)
	}
	s.want("slow", Worse, 3)
}

// Without one before it, base takes its place.
func TestTheOnlyBestFails(t *testing.T) {
	t.Parallel()
	s := newRehearsedSearch(t)
	s.want("flaky", Better, 0)
	s.fails = func(who, _ string) bool { return who == "flaky" }
	if a := s.want("next", Better, 0); a.RatioOfBase == nil {
		t.Error("it is not held against base")
	}
}

// A best that fails beside one candidate and not beside base keeps its place: the candidate may be the reason. After a second time the call says so.
func TestABestThatFailsBesideACandidateAlone(t *testing.T) {
	t.Parallel()
	s := newRehearsedSearch(t)
	s.want("flaky", Better, 0)
	times := 0
	s.fails = func(who, beside string) bool {
		if who == "flaky" && beside == "next" {
			times++
		}
		return who == "flaky" && beside == "next" && times == 1
	}
	s.want("next", Worse, 1)
	s.fails = func(who, beside string) bool { return who == "flaky" && beside == "slow" }
	s.runs = nil
	_, err := s.judge("slow")
	if err == nil || !BlamesOther(err) || !strings.Contains(err.Error(), "candidate 1, fails at times alongside this one") {
		t.Errorf("%v", err)
	}
	if want := "[flaky slow base flaky flaky slow]"; fmt.Sprint(s.runs) != want {
		t.Errorf("runs %v, want %s", s.runs, want)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
