package main

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/pipeline"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

func newPlanCommand(s *streams) *cobra.Command {
	var f runFlags
	var arch string
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "What does a change touch? Compiles both sides and runs neither, so no GPU is needed",
		Long: `plan compiles base and head and runs nothing that it built: nvcc alone is enough for kernels in CUDA. It says of each kernel
whether the change touches device code, host code, adapter, configuration or imported Python, what that does to registers, spills,
shared memory and instructions, and whether a run would measure it. Resource limits are judged.

A kernel is left to a run unless both trees are equal, or base has records (perfgate baseline record, on the machines that measure) and
nothing differs that they saw the kernel ask for: equal code may still read another file.

In a step of GitHub Actions it sets the outputs "measure" (true or false) and "verdict", for the if of the job that has the GPU.
What is compiled is head's: code that sets out to can look the same here and be another one there. So what plan passes counts where
the authors of changes are trusted, and not for pull requests from forks.

Exit codes: 0 judged, measured or not; 1 head does not build or breaks a limit; 2 bad usage; 3 could not compile.`,
		Example: `  perfgate plan --arch sm_89                    # the working tree against its merge base
  perfgate plan --base v1.2 --head main --format json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if arch != "" && !result.IsArch(arch) {
				return usagef("--arch %q is no architecture such as sm_89", arch)
			}
			if err := oneOf("format", f.format, formats...); err != nil {
				return err
			}
			t, err := inRun(cmd.Context(), s, f, func(opt pipeline.Options) (*result.Touched, error) { return pipeline.Touch(cmd.Context(), opt, arch) })
			if err != nil {
				return err
			}
			if err := tellTouched(s, f.format, t); err != nil {
				return err
			}
			return exitWith(t.Exit)
		},
	}
	flags := cmd.Flags()
	f.sides(flags)
	flags.StringVar(&f.base, "base", "", "folder or revision to compare with (default the merge base with the default branch)")
	flags.StringSliceVar(&f.kernels, "kernel", nil, "kernels to compile (default all)")
	flags.StringVar(&arch, "arch", "", "architecture of the GPU that will measure, such as sm_89; kernels in CUDA need it")
	flags.StringVar(&f.format, "format", "text", "what to print: text, markdown or json")
	return cmd
}

func tellTouched(s *streams, format string, t *result.Touched) error {
	document := report.Touched(t)
	var err error
	switch format {
	case "json":
		err = printAs(s, format, t.Write)
	case "markdown":
		err = printAs(s, format, func(w io.Writer) error { return report.Markdown(w, document) })
	default:
		err = report.Terminal(s.out, document, terminalOf(s))
	}
	if err != nil {
		return fmt.Errorf("print the plan: %w", err)
	}
	return github.SetOutputs(os.Getenv, map[string]string{"measure": strconv.FormatBool(t.Measure), "verdict": string(t.Verdict)})
}
