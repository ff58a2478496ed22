package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/action"
	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
)

// rerunFlags are the flags of rerun.
type rerunFlags struct {
	runFlags
	Artifact string // of a run of GitHub Actions
	AllCases bool   // not only those that failed
}

func newRerunCommand(s *streams) *cobra.Command {
	var f rerunFlags
	return verb(&cobra.Command{
		Use:   "rerun FILE|FOLDER|URL",
		Short: "Repeat a saved run on this machine, failed cases only",
		Long: `rerun repeats a run on this machine and shows the values of both machines next to each other. It takes a
result.json, the folder of a downloaded artifact, or the address of a run of GitHub Actions.

rerun takes from the result both revisions, the seed, and that run's --kernel, --case, --shard,
--time-identical and --manual-competitors; --kernel and --case on this command line replace them. It uses nothing
else, since anybody may have written the result: the policy is base's (--trust), by the configuration in this
folder (--config), and base is the merge base with the default branch (--base). Packages that head lists for
environment.fetch are fetched only with --trust worktree.

A kernel whose results were wrong is checked with its failing case only. If it passes here, or if no result was
wrong, the failed cases are timed; all cases, if none failed or with --all-cases. If the run needs a GPU that
this machine lacks, rerun reports what compiling shows.

Both revisions have to be in this repository (git fetch origin pull/NUMBER/head). Artifacts are downloaded with
the token in GH_TOKEN or GITHUB_TOKEN (GH_ENTERPRISE_TOKEN for an Enterprise Server), which needs actions: read.`,
		Example: `  perfgate rerun result.json
  perfgate rerun ~/Downloads/perfgate --out rerun
  GH_TOKEN=$(gh auth token) perfgate rerun https://github.com/OWNER/REPO/actions/runs/123456789`,
		Args: takes(1, 1, "one result"),
	}, &f, func(ctx context.Context, args []string) error {
		saved, err := f.saved(ctx, args[0])
		if err != nil {
			return err
		}
		return f.rerun(ctx, s, saved)
	})
}

// saved reads a result from a file, a folder or the address of a run.
func (f rerunFlags) saved(ctx context.Context, path string) (*result.Result, error) {
	if strings.HasPrefix(path, "https://") {
		return action.SavedRuns{Env: os.Getenv, Version: version}.Result(ctx, path, f.Artifact)
	}
	return request.SavedResult(path, f.Out)
}

// rerun repeats what failed, unless cases are named: first the failing cases of kernels that were wrong, then a run.
func (f rerunFlags) rerun(ctx context.Context, s *streams, saved *result.Result) error {
	all, baseNamed := f.AllCases || len(f.Cases) > 0, f.Base != ""
	var err error
	if f.Run, err = f.Repeat(saved); err != nil {
		return err
	}
	if err := f.CheckBase(ctx, saved, baseNamed); err != nil {
		return err
	}
	other, err := f.repeat(saved.Repro)
	if err != nil {
		return err
	}
	if len(other) > 0 {
		fmt.Fprintf(s.err, "rerun: the run had %s as well, which is not taken from a result\n", strings.Join(other, ", "))
	}
	if saved.Config.Trust != f.Trust {
		fmt.Fprintf(s.err, "rerun: the result says --trust %.40q, and this run is with --trust=%s\n", saved.Config.Trust, f.Trust)
	}
	if wrong := request.WrongKernels(saved, f.Kernels); len(wrong) > 0 && !all {
		if err := f.parity(ctx, s, wrong); err != nil || !request.FailsOtherwise(saved, wrong) {
			if err == nil {
				fmt.Fprintln(s.err, "rerun: only what the result says was wrong was checked; --all-cases does the whole run")
			}
			return err
		}
	}
	if !all {
		f.TakeFailed(saved)
	}
	err = runGate(ctx, s, f.runFlags)
	if errors.Is(err, run.ErrNeedsGPU) {
		return f.compile(ctx, s, saved, err)
	}
	fresh, read := result.ReadFile(filepath.Join(f.Out, render.ResultName))
	if f.Format != "text" || read != nil {
		return err
	}
	return cmp.Or(err, s.print("text", answer{document: report.BothRuns(saved, fresh)}))
}

// parity checks only the failing case of each kernel. A no of the gate wins over what could not be checked.
func (f rerunFlags) parity(ctx context.Context, s *streams, wrong []result.Kernel) error {
	var all []error
	for _, k := range wrong {
		one := parityFlags{runFlags: f.runFlags, Param: []string{result.ParseCaseID(k.Parity.Failure.Case).Short()}}
		one.Kernels, one.Cases, one.Seed, one.Shard, one.HeadAlone = []string{k.Name}, nil, k.Parity.Failure.Seed, "", true
		all = append(all, one.check(ctx, s))
	}
	return result.Worst(all...)
}

// compile says what compiling alone shows, where the machine has no GPU for the run.
func (f rerunFlags) compile(ctx context.Context, s *streams, saved *result.Result, missing error) error {
	arch := saved.Machine.GPU.Arch()
	if arch == "" {
		return missing
	}
	f.Cases, f.Shard = nil, ""
	return compileOnly(ctx, s, f.runFlags, arch, fmt.Errorf("nothing was timed or checked: %w", missing))
}
