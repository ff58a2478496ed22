package pipeline

import (
	"slices"
	"time"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

func (p *program) job(c profiled, side result.Side, limit time.Duration) (j profile.Job, leave func(), err error) {
	folders, leave, err := p.folders(side)
	if err != nil {
		return j, leave, err
	}
	spec := p.spec()
	command := p.command(side, p.showing(spec, c.Case.Plan.Row, folders), folders, limit)
	command.Env = slices.Concat(p.runners.device.environment(), command.Env)
	_, once := p.format.(benchmark.Profiled)
	return profile.Job{
		Runner: kernels.RunnerSpec{Dir: p.runners.scratch}, Limit: limit / 2, Cache: p.cacheOf(c.Record),
		Program: &profile.Program{Command: command, Kernel: spec.Kernel, Once: once},
	}, leave, nil
}

// showing is how a process of the benchmark launches one row: once, between start and stop of the profiler, where its format has that.
func (p *program) showing(spec benchmark.Spec, row string, f benchFolders) benchmark.Command {
	ask := benchmark.Ask{Mode: benchmark.Measure, Cases: []string{row}, Out: f.out, Support: f.support, Seed: p.opt.Seed}
	profiled, ok := p.format.(benchmark.Profiled)
	if !ok {
		return p.format.Command(spec, ask)
	}
	has := p.kernel.First.head.Set.Cases
	at := slices.IndexFunc(has, func(c benchmark.Case) bool { return c.Name == row })
	return profiled.Profile(spec, ask, has[at]) // a row that was timed is one that head has
}

// cacheOf says whether a launch found the cache cold when it was timed. Programs that do not say so repeat their launches.
func (p *program) cacheOf(c result.Case) string {
	if m := c.Method; m != nil && m.Cache != "" {
		return m.Cache
	}
	if p.spec().Time == benchmark.NVBenchCold {
		return "cold"
	}
	return "hot"
}

func (p *program) unseen(c profiled) *result.Gap {
	spec := p.spec()
	shower, shows := p.format.(benchmark.Profiled)
	gap := result.Gap{Case: c.Record.Name, Kind: result.GapNotSupported}
	switch box := p.runners.box.runners; {
	case !p.runners.device.target.IsCUDA():
		gap.Text = "instructions of a benchmark are not counted: a launch cannot be told from the rest of its process"
		gap.Cure = "look at both sides with perf record, or measure the kernel by an adapter"
	case box != nil && box.Commands:
		gap.Text = "a benchmark is not profiled in the sandbox: Nsight Compute needs sockets in its process, which it could then use for more"
		gap.Cure = "perfgate run at a desk, where profilers work outside of it; or measure the kernel by an adapter, which gives them up"
	case shows && !shower.Narrows(spec):
		gap.Text = "the command names several benchmarks itself, and cannot be asked for this case alone"
		gap.Cure = "leave them out of the command: perfgate asks for those that it needs, and cases picks some"
	case shows:
		return nil
	case spec.Kernel == "":
		gap.Text = "which launches of the process are the benchmark's cannot be told"
		gap.Cure = "name its functions on the GPU by a pattern: kernel, beside command"
	case !p.format.Traits().Filters && len(p.kernel.First.head.Set.Cases) > 1:
		gap.Text = "which launches of the process are of this case cannot be told: the benchmark runs all of its cases"
		gap.Cure = "a kernel of perfgate.yaml with a command that runs this case alone"
	default:
		return nil
	}
	return &gap
}
