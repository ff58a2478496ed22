package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/pipeline"
	"github.com/org/perfgate/gate/result"
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
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := cmp.Or(positive(cmd, "budget", f.budget), oneOf("profile", f.profile, result.ProfilePolicies...), positive(cmd, "profile-limit", f.limit))
			if err != nil {
				return errors.Join(err, clearOut(f.out))
			}
			return runGate(cmd.Context(), s, f)
		},
	}
	flags := cmd.Flags()
	f.sides(flags)
	f.results(flags)
	flags.StringVar(&f.base, "base", "", "folder or revision to compare with (default the merge base with the default branch)")
	flags.StringSliceVar(&f.watch, "watch", nil, "patterns of files that matter: a change that touches none passes at once (default the configuration's)")
	flags.StringSliceVar(&f.kernels, "kernel", nil, "kernels to run (default all)")
	flags.StringArrayVar(&f.cases, "case", nil, "time only cases that match a pattern, such as 'gemm/**' (default all)")
	flags.StringVar(&f.tolerance, "tolerance", "", "slowdown that passes, such as 2% (default the configuration's)")
	flags.DurationVar(&f.budget, "budget", 0, "wall time of all rounds, such as 90s (default the configuration's)")
	flags.BoolVar(&f.noSkip, "no-skip", false, "time the sides even where they are proved to be the same")
	flags.BoolVar(&f.competitors, "competitors", false, "measure competitors with when: manual, too")
	flags.StringVar(&f.clocks, "lock-clocks", "", "lock the GPU's SM clock while measuring, to its base clock or to a number of MHz, and unlock it afterwards (needs root)")
	flags.Lookup("lock-clocks").NoOptDefVal = "base"
	flags.StringVar(&f.profile, "profile", result.ProfileAuto, "look for the reasons of a change: auto (where the configuration's thresholds say), always, or never")
	flags.DurationVar(&f.limit, "profile-limit", 4*time.Minute, "wall time of all profiles together")
	flags.StringVar(&f.shard, "shard", "", "measure one part of the cases, such as 2/3; all parts need the same --seed, and perfgate merge makes one verdict of them")
	flags.StringVar(&f.seed, "seed", "", "replay a run's random choices (default a fresh seed; in GitHub Actions a hash of head's commit and the run's id)")
	flags.BoolVar(&f.timings, "timings", false, "print where the time went")
	return cmd
}

// runGate is the command behind run and demo. The results of the run before go first: whatever keeps this one from a verdict, the
// old one is not taken for it.
func runGate(ctx context.Context, s *streams, f runFlags) error {
	if err := cmp.Or(clearOut(f.out), oneOf("format", f.format, formats...)); err != nil {
		return err
	}
	res, err := inRun(ctx, s, f, func(opt pipeline.Options) (*result.Result, error) {
		if err := checkOut(f.out); err != nil {
			return nil, err
		}
		opt.BaseNamed = f.base != ""
		opt.Profile = pipeline.Profile{Policy: f.profile, Dir: filepath.Join(f.out, profilesName), Limit: f.limit}
		return pipeline.Run(ctx, opt)
	})
	if err != nil {
		return err
	}
	return publish(s, f, res)
}

// inRun prepares what flags ask for, shows how the work on it gets on, and takes its private files away.
func inRun[T any](ctx context.Context, s *streams, f runFlags, work func(pipeline.Options) (T, error)) (T, error) {
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
	progress := newProgress(s.err)
	opt.Progress = progress.show
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
