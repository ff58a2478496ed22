package pipeline

import (
	"slices"
	"time"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// nsightJob is a launch of one side for Nsight Compute, by the harness or by the benchmark that timed the case. leave takes away what it
// needs meanwhile.
func (x *explaining) nsightJob(p profiled, s sideBuild, limit time.Duration) (j profile.Job, leave func(), err error) {
	b := newProgram(p.Kernel, x.runners, x.opt)
	if b == nil {
		return x.job(p, s, limit), func() {}, nil
	}
	folders, leave, err := b.folders(s.side)
	if err != nil {
		return j, leave, err
	}
	spec := b.spec()
	command := b.command(s.side, b.showing(spec, p.Case.Plan.Row, folders), folders, limit)
	command.Env = slices.Concat(x.device.environment(), command.Env)
	_, once := b.format.(benchmark.Profiled)
	return profile.Job{
		Runner: kernels.RunnerSpec{Dir: x.runners.scratch}, Limit: limit / 2, Cache: cacheOf(p),
		Program: &profile.Program{Command: command, Kernel: spec.Kernel, Once: once},
	}, leave, nil
}

// showing is how a process of the benchmark launches one row: once, between start and stop of the profiler, where its format has that.
func (p *program) showing(spec benchmark.Spec, row string, f benchFolders) benchmark.Command {
	ask := benchmark.Ask{Mode: benchmark.Measure, Cases: []string{row}, Out: f.out, Support: f.support, Seed: p.seed}
	profiled, ok := p.format.(benchmark.Profiled)
	if !ok {
		return p.format.Command(spec, ask)
	}
	has := p.kernel.First.head.Set.Cases
	at := slices.IndexFunc(has, func(c benchmark.Case) bool { return c.Name == row })
	return profiled.Profile(spec, ask, has[at]) // a row that was timed is one that head has
}

// cacheOf says whether a launch found the cache cold when it was timed. Programs that do not say so repeat their launches.
func cacheOf(p profiled) string {
	if m := p.Record.Method; m != nil && m.Cache != "" {
		return m.Cache
	}
	if p.Kernel.Plan.Kernel.Bench.Time == benchmark.NVBenchCold {
		return "cold"
	}
	return "hot"
}

// unseen says why no profiler can look at a launch of a case that a benchmark timed, with what helps; nil where one can.
func (x *explaining) unseen(p profiled) *result.Gap {
	b := p.Kernel.Plan.Kernel.Bench
	if b == nil {
		return nil
	}
	format, _ := benchmark.Named(b.Format)
	shower, shows := format.(benchmark.Profiled)
	gap := result.Gap{Case: p.Record.Name, Kind: result.GapNotSupported}
	switch box := x.runners.box.runners; {
	case !x.device.target.IsCUDA():
		gap.Text = "instructions of a benchmark are not counted: a launch cannot be told from the rest of its process"
		gap.Cure = "look at both sides with perf record, or measure the kernel by an adapter"
	case box != nil && box.Commands:
		gap.Text = "a benchmark is not profiled in the sandbox: Nsight Compute needs sockets in its process, which it could then use for more"
		gap.Cure = "perfgate run at a desk, where profilers work outside of it; or measure the kernel by an adapter, which gives them up"
	case shows && !shower.Narrows(b.Spec):
		gap.Text = "the command names several benchmarks itself, and cannot be asked for this case alone"
		gap.Cure = "leave them out of the command: perfgate asks for those that it needs, and cases picks some"
	case shows:
		return nil
	case b.Kernel == "":
		gap.Text = "which launches of the process are the benchmark's cannot be told"
		gap.Cure = "name its functions on the GPU by a pattern: kernel, beside command"
	case !format.Traits().Filters && len(p.First.head.Set.Cases) > 1:
		gap.Text = "which launches of the process are of this case cannot be told: the benchmark runs all of its cases"
		gap.Cure = "a kernel of perfgate.yaml with a command that runs this case alone"
	default:
		return nil
	}
	return &gap
}
