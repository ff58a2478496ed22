package explain_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/profile/explain"
	"github.com/org/perfgate/kernels"
)

// side is one code of a case: what is checked, timed and profiled once for all faults that it is part of.
type side struct {
	id         string
	lib        string
	of         kernels.CaseSpec
	tolerances map[string]kernels.Tolerance
	kernels    int // that a launch of it has
	base       bool
	wrong      bool
	ns, mhz    []float64
	profiles   []string // names: one, and of a base one more
}

// choose lists the sides of all faults that were built.
func (r *recorder) choose() {
	for _, f := range r.faults {
		if c, ok := r.caseOf(f); !ok {
			r.t.Errorf("%s has no measured case %s", f.Kernel, f.Case)
		} else if r.libs[r.key(f, "")] != "" && r.libs[r.key(f, f.Flag)] != "" {
			r.add(f, c, "", true)
			r.add(f, c, f.Flag, false)
		}
	}
	slices.SortStableFunc(r.sides, func(a, b *side) int { return strings.Compare(filepath.Ext(b.lib), filepath.Ext(a.lib)) }) // interpreters last
}

func sideID(f Fault, flag string) string { return f.Dir + " " + f.Kernel + "/" + f.Case + " " + flag }

func (r *recorder) find(f Fault, flag string) *side {
	if i := slices.IndexFunc(r.sides, func(s *side) bool { return s.id == sideID(f, flag) }); i >= 0 {
		return r.sides[i]
	}
	return nil
}

func (r *recorder) add(f Fault, c plan.Case, flag string, base bool) {
	if r.find(f, flag) != nil {
		return
	}
	k, _ := r.configs[f.Dir].Kernel(f.Kernel)
	s := &side{id: sideID(f, flag), lib: r.libs[r.key(f, flag)], of: c.Spec(), tolerances: parity.TolerancesOf(k.Parity.ATol, k.Parity.RTol, k.Parity.Matched, k.Parity.Accumulate).ByDtype, kernels: f.kernels(base), base: base}
	if config.IsPython(k.Adapter) {
		s.of.Params = changed(s.of.Params, flag)
	}
	r.sides = append(r.sides, s)
}

// changed are the parameters of a case with another value for the one that a flag such as slow=1 names.
func changed(params []kernels.CaseParam, flag string) []kernels.CaseParam {
	out := slices.Clone(params)
	name, text, _ := strings.Cut(flag, "=")
	for i := range out {
		if value, err := strconv.ParseInt(text, 10, 64); err == nil && out[i].Name == name {
			out[i].Text, out[i].Value = text, value
		}
	}
	return out
}

// groups are the sides that one process can do: all libraries, or what an interpreter's adapter has.
func (r *recorder) groups() [][]*side {
	var out [][]*side
	for _, s := range r.sides {
		last := len(out) - 1
		switch {
		case s.wrong:
		case last >= 0 && (out[last][0].lib == s.lib || !kernels.IsHosted(s.lib) && !kernels.IsHosted(out[last][0].lib)):
			out[last] = append(out[last], s)
		default:
			out = append(out, []*side{s})
		}
	}
	return out
}

// start starts a process for a group of sides.
func (r *recorder) start(group []*side, under ...string) (*kernels.Runner, error) {
	return kernels.StartRunner(r.ctx, kernels.RunnerSpec{
		Harness: r.harness.Path, Library: group[0].lib, Waits: !kernels.IsHosted(group[0].lib), Dir: r.t.TempDir(), Under: under, Apart: len(under) > 0,
	})
}

func load(ctx context.Context, runner *kernels.Runner, s *side) error {
	if kernels.IsHosted(s.lib) {
		return nil
	}
	return runner.Call(ctx, "load", "", map[string]any{"adapter": s.lib}, nil, time.Minute)
}

// each calls do for every side, in as few processes as live through it.
func (r *recorder) each(do func(*kernels.Runner, *side) error) {
	for _, group := range r.groups() {
		for len(group) > 0 {
			group = r.some(group, do)
		}
	}
}

