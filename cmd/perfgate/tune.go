package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
)

// tuneFlags are the flags of tune.
type tuneFlags struct {
	runFlags
	Check bool
}

// tunedFile is the name of what tune found.
const tunedFile = "tune.json"

func newTuneCommand(s *streams) *cobra.Command {
	f := tuneFlags{runFlags: runFlags{Run: request.Run{HeadAlone: true}}}
	return verb(&cobra.Command{
		Use:   "tune --kernel NAME",
		Short: "Find the fastest configuration of a kernel on this machine",
		Long: `tune builds a kernel with every combination of the values that its key tune lists: as macros (-DBLOCK=64), or for an adapter in Python as
variables of its environment (PERFGATE_TUNE_BLOCK). Configurations that compute something else than the kernel as it is shipped are out.
The others, and the kernel as it is shipped, are measured in the same rounds of fresh processes; what is significantly slower than another is
dropped, case by case and over all cases, until what is left is as good as the best (by the configuration's tolerance) or the budget is
spent. With the configuration's confidence the fastest is among those that are named.

tune.json in the folder of --out has all of it, and under "use" what a build can read: the configuration of each case, and of all ("*").
With --check it is a gate on the shipped configuration.`,
		Example: `  perfgate tune --kernel gemm
  perfgate tune --kernel gemm --case 'gemm/M=4096*' --budget 10m
  perfgate tune --kernel gemm --check`,
		Args: noArgs,
	}, &f, func(ctx context.Context, _ []string) error {
		if len(f.Kernels) != 1 {
			return result.Usagef("tune needs --kernel with one kernel")
		}
		return runTune(ctx, s, f)
	})
}

func runTune(ctx context.Context, s *streams, f tuneFlags) error {
	if err := render.CheckFolder(f.Out); err != nil {
		return err
	}
	// What keeps this run from an answer: the one before is not taken for it.
	if err := os.Remove(filepath.Join(f.Out, tunedFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the answer of the run before (--out names another folder): %w", err)
	}
	var fault run.AdapterFault
	found, err := inRun(ctx, s, f.runFlags, func(opt run.Options) (found *result.Tuned, err error) {
		opt.Repro = f.line("tune", opt.Seed)
		found, fault, err = run.Tune(ctx, opt, f.Kernels[0])
		return found, err
	})
	if errors.Is(err, run.ErrNothingToTune) {
		return result.Usagef("kernel %s: %w", f.Kernels[0], err)
	}
	if err != nil {
		return err
	}
	if fault.Fault != "" {
		return s.adapterFault("nothing was tuned", fault)
	}
	a := answer{document: report.TunedDocument(found), data: printed(found), name: tunedFile}
	a.exit, a.reason = f.verdict(found)
	return s.answer(f.output, a)
}

// verdict is the exit code: of --check by where the shipped configuration stands, else whether anything was measured.
func (f tuneFlags) verdict(found *result.Tuned) (result.ExitCode, error) {
	switch {
	case found.All == nil || found.All.Best < 0:
		return result.ExitNotMeasurable, errors.New(report.Untuned(found))
	case !f.Check:
		return result.ExitPassed, nil
	case found.Compared() == 0:
		return result.ExitNotMeasurable, errors.New("no configuration but the shipped one could be measured, so nothing was compared")
	}
	switch found.Shipped() {
	case result.TunedBest, result.TunedLevel:
		return result.ExitPassed, nil
	case result.TunedSlower:
		return result.ExitFailed, fmt.Errorf("the shipped configuration is significantly slower than %s by more than the tolerance", found.Configurations[found.All.Best].Text)
	}
	return result.ExitNotMeasurable, errors.New("whether the shipped configuration is as good as the best is inconclusive: a larger --budget or --tolerance decides it")
}
