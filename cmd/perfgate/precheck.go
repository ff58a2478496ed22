package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
)

func newPrecheckCommand(s *streams) *cobra.Command {
	var f runFlags
	var arch string
	cmd := &cobra.Command{
		Use:   "precheck",
		Short: "Compile both sides without a GPU and decide whether to measure",
		Long: `precheck compiles base and head and runs nothing that it built: nvcc alone is enough for kernels in CUDA. It says of each kernel
whether the change touches device code, host code, adapter, configuration or imported Python, what that does to registers, spills,
shared memory and instructions, and whether a run would measure it. Resource limits are judged.

A kernel is left to a run unless both trees are equal, or base has records (perfgate baseline record, on the machines that measure) and
nothing differs that they saw the kernel ask for: equal code may still read another file.

In a step of GitHub Actions it sets the outputs "needs-gpu" (true or false) and "verdict", for the if of the job that has the GPU.
Head's code decides what is compiled: malicious code can look the same here and differ on the machine that measures. So a precheck that
passes counts where the authors of changes are trusted, and not for pull requests from forks.`,
		Example: `  perfgate precheck --arch sm_89                    # the working tree against its merge base
  perfgate precheck --base v1.2 --head main --format json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if arch != "" && !result.IsArch(arch) {
				return result.Usagef("--arch %q is no architecture such as sm_89", arch)
			}
			t, err := inRun(cmd.Context(), s, f, func(opt run.Options) (*result.Touched, error) { return run.Touch(cmd.Context(), opt, arch) })
			if err != nil {
				return err
			}
			if err := tellTouched(s, f.format, t); err != nil {
				return err
			}
			return exitWith(t.Exit)
		},
	}
	define(cmd, f.targets().with(targets{"arch": &arch}))
	return cmd
}

func tellTouched(s *streams, format string, t *result.Touched) error {
	var err error
	switch format {
	case "json":
		err = printAs(s, format, t.Write)
	default:
		err = s.showDocument(format, report.Touched(t))
	}
	if err != nil {
		return fmt.Errorf("print the precheck: %w", err)
	}
	return github.SetOutputs(os.Getenv, map[string]string{"needs-gpu": strconv.FormatBool(t.Measure), "verdict": string(t.Verdict)})
}
