package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/pipeline"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/sides"
)

func newParityCommand(s *streams) *cobra.Command {
	var f runFlags
	var kernel, only string
	var cases int
	cmd := &cobra.Command{
		Use:   "parity",
		Short: "Check that head's kernel is right, without timing it",
		Long: `parity draws cases from the configuration and compares head's outputs with the adapter's float64 reference, or with
base's outputs where there is none. --case and --seed replay one case of an earlier run.

Exit codes: 0 passed, 1 wrong, 2 bad usage or configuration, 3 nothing could be checked.`,
		Example: `  perfgate parity --kernel attention
  perfgate parity --kernel attention --case B=1,H=1,S=65,D=64,causal=0 --seed 7`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if kernel != "" {
				f.kernels = []string{kernel}
			}
			return checkParity(cmd.Context(), s, f, pipeline.ParityOnly{Case: only, Cases: cases})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.config, "config", "", "configuration (default perfgate.yaml in the current folder, or in --head)")
	flags.StringVar(&f.base, "base", "", "folder or revision to compare with; needed only without a reference")
	flags.StringVar(&f.head, "head", "", "folder or revision under test (default the working tree)")
	flags.StringVar(&f.trust, "trust", sides.TrustWorktree, "whose configuration and adapters: worktree (head's) or base")
	flags.StringVar(&f.baseFlags, "base-flags", "", "compiler flags added to base alone")
	flags.StringVar(&f.headFlags, "head-flags", "", "compiler flags added to head alone")
	flags.StringVar(&kernel, "kernel", "", "kernel to check (default all)")
	flags.StringVar(&only, "case", "", "the one case to check, such as B=1,S=65")
	flags.IntVar(&cases, "cases", 0, "cases to draw (default the configuration's)")
	flags.StringVar(&f.seed, "seed", "", "replay an earlier run's choices (default a fresh seed)")
	return cmd
}

func checkParity(ctx context.Context, s *streams, f runFlags, only pipeline.ParityOnly) error {
	if only.Case != "" && len(f.kernels) == 0 {
		return usagef("--case needs --kernel, to say whose case it is")
	}
	if only.Cases < 0 {
		return usagef("--cases is %d; it must be more than 0", only.Cases)
	}
	seed, err := parseSeed(f.seed)
	if err != nil {
		return err
	}
	scratch, err := newScratch()
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	opt, err := prepare(ctx, f, seed, scratch, parityNeeds)
	if err != nil {
		return err
	}
	progress := newProgress(s.err)
	opt.Progress = progress.show
	res, err := pipeline.CheckParity(ctx, opt, only)
	progress.done()
	if err != nil {
		return interrupted(ctx, err)
	}
	terminal := report.TerminalOptions{Color: useColor(s.out), Width: terminalWidth(s.out)}
	if err := report.TerminalParity(s.out, report.New(res), terminal); err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	if code := int(res.Conclusion.Exit); code != 0 {
		return &exitError{code: code}
	}
	return nil
}
