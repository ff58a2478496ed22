package main

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
)

func newRunCommand(s *streams) *cobra.Command {
	var f runFlags
	cmd := verb(&cobra.Command{
		Use:   "run",
		Short: "Run the gate: build, check parity, measure base and head, decide",
		Long: `run builds base and head, checks that head still computes the right results, times both in interleaved rounds of
fresh processes, and decides.

Base and head are each a folder or a git revision. If a name is both, write ./NAME for the folder. Head is the
working tree with its uncommitted changes unless --head names another, base is the merge base with the default
branch. Both sides are built with the configuration and the adapters of head; with --trust base, of base.

Results of an earlier run in the folder of --out are removed first: result.json, report.html, report.md,
junit.xml, cases.csv and profiles.`,
		Example: `  perfgate run                                   # the working tree against its merge base
  perfgate run --base v1.2 --kernel attention
  perfgate run --base . --head . --head-flags=-DFAST=1   # two builds of one tree`,
		Args: noArgs,
	}, &f, func(ctx context.Context, _ []string) error { return runGate(ctx, s, f) })
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if err := checkOptions(cmd, args); err != nil {
			return errors.Join(err, render.ClearFolder(f.Out))
		}
		return nil
	}
	return cmd
}

// profile is what is profiled, with the profiles among the results.
func (f runFlags) profile() run.Profile {
	return run.Profile{Policy: f.Profile, Dir: filepath.Join(f.Out, render.ProfilesName), Limit: f.ProfileBudget}
}

// runGate is the command behind run and demo. The results of the run before go first: whatever keeps this one from a verdict, the
// old one is not taken for it.
func runGate(ctx context.Context, s *streams, f runFlags) error {
	if err := render.ClearFolder(f.Out); err != nil {
		return err
	}
	if f.GPUs != "" && (f.GPU != "" || f.Shard != "") {
		return result.Usagef("--gpus %s spreads all cases over GPUs: leave out --gpu and --shard, or --gpus", f.GPUs)
	}
	res, err := inRun(ctx, s, f, func(opt run.Options) (*result.Result, error) {
		if err := render.CheckFolder(f.Out); err != nil {
			return nil, err
		}
		opt.BaseNamed = f.Base != ""
		opt.Profile = f.profile()
		if f.GPUs != "" {
			return run.OnAllGPUs(ctx, opt)
		}
		return run.Run(ctx, opt)
	})
	if err != nil {
		return err
	}
	return s.answer(f.output, ofResult(res))
}
