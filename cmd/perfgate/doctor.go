package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/doctor"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

func newDoctorCommand(s *streams) *cobra.Command {
	var f struct {
		output
		GPU   string
		Quick bool
	}
	return verb(&cobra.Command{
		Use:   "doctor",
		Short: "Is this machine fit to measure, and what would help it?",
		Long: `doctor checks what measurements depend on: the processor, folders and compilers, and on a GPU its driver, clocks,
power and temperature, who else uses it and who may profile. Then it measures a canary (a fixed kernel of
perfgate's) against itself as the gate would, and says how small a slowdown this machine can detect. Benchmarks
(key bench) of a perfgate.yaml in the current folder are tried in the same way, if they are built.

Nothing on the machine is changed, except that doctor removes what a killed perfgate left behind.`,
		Example: `  perfgate doctor
  perfgate doctor --gpu 0 --format json`,
		Args: noArgs,
	}, &f, func(ctx context.Context, _ []string) error {
		cfg, err := configHere()
		if err != nil {
			return err
		}
		o := doctor.Options{GPU: f.GPU, Quick: f.Quick, Version: versionText(), Config: cfg}
		if o.Cache, err = kernels.CacheDir(); err != nil {
			o.CacheTrouble = err.Error()
		}
		found, err := inScratch(func(scratch string) (doctor.Report, error) {
			progress := s.progress()
			defer progress.done()
			o.Scratch, o.Progress, o.Log = scratch, progress.say, progress.command
			return doctor.Examination(ctx, o)
		})
		if err != nil {
			return interrupted(ctx, err)
		}
		return s.answer(f.output, answer{document: found.Document(), data: found.JSON, exit: found.Exit})
	})
}

// configHere is the configuration of the current folder; nil where there is none.
func configHere() (*config.Config, error) {
	if _, err := os.Lstat(config.DefaultFile); err != nil {
		return nil, nil
	}
	cfg, err := config.Load(config.DefaultFile)
	if err != nil {
		return nil, result.Usage(err)
	}
	return cfg, nil
}
