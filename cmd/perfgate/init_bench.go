package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/child"
)

const (
	trialLimit   = 2 * time.Minute  // of one run of a benchmark that is tried: eight of them have to fit into the budget
	buildLimit   = 10 * time.Minute // of a command that is tried as what builds it
	mostProgram  = 256 << 20        // bytes of a program that is looked through
	starterLooks = 16               // rounds that a first configuration should have time for
)

// benchStarter is what init --bench is given.
type benchStarter struct{ command, build, tolerance string }

// write recognises a benchmark, writes its configuration, and sees what it can detect here.
func (b benchStarter) write(ctx context.Context, s *streams) error {
	if _, err := os.Lstat(config.DefaultFile); err == nil {
		return result.Usagef("%s exists already; nothing was written: add a kernel with bench to it (docs/benchmarks.md)", config.DefaultFile)
	}
	if err := checkShell(ctx, map[string]string{"--bench": b.command, "--build": b.build}); err != nil {
		return err
	}
	starter, err := b.starter(ctx, s)
	if err != nil {
		return interrupted(ctx, err)
	}
	text, err := starter.Text()
	if err != nil {
		return result.Usage(err)
	}
	cwd, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the current folder: %w", err)
	}
	if _, err := writeNew(s, cwd, map[string][]byte{config.DefaultFile: text}); err != nil {
		return err
	}
	if path := ownEnvironment(cwd, starter.Bench.Python+" "+b.command); path != "" {
		fmt.Fprintf(s.out, "note: %s is an environment in the checkout, where a pull request could replace it, so its gate refuses it: make one outside, such as ~/.venvs/NAME\n", visible(path))
	}
	fmt.Fprintln(s.out)
	return compareWithItself(ctx, s, starter)
}

// checkShell refuses lines that the shell does not read, before they are tried in several ways that all end so.
func checkShell(ctx context.Context, lines map[string]string) error {
	for flag, line := range lines {
		out, err := child.Run(ctx, child.Spec{Path: "/bin/sh", Args: []string{"-n", "-c", line}})
		if ctx.Err() != nil {
			return interrupted(ctx, ctx.Err())
		}
		if err != nil {
			said, _, _ := strings.Cut(strings.TrimSpace(out.Stderr), "\n")
			return result.Usagef("%s %q is no command that sh can read: %s", flag, line, said)
		}
	}
	return nil
}

// starter is the first configuration of the benchmark, as one run of it shows what it is.
func (b benchStarter) starter(ctx context.Context, s *streams) (config.BenchStarter, error) {
	found, err := recognise(ctx, s, b.command)
	if err != nil {
		return config.BenchStarter{}, err
	}
	traits, tree := found.Format.Traits(), os.DirFS(".")
	fmt.Fprintf(s.out, "%s: %s\n", traits.Name, report.Count(len(found.Set.Cases), "case", "cases"))
	cases, err := casesThatFit(s, found)
	if err != nil {
		return config.BenchStarter{}, err
	}
	build, err := b.buildCommand(ctx, s)
	if err != nil {
		return config.BenchStarter{}, err
	}
	spec := found.Spec
	if spec.Time == "real" && !hasGPU() && found.OnCPU() {
		spec.Time = "cpu"
		fmt.Fprintln(s.out, "time: cpu, the clock of the CPU: it shows what the wall clock does, without other work on this machine")
	}
	files := benchmark.OwnFiles(tree, found.Format, b.command)
	if len(files) > 0 {
		fmt.Fprintf(s.out, "files: none. Whether %s defines what it times cannot be told, so each side runs its own\n", strings.Join(files, ", "))
	}
	return config.BenchStarter{
		Kernel: config.KernelName(benchmark.NameOf(tree, b.command)), Bench: config.Bench{Format: traits.Name, Spec: spec},
		Build: build, Files: files, Cases: cases, Tolerance: b.tolerance, CPU: traits.CUDA && !hasGPU(),
	}, nil
}

