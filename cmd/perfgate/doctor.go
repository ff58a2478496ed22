package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/doctor"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

func newDoctorCommand(s *streams) *cobra.Command {
	var gpu, format string
	var quick bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Is this machine fit to measure, and what would help it?",
		Long: `doctor looks at what measuring depends on: processor, folders, compilers, and on a GPU its driver, clocks, power,
temperature, who shares it and who may profile. Then it measures a canary against itself with the gate's own rounds, and
says how small a slowdown can be seen here. The benchmarks (bench) of a perfgate.yaml in the current folder are tried like that too, as they are
built. It changes nothing on the machine but what a killed perfgate left behind.`,
		Example: `  perfgate doctor
  perfgate doctor --gpu 0 --format json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := configHere()
			if err != nil {
				return err
			}
			return examine(cmd.Context(), s, doctor.Options{GPU: gpu, Quick: quick, Version: versionText(), Config: cfg}, format)
		},
	}
	define(cmd, targets{"gpu": &gpu, "quick": &quick, "format": &format})
	return cmd
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

func examine(ctx context.Context, s *streams, o doctor.Options, format string) error {
	scratch, err := newScratch()
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	o.Scratch = scratch
	if o.Cache, err = kernels.CacheDir(); err != nil {
		o.CacheTrouble = err.Error()
	}
	progress := s.progress()
	o.Progress, o.Log = progress.say, progress.command
	answer, err := doctor.Examination(ctx, o)
	progress.done()
	if err != nil {
		return interrupted(ctx, err)
	}
	if format == "json" {
		err = answer.JSON(s.out)
	} else {
		err = s.showDocument(format, answer.Document())
	}
	if err != nil {
		return fmt.Errorf("print the findings: %w", err)
	}
	return exitWith(answer.Exit)
}
