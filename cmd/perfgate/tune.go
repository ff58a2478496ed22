package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

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
		Long: `tune builds a kernel with every combination of values under its key tune: as macros (-DBLOCK=64), or in Python
as environment variables (PERFGATE_TUNE_BLOCK). Configurations whose results differ from the shipped kernel's
are dropped. The others and the shipped kernel are measured in the same rounds of fresh processes.
Configurations that are significantly slower than another are dropped, for each case and over all cases, until
the remaining ones are within the tolerance of the best, or the budget is exhausted. At the stated confidence,
the fastest is among those named.

tune.json in the folder of --out has all results. Its key "use" is for builds: the configuration of each case and,
under "*", of all cases. With --check, tune is a gate on the shipped configuration.`,
		Example: `  perfgate tune --kernel gemm
  perfgate tune --kernel gemm --case 'gemm/M=4096*' --budget 10m
  perfgate tune --kernel gemm --check`,
		Args: noArgs,
	}, &f, func(ctx context.Context, _ []string) error {
		if len(f.Kernels) != 1 {
			return result.Usagef("perfgate tune needs --kernel with one kernel; see perfgate tune --help")
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
	found, err := inRun(ctx, s, f.runFlags, func(opt run.Options) (found *result.Result, err error) {
		f.Seed = strconv.FormatUint(opt.Seed, 10)
		opt.Repro = commandLine("tune", &f)
		found, fault, err = run.Tune(ctx, opt, f.Kernels[0], f.Check)
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
	a := saidOf(found, tunedFile)
	if a.exit != result.ExitPassed {
		a.reason = errors.New(report.Untuned(found))
	}
	return s.answer(f.output, a)
}
