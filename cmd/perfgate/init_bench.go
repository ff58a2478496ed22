package main

import (
	"context"
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
	"github.com/org/perfgate/gate/pipeline"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/child"
)

const (
	trialLimit   = 10 * time.Minute // of one run of a benchmark that is tried
	mostProgram  = 256 << 20        // bytes of a program that is looked through
	starterCases = 16               // of a benchmark with more than a gate takes
)

// benchStarter is what init --bench is given.
type benchStarter struct{ command, tolerance string }

// write recognises a benchmark, writes its configuration, and sees what it can detect here.
func (b benchStarter) write(ctx context.Context, s *streams) error {
	if _, err := os.Lstat(config.DefaultFile); err == nil {
		return usagef("%s exists already; nothing was written: add a kernel with bench to it (docs/benchmarks.md)", config.DefaultFile)
	}
	found, err := recognise(ctx, s, b.command)
	if err != nil {
		return interrupted(ctx, err)
	}
	fmt.Fprintf(s.out, "%s: %s\n", found.Format.Traits().Name, report.Count(len(found.Set.Cases), "case", "cases"))
	tree := os.DirFS(".")
	text, err := config.BenchStarter{
		Kernel: config.KernelName(benchmark.NameOf(tree, b.command)), Bench: config.Bench{Format: found.Format.Traits().Name, Spec: found.Spec},
		Files: benchmark.OwnFiles(tree, found.Format, b.command), Cases: fewCases(found.Set), Tolerance: b.tolerance, CPU: found.Format.Traits().CUDA && !hasGPU(),
	}.Text()
	if err != nil {
		return usage(err)
	}
	cwd, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the current folder: %w", err)
	}
	if _, err := writeNew(s, cwd, map[string][]byte{config.DefaultFile: text}); err != nil {
		return err
	}
	if path := ownEnvironment(cwd, found.Spec.Python+" "+b.command); path != "" {
		fmt.Fprintf(s.out, "note: %s is an environment in the checkout, where a pull request could replace it, so its gate refuses it: make one outside, such as ~/.venvs/NAME\n", visible(path))
	}
	fmt.Fprintln(s.out)
	return compareWithItself(ctx, s)
}

// ownEnvironment is the word of a command that starts a program of an environment of Python in the checkout; "" where none does.
func ownEnvironment(cwd, command string) string {
	in := checkout.In(repo.Toplevel(cwd))
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
	return benchmark.Recognise(ctx, command, programText(command), func(ctx context.Context, f benchmark.Format, spec benchmark.Spec) (benchmark.Output, error) {
		fmt.Fprintf(s.err, "trying: as %s\n", f.Traits().Name)
		return tryBenchmark(ctx, scratch, f, spec)
	})
}

// tryBenchmark runs a command once as one of a format, and asks it for its list of cases.
func tryBenchmark(ctx context.Context, scratch string, f benchmark.Format, spec benchmark.Spec) (benchmark.Output, error) {
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
		Line: c.Line, Args: c.Args, Env: c.Env, Dir: cwd, Root: cwd, Scratch: dir, Writes: []string{ask.Out}, Caches: caches, Limit: trialLimit,
	})
	return benchmark.Output{Folder: untrusted.FS(ask.Out, untrusted.NoLimit), Stdout: end.Stdout, Cut: end.Cut}, err
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

// fewCases names some of the cases of a benchmark that has more than are measured; of another those that it cannot run here, to be left out.
func fewCases(set benchmark.Set) []string {
	var runs, fails []string
	for _, c := range set.Cases {
		switch {
		case c.Failed == "":
			runs = append(runs, c.Name)
		case !c.Skipped:
			fails = append(fails, "!"+c.Name)
		}
	}
	if len(runs) <= config.MaxProduct {
		return fails
	}
	var names []string
	for i := range starterCases {
		names = append(names, runs[i*(len(runs)-1)/(starterCases-1)])
	}
	return names
}

// compareWithItself runs the gate on unchanged code, and says what that shows of the benchmark.
func compareWithItself(ctx context.Context, s *streams) error {
	f := runFlags{base: ".", head: ".", noSkip: true, trust: repo.TrustWorktree, out: "perfgate-out", format: "text", profile: result.ProfileNever}
	var res *result.Result
	if err := clearOut(f.out); err != nil {
		return err
	}
	res, err := inRun(ctx, s, f, func(opt pipeline.Options) (*result.Result, error) {
		opt.BaseNamed = true
		opt.Profile.Policy = f.profile
		return pipeline.Run(ctx, opt)
	})
	if err != nil {
		return err
	}
	published := publish(s, f, res)
	fmt.Fprintln(s.out)
	if err := report.Steadier(s.out, res, terminalOf(s)); err != nil {
		return err
	}
	fmt.Fprint(s.out, "\nthen: commit perfgate.yaml, and perfgate init --github writes the workflows\n")
	return published
}
