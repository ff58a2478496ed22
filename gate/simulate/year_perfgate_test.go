package simulate

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/internal/ruletest"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/stats"
)

const configHash = "simulated"

// yearGate is the gate with its store.
type yearGate struct {
	o       yearOptions
	policy  result.Policy
	store   *baseline.Store
	commits []commit
	random  *rand.Rand
	out     yearOutcome
}

var method = result.Method{Clock: "event", How: "single", Launches: 1, Pool: 4, Samples: 100, Cache: "cold", LaunchNS: launchNS}

// pull decides about a pull request whose merge base is the commit before, and returns what it measured of head.
func (g *yearGate) pull(ctx context.Context, at commit) (*result.Result, bool, error) {
	if !at.changed {
		g.out.Identical++
		return nil, false, nil
	}
	s := g.o.session(g.random, at)
	h, err := baseline.Lookup(ctx, g.store, g.o.machine(at).Key, ancestors(g.commits[:at.index]), baseline.MaxRecords)
	if err != nil {
		return nil, false, err
	}
	g.out.PassedOver = max(g.out.PassedOver, len(h.Problems))
	res := g.result(at)
	open, err := g.screen(s, h, res)
	if err != nil {
		return nil, false, err
	}
	red, err := g.rounds(s, open, res)
	return res, red, err
}

func (g *yearGate) result(at commit) *result.Result {
	parent := g.commits[max(0, at.index-1)]
	return &result.Result{
		Started: day(at, g.o.Commits), Machine: g.o.machine(at), Head: result.Version{Kind: result.KindRevision, Revision: at.hash},
		Base:    result.Version{Kind: result.KindRevision, Revision: parent.hash},
		Kernels: []result.Kernel{{Name: "attention", Base: &result.Build{Fingerprint: parent.code}, Head: &result.Build{Fingerprint: at.code}}},
	}
}

func (g *yearGate) now(at commit, name, code string) baseline.Now {
	return baseline.Now{State: &baseline.Record{Machine: g.o.machine(at)}, Case: name, ConfigHash: configHash, Fingerprint: code}
}

// screen measures head alone where that has a chance, and returns the cases that it left open.
func (g *yearGate) screen(s *session, h baseline.History, res *result.Result) ([]int, error) {
	parent := g.commits[s.at.index-1]
	bases := make([]*baseline.Base, g.o.Cases)
	var open, all []int
	for c := range g.o.Cases {
		bases[c], _ = h.Base(g.now(s.at, caseName(c), parent.code))
		all = append(all, c)
	}
	processes := 0
	if !slices.Contains(bases, nil) {
		processes = baseline.Plan(bases, g.policy)
	}
	if processes == 0 { // rounds start processes anyway: what a screening saves is less than it costs
		return all, nil
	}
	if len(all) > 0 {
		g.out.Seconds += float64(processes) * g.o.cost(len(all))
		g.out.Screened++
	}
	for _, c := range all {
		alone := s.processes(c, s.at.level, processes, result.SideHead)
		screened, err := bases[c].Screen(baseline.SessionOf(alone), g.policy)
		if err != nil {
			return nil, err
		}
		if screened.Verdict != result.Same {
			open = append(open, c)
			continue
		}
		settled := result.Case{Name: caseName(c), Kernel: "attention", Method: &method}
		settled.SetProcesses(result.PurposeScreening, alone)
		res.Cases = append(res.Cases, settled)
	}
	if len(open) == 0 {
		g.out.Settled++
	}
	return open, nil
}

// processes are what the harness would answer of so many fresh processes.
func (s *session) processes(c int, level float64, n int, side result.Side) []result.Process {
	out := make([]result.Process, n)
	for i := range out {
		out[i] = result.Process{Round: i / 4, Position: i % 4, Variant: side.Variant(), ValueNS: math.Exp(s.process(c, level)), ComputeNS: s.canary()}
	}
	return out
}

// rounds measure both sides of the open cases until each is decided, and say whether the run is red.
func (g *yearGate) rounds(s *session, open []int, res *result.Result) (red bool, err error) {
	parent := g.commits[s.at.index-1]
	for _, c := range open {
		decided, err := g.decide(s, c, parent.level)
		if err != nil {
			return false, err
		}
		red = red || rule.Conclude([]result.Case{decided}, nil, g.policy).Exit == result.ExitFailed
		// A case's processes are shared with the others that are open: each carries its part of the start.
		g.out.Seconds += float64(len(decided.Processes)) * g.o.cost(len(open)) / float64(len(open))
		res.Cases = append(res.Cases, decided)
	}
	return red, nil
}

func (g *yearGate) decide(s *session, c int, base float64) (result.Case, error) {
	out := result.Case{Name: caseName(c), Kernel: "attention", Method: &method}
	round := 0
	err := ruletest.Decide(&out, rule.Timing{Launches: 1, MedianNS: launchNS}, g.policy, func(n int) []stats.Round {
		for ; round < n; round++ {
			ofBase, ofHead := rule.ScheduleOf(g.policy).Round(round)
			both := append(s.processes(c, base, ofBase, result.SideBase), s.processes(c, s.at.level, ofHead, result.SideHead)...)
			for i := range both {
				both[i].Round = round
			}
			out.Processes = append(out.Processes, both...)
		}
		return rule.Rounds(out.Processes)
	})
	return out, err
}

// push records a merged commit. What its pull request measured costs nothing, head's side and, where rounds ran, a
// further session of base's; identical code is measured only while the variance of sessions is being estimated.
func (g *yearGate) push(ctx context.Context, at commit, measured *result.Result) ([]*baseline.Record, error) {
	h, err := baseline.Lookup(ctx, g.store, g.o.machine(at).Key, ancestors(g.commits[:at.index+1]), baseline.MaxRecords)
	if err != nil {
		return nil, err
	}
	if measured != nil {
		return g.fromResult(h, measured)
	}
	if wanted, _ := h.Wanted(g.now(at, caseName(0), at.code)); !wanted {
		return nil, nil
	}
	g.out.Recorded++
	processes := baseline.FurtherProcesses // less than for a first record of its code
	if b, _ := h.Base(g.now(at, caseName(0), at.code)); b == nil {
		processes = baseline.RecordProcesses
	}
	g.out.Seconds += float64(processes) * g.o.cost(g.o.Cases)
	s, res := g.o.session(g.random, at), g.result(at)
	for c := range g.o.Cases {
		res.Cases = append(res.Cases, result.Case{Name: caseName(c), Kernel: "attention", Method: &method, Processes: s.processes(c, at.level, processes, result.SideHead)})
	}
	r, err := record(res, result.SideHead)
	return []*baseline.Record{r}, err
}

// fromResult takes head's side, and base's where its commit has no record yet.
func (g *yearGate) fromResult(h baseline.History, res *result.Result) ([]*baseline.Record, error) {
	head, err := record(res, result.SideHead)
	if err != nil {
		return nil, err
	}
	out := []*baseline.Record{head}
	for _, f := range h.Found {
		if f.Record.Commit == res.Base.Revision {
			return out, nil
		}
	}
	base, err := record(res, result.SideBase)
	if errors.Is(err, baseline.ErrNothing) {
		return out, nil // settled without rounds
	}
	return append(out, base), err
}

func record(res *result.Result, side result.Side) (*baseline.Record, error) {
	return baseline.FromResult(res, side, func(string) string { return configHash })
}

// ancestors lists commits nearest first.
func ancestors(commits []commit) []string {
	out := make([]string, len(commits))
	for i, c := range commits {
		out[len(commits)-1-i] = c.hash
	}
	return out
}
