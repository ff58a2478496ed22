package measure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/observe"
)

// Program is a benchmark that is ready to run on both sides.
type Program struct {
	Spec    benchmark.Spec
	Format  benchmark.Format
	Sides   map[result.Side]ProgramFolder
	First   ProgramRuns   // zero before there were any
	Timed   int           // rows that are timed in one process, those of libraries included
	Home    string        // folder for what processes are given
	Cache   string        // perfgate's
	Budget  time.Duration // of all rounds, and of a first run
	Seed    uint64
	Log     child.Log
	Observe bool // what a process asks the Linux kernel for is recorded
	// Command starts a command, within limits.
	Command func(kernels.CommandSpec) (*kernels.Command, error)

	afresh bool // a process finds nothing compiled or tuned by another
}

var _ Benchmark = (*Program)(nil)

// ProgramFolder is where processes of a side run, in a folder around it that holds all of the side.
type ProgramFolder struct {
	Tree, Root string
	Python     string   // the interpreter of its script
	Env        []string // NAME=value entries that lead to its environment
	Reads      []string // folders of the interpreter and the environment
}

// ProgramRun is what a side's first run said, how long it took, and what it asked the Linux kernel for where it was observed.
type ProgramRun struct {
	Set   benchmark.Set
	Lived time.Duration
	CPU   time.Duration
	Asked observe.Report
	// Launched says that it ran its cases; else it was only asked which there are.
	Launched bool
}

// ProgramRuns are those of both sides.
type ProgramRuns struct{ Base, Head ProgramRun }

// Of is the run of a side.
func (r ProgramRuns) Of(side result.Side) ProgramRun {
	if side == result.SideBase {
		return r.Base
	}
	return r.Head
}

// baseOrHead is base's run, and head's where only head was run.
func (r ProgramRuns) baseOrHead() ProgramRun {
	if r.Base.Lived > 0 {
		return r.Base
	}
	return r.Head
}

// Row is the case of a name, nil where the run did not have it.
func (r ProgramRun) Row(name string) *benchmark.Case {
	for i, c := range r.Set.Cases {
		if c.Name == name {
			return &r.Set.Cases[i]
		}
	}
	return nil
}

// Has says whether a run measured a row, or tried to.
func (r ProgramRun) Has(name string) bool {
	c := r.Row(name)
	return c != nil && !c.Skipped
}

// Lacks are the rows that a run measured and another does not have.
func (r ProgramRun) Lacks(other ProgramRun) []string {
	var out []string
	for _, c := range r.Set.Cases {
		if !c.Skipped && !c.Competitor && c.Failed == "" && !other.Has(c.Name) {
			out = append(out, c.Name)
		}
	}
	return out
}

// Differs says why a row of base is not what this run has by its name; "" where it is, or fails.
func (r ProgramRun) Differs(base benchmark.Case) string {
	c := r.Row(base.Name)
	if c == nil {
		return "base's benchmark does not have it in every run"
	}
	if differs := base.Differs(*c); differs != "" && c.Failed == "" {
		return "two runs of base's benchmark differ: " + differs
	}
	return ""
}

// List is a side's first run, which says what cases there are. Nothing is decided by its times. It runs what is wanted, as far as the format can ask
// for it; where that has no such row, all rows say what there is.
func (p *Program) List(ctx context.Context, side result.Side, ask benchmark.Ask) (ProgramRun, error) {
	first, err := p.listOnce(ctx, side, ask)
	if !benchmark.NarrowsList(p.Format, p.Spec, ask.Wanted) {
		return first, err
	}
	var fault *kernels.RunnerError
	none := !slices.ContainsFunc(first.Set.Cases, func(c benchmark.Case) bool { return benchmark.MatchesRow(ask.Wanted, c.Name) })
	if errors.As(err, &fault) && (fault.Code == result.CodeExited || fault.Code == result.CodeNonsense) || err == nil && none {
		ask.Wanted = nil
		return p.listOnce(ctx, side, ask)
	}
	return first, err
}

func (p *Program) listOnce(ctx context.Context, side result.Side, ask benchmark.Ask) (ProgramRun, error) {
	ask.Mode = benchmark.List
	first, err := p.run(ctx, side, ask, p.Budget)
	first.Launched = !p.Format.Traits().Lists
	var fault *kernels.RunnerError
	if errors.As(err, &fault) && fault.Code == result.CodeHung {
		fault.Message = fmt.Sprintf("its first run, of all its cases, did not end within the budget of %s that all rounds have: it hangs, or takes too long for a gate: "+
			"give its command less to do, or raise --budget", p.Budget)
	}
	return first, err
}

// Launch is what a process of a side asks for that launches every case which is timed, where its first run only listed them: it is asked how to time
// them. why is set where it does not launch all of them.
func (p *Program) Launch(ctx context.Context, side result.Side, rows []string) (asked observe.Report, why string, err error) {
	if p.First.Of(side).Launched {
		return asked, "", nil
	}
	alone := *p
	alone.Observe, alone.afresh = true, true
	done, err := alone.run(ctx, side, benchmark.Ask{Mode: benchmark.Calibrate, Cases: rows}, p.limit())
	var fault *kernels.RunnerError
	for _, row := range rows {
		if err == nil && fault == nil {
			fault = p.reading(done.Set, row, benchmark.Calibrate).Fault
		}
	}
	if fault != nil || errors.As(err, &fault) {
		return asked, fmt.Sprintf("%s's benchmark does not launch every case while it is observed: %v", side, fault), nil
	}
	return done.Asked, "", err
}

// Outputs are what a command writes in the tree of a side, from a seed: what its benchmark's kernel computes.
func (p *Program) Outputs(ctx context.Context, side result.Side, line, seed string) (benchmark.Outputs, error) {
	f, leave, err := p.makeFolders(side)
	if err != nil {
		return nil, err
	}
	defer leave()
	c := benchmark.Command{Line: line, Env: []string{benchmark.CheckVariable + "=" + f.out, benchmark.SeedVariable + "=" + seed, "PYTHONDONTWRITEBYTECODE=1"}}
	started, err := p.Command(p.command(side, c, f, p.Budget))
	if err != nil {
		return nil, err
	}
	end, err := started.Wait(ctx)
	if err != nil {
		return nil, err
	}
	out, err := benchmark.ReadOutputs(untrusted.FS(f.out, untrusted.NoLimit))
	if err != nil {
		return nil, &kernels.RunnerError{Code: result.CodeBadDelivery, Message: "what the check wrote cannot be compared: " + err.Error() + end.Hint}
	}
	return out, nil
}

// Show is a process of a side that launches one row for a profiler: once, between start and stop of that, where the format has it. leave takes away what
// the process needs.
func (p *Program) Show(side result.Side, row string, limit time.Duration) (spec kernels.CommandSpec, leave func(), err error) {
	f, leave, err := p.makeFolders(side)
	if err != nil {
		return spec, leave, err
	}
	ask := benchmark.Ask{Mode: benchmark.Measure, Cases: []string{row}, Out: f.out, Support: f.support, Seed: p.Seed}
	profiled, ok := p.Format.(benchmark.Profiled)
	if !ok {
		return p.command(side, p.Format.Command(p.question(side), ask), f, limit), leave, nil
	}
	return p.command(side, profiled.Profile(p.question(side), ask, *p.First.Head.Row(row)), f, limit), leave, nil // a row that was timed is one that head has
}
