package doctor

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/sandbox"
)

// Benchmark is what a benchmark of the configuration showed: run against itself by the gate's own rounds, and once asked for one case.
type Benchmark struct {
	Kernel, Format string
	Trouble        string  // why it could not be run or read
	Noise          []Noise // of each of its cases
	Tolerance      float64 // of the configuration
	Answered       int     // cases of the process that was asked for one; 0 where it was not asked
}

// oneRunLimit bounds the process that is asked for one case.
const oneRunLimit = 2 * time.Minute

// measureBenchmarks tries the benchmarks of the configuration, each by itself.
func (f *Facts) measureBenchmarks(ctx context.Context, o Options) {
	for _, k := range o.Config.Kernels {
		if !k.IsSelfTimed() || ctx.Err() != nil {
			continue
		}
		b := Benchmark{Kernel: k.Name, Format: k.Bench.Format, Tolerance: o.Config.Gate.Tolerance}
		if err := b.measure(ctx, o, k); err != nil {
			b.Trouble = err.Error()
		}
		f.Benchmarks = append(f.Benchmarks, b)
	}
}

// measure runs a benchmark against itself, as far as the first look.
func (b *Benchmark) measure(ctx context.Context, o Options, k config.Kernel) error {
	dir, err := filepath.Abs(filepath.Dir(o.Config.File))
	if err != nil {
		return fmt.Errorf("find the folder of the configuration: %w", err)
	}
	side := run.Side{Tree: dir, Root: checkout.Top(dir), Info: result.Version{Kind: result.KindDirectory, Label: "this folder"}}
	alone := *o.Config
	alone.Kernels, alone.Tolerances, alone.Waivers, alone.Goals = []config.Kernel{k}, nil, nil, nil
	res, err := run.Run(ctx, againstItself(o, &alone, side, func(p run.Progress) string { return "running the benchmark " + k.Name + " against itself: " + p.What }))
	if err != nil {
		return err
	}
	if b.Noise, err = noiseOf(res); err != nil {
		return err
	}
	return b.askForOne(ctx, o, k, dir)
}

// askForOne asks for all cases, and then for the first alone, where there are several. A script is run by perfgate's package, which leaves
// the others out by itself.
func (b *Benchmark) askForOne(ctx context.Context, o Options, k config.Kernel, dir string) error {
	if len(b.Noise) < 2 || k.Bench.Script != "" {
		return nil
	}
	whole, err := oneProcess(ctx, o, k, dir, benchmark.Ask{})
	if err != nil || len(whole.Cases) < 2 {
		return err
	}
	first := whole.Cases[0].Name
	one, err := oneProcess(ctx, o, k, dir, benchmark.Ask{Cases: []string{first}, Known: whole.Cases})
	if err != nil {
		return fmt.Errorf("asked for %s only: %w", first, err)
	}
	b.Answered = len(one.Cases)
	return nil
}

// oneProcess runs a benchmark once, asked for some of its rows or all.
func oneProcess(ctx context.Context, o Options, k config.Kernel, dir string, ask benchmark.Ask) (benchmark.Set, error) {
	out, err := os.MkdirTemp(o.Scratch, "one-")
	if err != nil {
		return benchmark.Set{}, fmt.Errorf("make a folder for a benchmark: %w", err)
	}
	format, _ := benchmark.Named(k.Bench.Format) // the configuration was read with these
	ask.Mode, ask.Out = benchmark.Measure, out
	command := format.Command(k.Bench.Spec, ask)
	spec := kernels.CommandSpec{
		Line: command.Line, Args: command.Args, Env: command.Env, Dir: dir, Root: checkout.Top(dir), Scratch: o.Scratch, Writes: []string{out}, Limit: oneRunLimit, Log: o.Log,
	}
	if sandbox.LandlockABI() > 0 {
		spec.Sandbox = &kernels.Sandbox{}
	}
	end, err := kernels.RunCommand(ctx, spec)
	if err != nil {
		return benchmark.Set{}, err
	}
	return benchmark.Read(format, k.Bench.Spec, benchmark.Output{Folder: untrusted.FS(out, untrusted.NoLimit), Stdout: end.Stdout, Cut: end.Cut})
}

// finding weighs what a benchmark can see here against the tolerance of its configuration.
func (b Benchmark) finding() Finding {
	if b.Trouble != "" {
		return bad(b.Format+": "+b.Trouble, "run the command of bench by hand, in the folder of perfgate.yaml; where a build makes it, build first")
	}
	byScatter := func(x, y Noise) int { return cmp.Compare(x.Scatter, y.Scatter) }
	least, most := slices.MinFunc(b.Noise, byScatter), slices.MaxFunc(b.Noise, byScatter)
	said := fmt.Sprintf("%s: %s; its %d processes vary by %s", b.Format, text.Count(len(b.Noise), "case"), least.Processes, text.Percent(least.Scatter))
	if len(b.Noise) > 1 {
		said += fmt.Sprintf(" to %s (%s)", text.Percent(most.Scatter), most.Case)
	}
	if most.SeenLast > b.Tolerance {
		return warn(fmt.Sprintf("%s: a slowdown of %s is seen at the earliest, and %s is tolerated", said, text.Percent(most.SeenLast), text.Percent(b.Tolerance)),
			"let it time more launches a process, quieten the machine, or raise gate.tolerance")
	}
	return fine(said)
}

// filter says whether a benchmark that is asked for one case runs that alone.
func (b Benchmark) filter() Finding {
	switch {
	case b.Answered == 0:
		return Finding{}
	case b.Answered == 1:
		return fine("asked for one case, it runs only that")
	}
	return warn(fmt.Sprintf("asked for one case, it runs %d: cases that are decided are measured on, and --shard saves nothing", b.Answered),
		"let it leave out what "+benchmark.CasesVariable+" does not name")
}
