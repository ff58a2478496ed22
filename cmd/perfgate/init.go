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
	"github.com/org/perfgate/kernels"
)

func newInitCommand(s *streams) *cobra.Command {
	var f githubFlags
	var python, gpu bool
	var bench benchStarter
	var from string
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a first perfgate.yaml and an adapter that works, or workflows",
		Long: `init writes into the current folder perfgate.yaml, an adapter with a small kernel that compiles, runs and passes, and
perfgate.h for the editor. With --python the adapter and its kernel are Python's: numpy on a CPU, or with --gpu Triton on a GPU, and the
editor gets the package that adapters import. With --github it writes the workflows instead, into the repository around the current folder:
one that gates pull requests and one that records what the default branch measures. With --forks pull requests from forks
are measured too; with --shards several runners share the cases, with --machines each of several machines measures all of
them. Those machines have to be of different models: two of one model cannot be told apart, and there would be no verdict.
With --bench it takes the benchmark that you have: it runs COMMAND, recognises what wrote the result, writes perfgate.yaml, compares the code
with itself, and says how small a change the benchmark can detect on this machine and what would make it steadier.
With --from it takes the problems of GPU MODE (task.yml, reference.py, submission.py) and of KernelBench (Model, ModelNew) below FOLDER as they are.
Files that are there are never overwritten.`,
		Example: `  perfgate init
  perfgate init --bench './build/bench_reduce --benchmark_repetitions=5'
  perfgate init --bench 'python3 benchmarks/softmax.py'
  perfgate init --from problems
  perfgate init --github`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := oneStart(cmd, f.wanted, python, gpu); err != nil {
				return err
			}
			switch {
			case f.wanted:
				return writeWorkflows(cmd.Context(), s, f)
			case cmd.Flags().Changed("bench"):
				return bench.write(cmd.Context(), s)
			case cmd.Flags().Changed("from"):
				return writeTasks(s, from)
			}
			return writeStarter(s, starterOf(python, gpu))
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&python, "python", false, "write an adapter and a kernel in Python: numpy, on a CPU")
	flags.BoolVar(&gpu, "gpu", false, "with --python, a Triton kernel, on a GPU")
	flags.StringVar(&bench.command, "bench", "", "command of a benchmark that you have, to be gated as it is")
	flags.StringVar(&bench.build, "build", "", "with --bench, command that builds its program (default it is looked for: make, CMake, meson, build.sh)")
	flags.StringVar(&from, "from", "", "folder with problems of GPU MODE or KernelBench, to be gated as they are")
	flags.StringVar(&bench.tolerance, "tolerance", "", "with --bench, slowdown that passes, such as 5% (default 1.5%)")
	flags.BoolVar(&f.wanted, "github", false, "write workflows for GitHub Actions")
	flags.StringSliceVar(&f.runsOn, "runs-on", nil, "with --github, labels of the runner that measures (default self-hosted,gpu)")
	flags.StringVar(&f.action, "action", "", "with --github, tag or commit of the action (default the commit of its release; of a perfgate that was not released, the commit that it was built from)")
	flags.StringVar(&f.branch, "branch", "", "with --github, branch that keeps the records (default perfgate-baseline)")
	flags.BoolVar(&f.forks, "forks", false, "with --github, the form for pull requests from forks: one workflow measures without a token, another reports")
	flags.IntVar(&f.shards, "shards", 0, "with --github, the number of runners that share the cases of a pull request (default one has them all)")
	flags.StringSliceVar(&f.machines, "machines", nil, "with --github, labels of machines of different models that measure all cases of a pull request each, such as l4,h100 (default there is one)")
	flags.BoolVar(&f.plan, "plan", false, "with --github, compile both sides without a GPU first: what builds to the same code needs no GPU")
	flags.StringVar(&f.arch, "arch", "", "with --plan, architecture of the GPU that measures, such as sm_89; kernels in CUDA need it")
	flags.StringVar(&f.image, "plan-image", "", "with --plan, container to compile in (default one of NVIDIA's with nvcc where there is an --arch)")
	return cmd
}

// oneStart refuses flags of two ways to begin.
func oneStart(cmd *cobra.Command, github, python, gpu bool) error {
	given := cmd.Flags().Changed
	switch {
	case github && (python || gpu):
		return usagef("--python and --gpu are about a first configuration: leave them out beside --github")
	case github && given("bench"):
		return usagef("--bench and --github are two steps: first --bench, then --github")
	case gpu && !python:
		return usagef("--gpu is about Python: add --python")
	case given("build") && !given("bench"):
		return usagef("--build is about a benchmark that you have: add --bench")
	case given("tolerance") && !given("bench"):
		return usagef("--tolerance is about a benchmark that you have: add --bench")
	case given("from") && (github || python || given("bench")):
		return usagef("--from is one way to begin: leave out --github, --python and --bench")
	case given("bench") && python:
		return usagef("--python writes an adapter, and --bench needs none: leave one out")
	}
	for _, name := range []string{"runs-on", "action", "branch", "forks", "shards", "machines", "plan", "arch", "plan-image"} {
		if !github && given(name) {
			return usagef("--%s is about workflows: add --github", name)
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
	if above, inRepository := configAbove(dir); inRepository && above != "" && slices.Contains(written, config.DefaultFile) {
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
		return nil, usage(err)
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

// configAbove is the nearest folder above dir, an absolute path, that has a configuration, as a path from dir such as
// "../.."; "" where there is none. It looks up to the root of the repository around dir. Without one, where inRepository is
// false, it ends at the user's home or the root of the file system.
func configAbove(dir string) (above string, inRepository bool) {
	home, _ := os.UserHomeDir()
	up := ""
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, config.DefaultFile)); err == nil && above == "" {
			above = up // still "" for dir itself
		}
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return above, true
		}
		if d == home || d == filepath.Dir(d) {
			return above, false
		}
		up = filepath.Join(up, "..")
	}
}
