// Package trial tries a team's benchmark in the current folder, to write its first configuration: what format it has, which cases fit into a
// budget, and what builds it.
//
//	command -> build, runs in a copy -> format, cases, flags that shorten them -> perfgate.yaml
package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/observe"
)

const (
	trialLimit   = 2 * time.Minute  // of one run of a benchmark that is tried: eight of them have to fit into the budget
	buildLimit   = 10 * time.Minute // of a command that is tried as what builds it
	mostProgram  = 256 << 20        // bytes of a program that is looked through
	starterTimes = 32               // processes that a first configuration should have time for
)

// Benchmark is the command of a benchmark, tried where the caller stands.
type Benchmark struct {
	Command   string
	Build     string        // a command that builds its program; "" where that is to be found out
	Tolerance string        // for the configuration; "" is the default
	Budget    time.Duration // for all rounds; 0 is the default

	Found    func(string) // takes what was recognised and chosen, a line each
	Progress io.Writer    // takes what is tried
	Log      child.Log    // takes what the commands print
}

// budget is what a first verdict has.
func (b Benchmark) budget() time.Duration { return cmp.Or(b.Budget, config.Defaults().Gate.Budget) }

// Starter is the first configuration of the benchmark, as one run of it shows what it is.
func (b Benchmark) Starter(ctx context.Context) (config.BenchStarter, error) {
	scratch, err := os.MkdirTemp(child.Scratch(), "perfgate-") // of its own: the run that follows goes on in that of the process
	if err != nil {
		return config.BenchStarter{}, fmt.Errorf("make a temporary folder (TMPDIR names another place): %w", err)
	}
	defer os.RemoveAll(scratch)
	cwd, err := os.Getwd()
	if err != nil {
		return config.BenchStarter{}, fmt.Errorf("find the current folder: %w", err)
	}
	t := &trial{Benchmark: b, scratch: scratch, dir: cwd, added: map[string]string{}}
	build, err := t.buildCommand(ctx, cwd)
	if err != nil {
		return config.BenchStarter{}, err
	}
	found, err := t.recognise(ctx, t.run)
	if err != nil {
		return config.BenchStarter{}, err
	}
	traits, tree := found.Format.Traits(), os.DirFS(".")
	b.Found(traits.Name + ": " + text.Count(len(found.Set.Cases), "case"))
	t.showTable(found)
	if folder := t.ownPackages(traits); folder != "" {
		found.Spec.Command = folder + " " + found.Spec.Command
		b.Found(folder + ": each side imports its own packages, wherever others are installed")
	}
	if err := t.fit(ctx, &found, t.run); err != nil {
		return config.BenchStarter{}, err
	}
	spec := found.Spec
	spec.Competitors = t.libraryLines(found.Set)
	cases, err := b.casesThatFit(found)
	if err != nil {
		return config.BenchStarter{}, err
	}
	if len(spec.Competitors) == 0 {
		cases = append(cases, t.libraryRows(found.Set)...)
	}
	if spec.Time == "real" && !hasGPU() && found.OnCPU() {
		spec.Time = "cpu"
		b.Found("time: cpu, the clock of the CPU: it shows what the wall clock does, without other work on this machine")
	}
	files := benchmark.OwnFiles(tree, found.Format, b.Command)
	if len(files) > 0 {
		b.Found(fmt.Sprintf("files: none. Whether %s defines what it times is unknown, so each side runs its own", strings.Join(files, ", ")))
	}
	if !kernels.IsOneCommand(b.Command) && t.opened(gpuDevice) {
		b.Found("the command starts its programs: in the sandbox, which pull requests run in, a GPU opens for the program that a command becomes and for none that it starts. " +
			"Give only the benchmark, whose table csv can map, or a script that ends with exec")
	}
	return config.BenchStarter{
		Kernel: config.KernelName(benchmark.NameOf(tree, b.Command)), Bench: config.Bench{Format: traits.Name, Spec: spec}, Environment: b.environment(tree),
		Build: build, Files: files, Cases: cases, Tolerance: b.Tolerance, Budget: b.Budget, Device: t.device(), Paths: t.paths(ctx),
	}, nil
}

