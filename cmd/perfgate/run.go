package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
)

func newRunCommand(s *streams) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
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
		RunE: func(cmd *cobra.Command, _ []string) error { return runGate(cmd.Context(), s, f) },
	}
	define(cmd, f.targets())
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if err := checkOptions(cmd, args); err != nil {
			return errors.Join(err, clearOut(f.out))
		}
		return nil
	}
	return cmd
}

// runGate is the command behind run and demo. The results of the run before go first: whatever keeps this one from a verdict, the
// old one is not taken for it.
func runGate(ctx context.Context, s *streams, f runFlags) error {
	if err := clearOut(f.out); err != nil {
		return err
	}
	res, err := inRun(ctx, s, f, func(opt run.Options) (*result.Result, error) {
		if err := checkOut(f.out); err != nil {
			return nil, err
		}
		opt.BaseNamed = f.Base != ""
		opt.Profile = run.Profile{Policy: f.profile, Dir: filepath.Join(f.out, profilesName), Limit: f.profileBudget}
		return run.Run(ctx, opt)
	})
	if err != nil {
		return err
	}
	return publish(s, f, res)
}

// inRun prepares what flags ask for, shows how the work on it gets on, and takes its private files away.
func inRun[T any](ctx context.Context, s *streams, f runFlags, work func(run.Options) (T, error)) (T, error) {
	var none T
	scratch, err := newScratch()
	if err != nil {
		return none, err
	}
	defer os.RemoveAll(scratch)
	opt, err := f.options(ctx, scratch)
	if err != nil {
		return none, inRepository(err, scratch)
	}
	progress := s.progress()
	progress.follow(&opt)
	out, err := work(opt)
	progress.done()
	return out, inRepository(interrupted(ctx, err), scratch)
}

// interrupted says what happened in the user's words when it was the user who ended the run.
func interrupted(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return errors.New("interrupted: nothing was decided")
	}
	return err
}
