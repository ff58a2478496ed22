package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/kernels"
)

func newInitCommand(s *streams) *cobra.Command {
	var f githubFlags
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a first perfgate.yaml and an adapter that works, or workflows",
		Long: `init writes into the current folder perfgate.yaml, an adapter with a small kernel that compiles, runs and passes, and
perfgate.h for the editor. With --github it writes the workflows instead, into the repository around the current folder:
one that gates pull requests and one that records what the default branch measures. With --forks pull requests from forks
are measured too; with --shards several runners share the cases, with --machines each of several machines measures all of
them. Those machines have to be of different models: two of one model cannot be told apart, and there would be no verdict.
Files that are there are never overwritten.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.wanted {
				return writeWorkflows(cmd.Context(), s, f)
			}
			for _, name := range []string{"runs-on", "action", "branch", "forks", "shards", "machines"} {
				if cmd.Flags().Changed(name) {
					return usagef("--%s is about workflows: add --github", name)
				}
			}
			return writeStarter(s)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.wanted, "github", false, "write workflows for GitHub Actions")
	flags.StringSliceVar(&f.runsOn, "runs-on", nil, "with --github, labels of the runner that measures (default self-hosted,gpu)")
	flags.StringVar(&f.action, "action", "", "with --github, tag or commit of the action (default the commit of its release)")
	flags.StringVar(&f.branch, "branch", "", "with --github, branch that keeps the records (default perfgate-baseline)")
	flags.BoolVar(&f.forks, "forks", false, "with --github, the form for pull requests from forks: one workflow measures without a token, another reports")
	flags.IntVar(&f.shards, "shards", 0, "with --github, the number of runners that share the cases of a pull request (default one has them all)")
	flags.StringSliceVar(&f.machines, "machines", nil, "with --github, labels of machines of different models that measure all cases of a pull request each, such as l4,h100 (default there is one)")
	return cmd
}

func writeStarter(s *streams) error {
	files, err := kernels.StarterFiles()
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the current folder: %w", err)
	}
	var exists *kernels.ExistsError
	if err := kernels.WriteNew(dir, files); errors.As(err, &exists) {
		return usage(err)
	} else if err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintln(s.out, "wrote", path)
	}
	fmt.Fprint(s.out, `
try it:         perfgate parity
compare builds: perfgate run --base . --head . --head-flags=-O1
in a git repository, after a change to the kernel: perfgate run
`)
	return nil
}