// CheckShell refuses lines that the shell does not read, before they are tried in several ways that all end so.
func CheckShell(ctx context.Context, lines map[string]string) error {
	for flag, line := range lines {
		out, err := child.Run(ctx, child.Spec{Path: "/bin/sh", Args: []string{"-n", "-c", line}})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			said, _, _ := strings.Cut(strings.TrimSpace(out.Stderr), "\n")
			return result.Usagef("%s %q is no command that sh can read: %s", flag, line, said)
		}
	}
	return nil
}

// recognise tries the command, as the user would run it, or in the copy that was built.
func (t *trial) recognise(ctx context.Context, run benchmark.Trial) (benchmark.Recognised, error) {
	try := func(line string) (benchmark.Recognised, error) {
		return benchmark.Recognise(ctx, line, t.programText(), func(ctx context.Context, f benchmark.Format, spec benchmark.Spec) (benchmark.Output, error) {
			fmt.Fprintf(t.Progress, "trying: as %s\n", f.Traits().Name)
			return t.fitting(run)(ctx, f, spec)
		})
	}
	found, err := try(t.Command)
	var none *benchmark.UnrecognisedError
	if folder := t.ownPackages(benchmark.Traits{}); errors.As(err, &none) && folder != "" { // they are installed nowhere
		if found, err = try(folder + " " + t.Command); err == nil {
			found.Spec.Command = t.Command
		}
	}
	if isHung(err) {
		err = fmt.Errorf("%w; a first verdict takes %d processes of it, which have %s in all: give its command less to do", err, rule.MinProcesses, t.budget())
	}
	if err != nil {
		return found, err
	}
	if option := t.added[found.Format.Traits().Name]; option != "" {
		found.Spec.Command = strings.TrimSpace(found.Spec.Command) + " " + option
		t.Found(fmt.Sprintf("command: %s is added, without which a process takes longer than %s", option, trialLimit))
	}
	return found, nil
}

// run runs a command once as one of a format, and asks it for its list of cases.
func (t *trial) run(ctx context.Context, f benchmark.Format, spec benchmark.Spec) (benchmark.Output, error) {
	dir, err := os.MkdirTemp(t.scratch, "try-")
	if err != nil {
		return benchmark.Output{}, err
	}
	ask := benchmark.Ask{Mode: benchmark.List, Out: filepath.Join(dir, "out"), Support: filepath.Join(dir, "support")}
	caches := filepath.Join(t.scratch, "cache") // of all that are tried, as in a run of all processes of a side
	for _, folder := range []string{ask.Out, caches} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return benchmark.Output{}, err
		}
	}
	if files, ok := f.(benchmark.Filed); ok {
		if err := os.CopyFS(ask.Support, files.Files()); err != nil {
			return benchmark.Output{}, err
		}
	}
	c := f.Command(spec, ask)
	started, err := kernels.StartCommand(kernels.CommandSpec{
		Line: c.Line, Args: c.Args, Env: c.Env, Dir: t.dir, Root: cmp.Or(t.root, t.dir), Scratch: dir, Writes: []string{ask.Out}, Caches: caches, Limit: trialLimit, Log: t.Log,
		Observe: &observe.Options{Own: []string{ask.Out, ask.Support, caches}, Trees: []string{cmp.Or(t.root, t.dir)}},
	})
	if err != nil {
		return benchmark.Output{}, err
	}
	end, err := started.Wait(ctx)
	if err == nil {
		t.asked = observe.Union(t.asked, started.Observed())
	}
	return benchmark.Output{Folder: untrusted.FS(ask.Out, untrusted.NoLimit), Stdout: end.Stdout, Cut: end.Cut, Lived: end.Lived}, err
}

// OwnEnvironment is the word of a command that starts a program of an environment of Python in the checkout; "" where none does.
func OwnEnvironment(cwd, command string) string {
	in := checkout.In(checkout.Around(cwd))
	for _, word := range strings.Fields(command) {
		path := strings.Trim(word, `'"`)
		if !filepath.IsAbs(path) {
			path = filepath.Join(cwd, path)
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(filepath.Dir(path)), "pyvenv.cfg")); err == nil && in.Holds(path) {
			return word
		}
	}
	return ""
}
