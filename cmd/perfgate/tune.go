package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/pipeline"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/saved"
)

// tuneFlags are the flags of tune.
type tuneFlags struct {
	runFlags
	kernel string
	check  bool
}

// tunedFile is the name of what tune found.
const tunedFile = "tune.json"

func newTuneCommand(s *streams) *cobra.Command {
	var f tuneFlags
	cmd := &cobra.Command{
		Use:   "tune --kernel NAME",
		Short: "Which of a kernel's settings is the fastest here, and which are as good?",
		Long: `tune builds a kernel with every combination of the values that its key tune lists: as macros (-DBLOCK=64), or for an adapter in Python as
variables of its environment (PERFGATE_TUNE_BLOCK). Settings that compute something else than the kernel as it is shipped are out.
The others, and the kernel as it is shipped, are measured in the same rounds of fresh processes; what is surely slower than another is
dropped, case by case and over all cases, until what is left is as good as the best (by the configuration's tolerance) or the budget is
spent. With the configuration's confidence the fastest is among those that are named.

tune.json in the folder of --out has all of it, and under "use" what a build can read: the setting of each case, and of all ("*").
With --check it is a gate on the shipped setting: exit code 0 where that is as good as the best over all cases, 1 where it is surely slower
by more than the tolerance, 3 where that stayed open or no other setting could be measured.`,
		Example: `  perfgate tune --kernel gemm
  perfgate tune --kernel gemm --case 'gemm/M=4096*' --budget 10m
  perfgate tune --kernel gemm --check`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.kernel == "" {
				return usagef("tune needs --kernel")
			}
			if err := cmp.Or(oneOf("format", f.format, formats...), positive(cmd, "budget", f.budget)); err != nil {
				return err
			}
			return runTune(cmd.Context(), s, f)
		},
	}
	flags := cmd.Flags()
	f.headAlone = true
	f.place(flags)
	flags.StringVar(&f.kernel, "kernel", "", "kernel to tune")
	flags.BoolVar(&f.check, "check", false, "say no (exit code 1) where the kernel as it is shipped is slower than the best by more than the tolerance")
	flags.StringArrayVar(&f.cases, "case", nil, "only cases that match a pattern (default all)")
	flags.DurationVar(&f.budget, "budget", 0, "wall time of all rounds, such as 10m (default the configuration's)")
	flags.StringVar(&f.tolerance, "tolerance", "", "settings that differ by less are as good as each other, such as 1% (default the configuration's)")
	flags.StringVar(&f.seed, "seed", "", "replay a run's random choices")
	flags.StringVar(&f.out, "out", "perfgate-tune", "folder for tune.json")
	flags.StringVar(&f.format, "format", "text", "what to print: "+strings.Join(formats, ", "))
	return cmd
}

func runTune(ctx context.Context, s *streams, f tuneFlags) error {
	if err := makeOut(f.out); err != nil {
		return fmt.Errorf("make the folder for tune.json (--out names another): %w", err)
	}
	// What keeps this run from an answer: the one before is not taken for it.
	if err := os.Remove(filepath.Join(f.out, tunedFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the answer of the run before (--out names another folder): %w", err)
	}
	f.kernels = []string{f.kernel}
	var fault pipeline.AdapterFault
	found, err := inRun(ctx, s, f.runFlags, func(opt pipeline.Options) (found *result.Tuned, err error) {
		opt.Repro = reproLine("tune", f.runFlags, strconv.FormatUint(opt.Seed, 10))
		found, fault, err = pipeline.Tune(ctx, opt, f.kernel)
		return found, err
	})
	if errors.Is(err, pipeline.ErrNoKnobs) {
		return usagef("kernel %s: %w", f.kernel, err)
	}
	if err != nil {
		return err
	}
	if fault.Fault != "" {
		return s.adapterFault("nothing was tuned", fault)
	}
	if err := replaceIn(f.out, tunedFile, func(w io.Writer) error { return saved.Print(w, found) }); err != nil {
		return err
	}
	if err := s.showTuned(f, found); err != nil {
		return err
	}
	return f.verdict(found)
}

func (s *streams) showTuned(f tuneFlags, found *result.Tuned) error {
	switch f.format {
	case "json":
		return printAs(s, f.format, func(w io.Writer) error { return saved.Print(w, found) })
	case "markdown":
		return printAs(s, f.format, func(w io.Writer) error { return report.Markdown(w, report.TunedDocument(found)) })
	}
	if err := report.Terminal(s.out, report.TunedDocument(found), terminalOf(s)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.out, "\nsaved: %s\n", filepath.Join(f.out, tunedFile))
	return err
}

// verdict is the exit code: of --check by where the shipped setting stands, else whether anything was measured.
func (f tuneFlags) verdict(found *result.Tuned) error {
	switch {
	case found.All == nil || found.All.Best < 0:
		return errors.New(report.Untuned(found))
	case !f.check:
		return nil
	case found.Compared() == 0:
		return errors.New("no setting beside the shipped one could be measured, so nothing was compared")
	}
	switch found.Shipped() {
	case result.TunedBest, result.TunedLevel:
		return nil
	case result.TunedSlower:
		return &exitError{int(result.ExitFailed), fmt.Errorf("the shipped setting is surely slower than %s by more than the tolerance", found.Settings[found.All.Best].Text)}
	}
	return errors.New("whether the shipped setting is as good as the best stayed open: a larger --budget or --tolerance settles it")
}
