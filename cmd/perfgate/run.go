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
		Long: `run builds base and head, checks that head is still right, times both in interleaved rounds of fresh processes and
decides.

A side is a folder or a git revision; a name that is both is refused, and ./NAME is the folder. Without --head it is the working
tree with its uncommitted changes, without --base
the merge base with the default branch. The configuration and the adapters are head's, for both sides.

What an earlier run left in --out (result.json, report.html, report.md, junit.xml, cases.csv, profiles) is removed first.`,
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

// runGate is the command behind run and demo. The results of the run before go first: whatever keeps this one from a verdict, the
// old one is not taken for it.
func runGate(ctx context.Context, s *streams, f runFlags) error {
	if err := render.ClearFolder(f.Out); err != nil {
		return err
	}
	res, err := inRun(ctx, s, f, func(opt run.Options) (*result.Result, error) {
		if err := render.CheckFolder(f.Out); err != nil {
			return nil, err
		}
		opt.BaseNamed = f.Base != ""
		opt.Profile = run.Profile{Policy: f.Profile, Dir: filepath.Join(f.Out, render.ProfilesName), Limit: f.ProfileBudget}
		return run.Run(ctx, opt)
	})
	if err != nil {
		return err
	}
	return s.answer(f.output, ofResult(res))
}
