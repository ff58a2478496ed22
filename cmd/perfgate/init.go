package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/action"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

func newInitCommand(s *streams) *cobra.Command {
	var f initFlags
	return verb(&cobra.Command{
		Use:   "init",
		Short: "Write a first perfgate.yaml and an adapter that works, or workflows",
		Long: `init writes perfgate.yaml, an adapter with a small kernel that compiles, runs and passes, and perfgate.h for
the editor into the current folder. Files that exist are never overwritten. With --device cuda the kernel is one
in CUDA.

  --python    kernel and adapter in Python: numpy on a CPU, or Triton on a GPU with --device cuda. The package
              that adapters import is written as well, for the editor.
  --bench     gate a benchmark that you have. init runs COMMAND, recognises the format of its result, writes
              perfgate.yaml, compares the code with itself, and says how small a change the benchmark detects
              here and what would make it steadier.
  --tasks     gate tasks of GPU MODE (task.yml, reference.py, submission.py) and KernelBench (Model, ModelNew).
  --github    write workflows into the repository around the current folder: one gates pull requests, another
              records the default branch. --forks adds those for forks. With --shards several runners share the
              cases; with --machine-labels each of several machines, all of different models, measures all.`,
		Example: `  perfgate init
  perfgate init --device cuda
  perfgate init --bench './build/bench_reduce --benchmark_repetitions=5'
  perfgate init --bench 'python3 benchmarks/softmax.py'
  perfgate init --tasks problems
  perfgate init --github`,
		Args: noArgs,
	}, &f, func(ctx context.Context, _ []string) error {
		cwd, err := os.Getwd()
		switch {
		case err != nil:
			return fmt.Errorf("find the current folder: %w", err)
		case f.GitHub:
			return s.setUp(writeWorkflows(ctx, cwd, f.WorkflowOptions))
		case f.Bench != "":
			return f.writeBench(ctx, s, cwd)
		case f.Tasks != "":
			return s.setUp(writeTasks(s, cwd, f.Tasks))
		}
		return s.setUp(writeStarter(cwd, starters[[2]bool{f.Python, f.Device == onCUDA}]))
	})
}

// initFlags are the flags of init.
type initFlags struct {
	action.WorkflowOptions
	benchFlags
	GitHub bool
	Python bool
	Device string
	Tasks  string
}

// check refuses flags of two ways to begin.
func (f initFlags) check([]string) error {
	gpu := f.Device == onCUDA
	switch {
	case f.GitHub && (f.Python || gpu):
		return result.Usagef("--python and --device cannot be used with --github")
	case f.GitHub && f.Bench != "":
		return result.Usagef("--bench and --github are two steps: first --bench, then --github")
	case gpu && (f.Bench != "" || f.Tasks != ""):
		return result.Usagef("--device is about a first adapter: leave it out")
	case f.Bench == "" && f.benchFlags != (benchFlags{}):
		return result.Usagef("--build, --tolerance and --budget are about a benchmark that you have: add --bench")
	case f.Tasks != "" && (f.GitHub || f.Python || f.Bench != ""):
		return result.Usagef("--tasks is one way to begin: leave out --github, --python and --bench")
	case f.Bench != "" && f.Python:
		return result.Usagef("--python writes an adapter, and --bench needs none: leave one out")
	}
	if given := commandLine("init", &f.WorkflowOptions); !f.GitHub && given != "perfgate init" {
		return result.Usagef("%s is about workflows: add --github", strings.FieldsFunc(given, func(r rune) bool { return r == ' ' || r == '=' })[2])
	}
	return nil
}

// starters are the first kernels, by whether they are in Python and whether they are for a GPU.
var starters = map[[2]bool]kernels.Starter{
	{false, false}: kernels.StarterCC, {false, true}: kernels.StarterCUDA, {true, false}: kernels.StarterNumpy, {true, true}: kernels.StarterTriton,
}

// setUp prints what was set up, also where an error ended it.
func (s *streams) setUp(done report.Setup, err error) error {
	if err != nil && len(done.Found)+len(done.Written) == 0 {
		return err
	}
	return errors.Join(err, s.print("text", answer{document: done.Document()}))
}

func writeStarter(dir string, kind kernels.Starter) (report.Setup, error) {
	files, err := kernels.StarterFiles(kind)
	if err != nil {
		return report.Setup{}, err
	}
	done, err := writeNew(dir, files)
	if above, inRepository := request.ConfigAbove(dir); inRepository && above != "" && slices.Contains(done.Written, config.DefaultFile) {
		done.Notes = append(done.Notes, fmt.Sprintf("the repository has %s already: each configuration is run from its own folder", filepath.Join(above, config.DefaultFile)))
	}
	done.Steps = []report.Step{{What: "Try it", Command: "perfgate parity"}}
	if kind == kernels.StarterCC {
		done.Steps = append(done.Steps, report.Step{What: "Compare two builds", Command: "perfgate run --base . --head . --head-flags=-O1"})
	}
	done.Steps = append(done.Steps, report.Step{What: "In a git repository, after a change to the kernel", Command: "perfgate run"})
	return done, err
}

// writeNew writes files into dir, and returns which it wrote and which were there as they are.
func writeNew(dir string, files map[string][]byte) (done report.Setup, err error) {
	done.Written, err = kernels.WriteNew(dir, files)
	if exists := (*kernels.ExistsError)(nil); errors.As(err, &exists) {
		return done, result.Usage(err)
	}
	if err != nil {
		return done, err
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if !slices.Contains(done.Written, path) {
			done.Kept = append(done.Kept, path)
		}
	}
	return done, nil
}
