package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

func newInitCommand(s *streams) *cobra.Command {
	var f githubFlags
	var python bool
	var device string
	var bench benchStarter
	var tasks string
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a first perfgate.yaml and an adapter that works, or workflows",
		Long: `init writes into the current folder perfgate.yaml, an adapter with a small kernel that compiles, runs and passes, and
perfgate.h for the editor. With --python the adapter and its kernel are Python's: numpy on a CPU, or with --device cuda Triton on a GPU, and the
editor gets the package that adapters import. With --github it writes the workflows instead, into the repository around the current folder:
one that gates pull requests and one that records what the default branch measures. With --forks pull requests from forks
are measured too; with --shards several runners share the cases, with --machine-labels each of several machines measures all of
them. Those machines have to be of different models: two of one model cannot be told apart, and there would be no verdict.
With --bench it takes the benchmark that you have: it runs COMMAND, recognises what wrote the result, writes perfgate.yaml, compares the code
with itself, and says how small a change the benchmark can detect on this machine and what would make it steadier.
With --tasks it takes the tasks of GPU MODE (task.yml, reference.py, submission.py) and of KernelBench (Model, ModelNew) below FOLDER as they are.
Files that are there are never overwritten.`,
		Example: `  perfgate init
  perfgate init --bench './build/bench_reduce --benchmark_repetitions=5'
  perfgate init --bench 'python3 benchmarks/softmax.py'
  perfgate init --tasks problems
  perfgate init --github`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := oneStart(cmd, f.wanted, python, device == onCUDA); err != nil {
				return err
			}
			switch {
			case f.wanted:
				return writeWorkflows(cmd.Context(), s, f)
			case cmd.Flags().Changed("bench"):
				return bench.write(cmd.Context(), s)
			case cmd.Flags().Changed("tasks"):
				return writeTasks(s, tasks)
			}
			return writeStarter(s, starterOf(python, device == onCUDA))
		},
	}
	define(cmd, targets{
		"python": &python, "device": &device, "bench": &bench.command, "build": &bench.build, "tasks": &tasks, "tolerance": &bench.tolerance, "github": &f.wanted,
		"runs-on": &f.runsOn, "action-ref": &f.action, "baseline-branch": &f.branch, "forks": &f.forks, "shards": &f.shards, "machine-labels": &f.machines,
		"precheck": &f.plan, "arch": &f.arch, "precheck-image": &f.image,
	})
	return cmd
}

// oneStart refuses flags of two ways to begin.
func oneStart(cmd *cobra.Command, github, python, gpu bool) error {
	given := cmd.Flags().Changed
	switch {
	case github && (python || gpu):
		return result.Usagef("--python and --device cannot be used with --github")
	case github && given("bench"):
		return result.Usagef("--bench and --github are two steps: first --bench, then --github")
	case gpu && !python:
		return result.Usagef("--device cuda needs --python")
	case given("build") && !given("bench"):
		return result.Usagef("--build is about a benchmark that you have: add --bench")
	case given("tolerance") && !given("bench"):
		return result.Usagef("--tolerance is about a benchmark that you have: add --bench")
	case given("tasks") && (github || python || given("bench")):
		return result.Usagef("--tasks is one way to begin: leave out --github, --python and --bench")
	case given("bench") && python:
		return result.Usagef("--python writes an adapter, and --bench needs none: leave one out")
	}
	for _, name := range []string{"runs-on", "action-ref", "baseline-branch", "forks", "shards", "machine-labels", "precheck", "arch", "precheck-image"} {
		if !github && given(name) {
			return result.Usagef("--%s is about workflows: add --github", name)
		}
	}
	return nil
}

func starterOf(python, gpu bool) kernels.Starter {
	switch {
	case python && gpu:
		return kernels.StarterTriton
	case python:
		return kernels.StarterNumpy
	}
	return kernels.StarterCC
}

func writeStarter(s *streams, kind kernels.Starter) error {
	files, err := kernels.StarterFiles(kind)
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the current folder: %w", err)
	}
	written, err := writeNew(s, dir, files)
	if err != nil {
		return err
	}
	if above, inRepository := request.ConfigAbove(dir); inRepository && above != "" && slices.Contains(written, config.DefaultFile) {
		fmt.Fprintf(s.err, "perfgate: warning: the repository has %s already: each configuration is run from its own folder\n", filepath.Join(above, config.DefaultFile))
	}
	fmt.Fprint(s.out, "\ntry it:         perfgate parity\n")
	if kind == kernels.StarterCC {
		fmt.Fprint(s.out, "compare builds: perfgate run --base . --head . --head-flags=-O1\n")
	}
	fmt.Fprint(s.out, "in a git repository, after a change to the kernel: perfgate run\n")
	return nil
}

// writeNew writes files into dir and says of each what became of it. It returns the paths that it wrote.
func writeNew(s *streams, dir string, files map[string][]byte) ([]string, error) {
	written, err := kernels.WriteNew(dir, files)
	var exists *kernels.ExistsError
	if errors.As(err, &exists) {
		return nil, result.Usage(err)
	} else if err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if slices.Contains(written, path) {
			fmt.Fprintln(s.out, "wrote", path)
		} else {
			fmt.Fprintln(s.out, path, "exists already: unchanged")
		}
	}
	return written, nil
}
