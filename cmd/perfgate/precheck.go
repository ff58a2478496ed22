package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
)

func newPrecheckCommand(s *streams) *cobra.Command {
	var f struct {
		runFlags
		Arch string
	}
	return verb(&cobra.Command{
		Use:   "precheck",
		Short: "Compile both sides without a GPU and decide whether to measure",
		Long: `precheck compiles base and head and runs neither, so kernels in CUDA need nvcc and no GPU. For each kernel it
says whether the change touches device code, host code, adapter, configuration or imported Python, how
registers, spills, shared memory and instructions differ, and whether a run would measure it. Limits on
registers, spills and code size are checked.

A kernel needs no run in two cases: both trees are equal, or base was recorded (perfgate baseline record, on the
machines that measure) and head changes no file that its kernel used. Equal machine code does not suffice,
since the kernel may read another file.

In a step of GitHub Actions it sets the outputs "needs-gpu" (true or false), for the "if" of the job that has the
GPU, and "verdict". Do not rely on a passed precheck for pull requests from forks: malicious code can compile to
one thing here and to another on the machine that measures.`,
		Example: `  perfgate precheck --arch sm_89                    # the working tree against its merge base
  perfgate precheck --base v1.2 --head main --format json`,
		Args: noArgs,
	}, &f, func(ctx context.Context, _ []string) error {
		if f.Arch != "" && !result.IsArch(f.Arch) {
			return result.Usagef("--arch %q is not an architecture such as sm_89", f.Arch)
		}
		return compileOnly(ctx, s, f.runFlags, f.Arch, nil)
	})
}

// compileOnly compiles both sides and says what that shows. unmeasured is why nothing was timed, where that was asked for.
func compileOnly(ctx context.Context, s *streams, f runFlags, arch string, unmeasured error) error {
	t, err := inRun(ctx, s, f, func(opt run.Options) (*result.Precheck, error) { return run.Precheck(ctx, opt, arch) })
	if err != nil {
		return errors.Join(unmeasured, err)
	}
	f.Out = ""
	err = s.answer(f.output, answer{document: report.Precheck(t), data: t.Write, exit: t.Conclusion.Exit, reason: unmeasured})
	outputs := github.SetOutputs(os.Getenv, map[string]string{"needs-gpu": strconv.FormatBool(t.Measure), "verdict": string(t.Conclusion.Verdict)})
	return cmp.Or(outputs, err)
}