// ownEnvironment is the word of a command that starts a program of an environment of Python in the checkout; "" where none does.
func ownEnvironment(cwd, command string) string {
	in := checkout.In(repo.Checkout(cwd))
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

// recognise tries the command in the current folder, as the user would run it.
func recognise(ctx context.Context, s *streams, command string) (benchmark.Recognised, error) {
	scratch, err := os.MkdirTemp(child.Scratch(), "perfgate-") // of its own: the run that follows goes on in that of the process
	if err != nil {
		return benchmark.Recognised{}, fmt.Errorf("make a temporary folder (TMPDIR names another place): %w", err)
	}
	defer os.RemoveAll(scratch)
	found, err := benchmark.Recognise(ctx, command, programText(command), func(ctx context.Context, f benchmark.Format, spec benchmark.Spec) (benchmark.Output, error) {
		fmt.Fprintf(s.progressTo(), "trying: as %s\n", f.Traits().Name)
		return tryBenchmark(ctx, scratch, f, spec, s.progress().command)
	})
	var fault *kernels.RunnerError
	if errors.As(err, &fault) && fault.Code == result.CodeHung {
		err = fmt.Errorf("%w; a first verdict takes %d processes of it, which have %s in all: give its command less to do", err, 2*rule.MinRounds, config.Defaults().Gate.Budget)
	}
	return found, err
}

// tryBenchmark runs a command once as one of a format, and asks it for its list of cases.
func tryBenchmark(ctx context.Context, scratch string, f benchmark.Format, spec benchmark.Spec, log child.Log) (benchmark.Output, error) {
	dir, err := os.MkdirTemp(scratch, "try-")
	if err != nil {
		return benchmark.Output{}, err
	}
	cwd, err := os.Getwd()
	if err != nil {
		return benchmark.Output{}, err
	}
	ask := benchmark.Ask{Mode: benchmark.List, Out: filepath.Join(dir, "out"), Support: filepath.Join(dir, "support")}
	caches := filepath.Join(dir, "cache")
	for _, folder := range []string{ask.Out, caches} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			return benchmark.Output{}, err
		}
	}
	if files, ok := f.(benchmark.Filed); ok {
		if err := os.CopyFS(ask.Support, files.Files()); err != nil {
			return benchmark.Output{}, err
		}
	}
	c := f.Command(spec, ask)
	end, err := kernels.RunCommand(ctx, kernels.CommandSpec{
		Line: c.Line, Args: c.Args, Env: c.Env, Dir: cwd, Root: cwd, Scratch: dir, Writes: []string{ask.Out}, Caches: caches, Limit: trialLimit, Log: log,
	})
	return benchmark.Output{Folder: untrusted.FS(ask.Out, untrusted.NoLimit), Stdout: end.Stdout, Cut: end.Cut, Lived: end.Lived}, err
}

// driverDevice is there where an NVIDIA driver is loaded, also for a build of perfgate that cannot ask it.
const driverDevice = "/dev/nvidiactl"

// hasGPU says whether a benchmark may have run on a GPU here.
func hasGPU() bool {
	if gpus, err := machine.OpenGPUs(); err == nil {
		gpus.Close()
		return true
	}
	_, missing := os.Stat(driverDevice)
	return missing == nil
}

// programText is what the command's program holds, nil where it cannot be read.
func programText(command string) []byte {
	program := benchmark.ProgramOf(os.DirFS("."), command)
	if !strings.Contains(program, "/") {
		if found, err := exec.LookPath(program); err == nil && !strings.HasSuffix(program, ".py") {
			program = found
		}
	}
	f, err := untrusted.OpenLinked(program, untrusted.NoLimit)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostProgram))
	if err != nil {
		return nil
	}
	return text
}

// casesThatFit are the cases to begin with: all, written as none; those that can run here; or some, where there are more than the budget has time for.
// It is an error where no verdict is possible in the budget.
func casesThatFit(s *streams, found benchmark.Recognised) ([]string, error) {
	runs, fails := sortedCases(found.Set)
	for _, c := range found.Set.Cases {
		if c.Failed != "" && !c.Skipped {
			fmt.Fprintf(s.out, "%s is left out: %s\n", visible(c.Name), visible(c.Failed))
		}
	}
	traits, budget := found.Format.Traits(), config.Defaults().Gate.Budget
	most := min(len(runs), config.MaxCases)
	if !traits.Lists {
		each := 2 * found.Lived // of a round
		if traits.Filters {
			each /= time.Duration(len(runs))
		}
		if rule.MinRounds*each > budget {
			return nil, fmt.Errorf("one process of the benchmark takes %s, and a first verdict takes %d of them, which have %s in all: give its command less to do",
				(each / 2).Round(time.Second), 2*rule.MinRounds, budget)
		}
		if traits.Filters && rule.MinRounds*each*time.Duration(most) > budget {
			most = max(1, int(budget/(starterLooks*each)))
		}
	}
	if len(runs) <= most {
		return fails, nil
	}
	fmt.Fprintf(s.out, "cases: %d of %d, spread over all: more do not fit into a budget of %s\n", most, len(runs), budget)
	var names []string
	for i := range most {
		names = append(names, runs[i*(len(runs)-1)/max(1, most-1)])
	}
	return names, nil
}

// sortedCases are the cases that ran, and patterns that leave out those that cannot run here.
func sortedCases(set benchmark.Set) (runs, fails []string) {
	for _, c := range set.Cases {
		switch {
		case c.Failed == "":
			runs = append(runs, c.Name)
		case !c.Skipped:
			fails = append(fails, "!"+c.Name)
		}
	}
	return runs, fails
}