// some goes through a group in one process until that is broken, and returns those that are left.
func (r *recorder) some(group []*side, do func(*kernels.Runner, *side) error) []*side {
	runner, err := r.start(group)
	if err != nil {
		r.t.Errorf("%s: %v", group[0].id, err)
		return group[1:]
	}
	defer runner.Close()
	if err := runner.Call(r.ctx, "warm", "", map[string]any{"limitNs": 4e8, "fixed": true}, nil, time.Minute); err != nil {
		r.t.Error(err)
	}
	for i, s := range group {
		err := load(r.ctx, runner, s)
		if err == nil {
			err = do(runner, s)
		}
		var fault *kernels.RunnerError
		if err != nil {
			r.t.Errorf("%s: %v", s.id, err)
			s.wrong = true
		}
		if errors.As(err, &fault) && fault.Code != "launch-failed" && fault.Code != "bad-command" {
			return group[i+1:]
		}
	}
	return nil
}

// checkAll compares every side with its reference. What is wrong is not measured.
func (r *recorder) checkAll() {
	r.each(func(runner *kernels.Runner, s *side) error {
		what := kernels.ParityCommand{Case: s.of, Seed: "3", Values: "spec", Oracle: "reference", Tolerances: s.tolerances}
		var reply kernels.ParityReply
		if err := runner.Call(r.ctx, "parity", s.id, what, &reply, time.Minute); err != nil {
			return err
		}
		if !reply.Passed {
			s.wrong = true
			r.t.Errorf("%s is wrong: %d of %d elements, worst %+v", s.id, reply.Failed, reply.Elements, reply.Worst)
		}
		return nil
	})
}

// measureAll takes the medians of two processes, base and heads one after the other in each.
func (r *recorder) measureAll() {
	for range 2 {
		r.each(func(runner *kernels.Runner, s *side) error {
			var reply kernels.TimeReply
			err := runner.Call(r.ctx, "time", s.id, kernels.TimeCommand{
				Case: s.of, Seed: "7", Oracle: "relaunch", LimitNS: 4e8,
				Method: kernels.Method{Clock: "event", How: kernels.HowLoop, Block: true, Launches: 1, Pool: 2, Samples: 15, Cache: "cold"},
			}, &reply, time.Minute)
			if err != nil || len(reply.Samples) == 0 {
				return err
			}
			slices.Sort(reply.Samples)
			s.ns, s.mhz = append(s.ns, reply.Samples[len(reply.Samples)/2]), append(s.mhz, reply.Canary.ClockMHz)
			fmt.Printf("%s: %.4g us at %.0f MHz\n", s.id, s.ns[len(s.ns)-1]/1e3, reply.Canary.ClockMHz)
			return nil
		})
	}
}

// pair makes pairs of what was recorded: each fault, and the two profiles of each base. That the ratio of an A/A pair is not 1 is luck;
// what is asked is whether a cause is named for a change that the gate took for sure, however small.
func (r *recorder) pair() {
	seen := map[*side]bool{}
	r.pairs = nil
	for _, f := range r.faults {
		base, head := r.find(f, ""), r.find(f, f.Flag)
		if base == nil || head == nil || len(base.ns) < 2 || len(head.ns) < 2 || len(base.profiles) == 0 || len(head.profiles) == 0 {
			continue
		}
		p := Pair{Fault: f, BaseMHz: mean(base.mhz), HeadMHz: mean(head.mhz), Base: base.profiles[0], Head: head.profiles[0]}
		p.Log, p.Low, p.High = Summary(base.ns, head.ns)
		r.pairs = append(r.pairs, p)
		if seen[base] || len(base.profiles) < 2 {
			continue
		}
		seen[base] = true
		again := Pair{Fault: Fault{Dir: f.Dir, Kernel: f.Kernel, Case: f.Case}, BaseMHz: p.BaseMHz, HeadMHz: p.BaseMHz, Base: base.profiles[0], Head: base.profiles[1]}
		again.Log, again.Low, again.High = Summary(base.ns[:1], base.ns[1:2])
		r.pairs = append(r.pairs, again)
	}
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x / float64(len(xs))
	}
	return sum
}

// sideBySide profiles a few sides with the sections of the product, and with the full set, each in one process.
func (r *recorder) sideBySide() {
	groups := r.groups()
	if len(groups) == 0 || os.Getenv("PERFGATE_ZOO_FULL") == "0" {
		return
	}
	few := groups[0][:min(len(groups[0]), 4)]
	for _, set := range []string{"", "full"} {
		name := map[string]string{"": "chosen sections", "full": "--set full"}[set] + ", from " + few[0].id
		if err := r.profile(name, few, profile.Want{Set: set, Metrics: explain.Asked(profile.Version{})}, false); err != nil {
			r.t.Error(err)
		}
	}
}
