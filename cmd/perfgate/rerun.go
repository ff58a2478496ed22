package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/action"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
)

func newRerunCommand(s *streams) *cobra.Command {
	var (
		f  runFlags
		of rerunOf
	)
	cmd := &cobra.Command{
		Use:   "rerun FILE|FOLDER|URL",
		Short: "Repeat a saved run on this machine, failed cases only",
		Long: `rerun takes a result.json, the folder of a downloaded artifact, or the address of a run of GitHub Actions, and does that run again here: the
same two revisions, the same seed, and what --kernel, --case, --shard, --time-identical and --manual-competitors said; --kernel and --case given now
override that. Whose policy counts, which configuration and all other flags is not taken from the result, since anybody may have
written that: base's policy counts (--trust), in the configuration of this folder (--config), and base is where head left the default branch, or
what --base names. A kernel that was wrong is checked with its failing case alone. Where that passes here, or nothing was wrong,
what else was red is done again: the cases that were red are timed, or all where none was (--all-cases times all in any case). Then it shows what both machines
say of each case. Where the run needs a GPU that is not here, it says what compiling alone shows.

The artifact of a run is downloaded with the token in GH_TOKEN or GITHUB_TOKEN (GH_ENTERPRISE_TOKEN for a server of your own), which needs
actions: read. Both revisions have to be in this repository (git fetch origin pull/NUMBER/head). The exit code is that of the run here.`,
		Example: `  perfgate rerun result.json
  perfgate rerun ~/Downloads/perfgate --out rerun
  GH_TOKEN=$(gh auth token) perfgate rerun https://github.com/OWNER/REPO/actions/runs/123456789`,
		Args: takes(1, 1, "one result"),
		RunE: func(cmd *cobra.Command, args []string) error {
			of.saved, of.casesNamed = args[0], len(f.Cases) > 0
			if err := of.keptBy(f.out); err != nil {
				return err
			}
			return rerun(cmd.Context(), s, f, of)
		},
	}
	define(cmd, f.targets().with(targets{"artifact": &of.artifact, "all-cases": &of.all}))
	return cmd
}

// rerunOf says what is done again.
type rerunOf struct {
	saved    string // file, folder or address
	artifact string // of a run of GitHub Actions
	all      bool   // not the red cases alone

	casesNamed bool // on the command line
}

// keptBy refuses to put the new results in the place of those that are read.
func (of rerunOf) keptBy(out string) error {
	saved, err := os.Stat(of.saved)
	if err == nil && !saved.IsDir() {
		saved, err = os.Stat(filepath.Dir(of.saved))
	}
	if into, outErr := os.Stat(out); err == nil && outErr == nil && os.SameFile(saved, into) {
		return result.Usagef("--out %s has the result that is to be done again, which would be lost: name another folder", out)
	}
	return nil
}

// result reads what was saved.
func (of rerunOf) result(ctx context.Context) (*result.Result, error) {
	if strings.HasPrefix(of.saved, "https://") {
		return action.SavedRuns{Env: os.Getenv, Version: version}.Result(ctx, of.saved, of.artifact)
	}
	paths, err := resultFiles([]string{of.saved})
	if err != nil {
		return nil, err
	}
	if len(paths) != 1 {
		return nil, result.Usagef("%s holds %d results; name one of them", of.saved, len(paths))
	}
	r, err := result.ReadArtifact(paths[0])
	if err != nil {
		return nil, result.Usage(err)
	}
	return r, nil
}

func rerun(ctx context.Context, s *streams, f runFlags, of rerunOf) error {
	saved, err := of.result(ctx)
	if err != nil {
		return err
	}
	baseNamed := f.Base != ""
	if f.Run, err = f.Repeat(saved); err != nil {
		return err
	}
	if err := f.CheckBase(ctx, saved, baseNamed); err != nil {
		return err
	}
	other, err := f.targets().repeat(saved.Repro)
	if err != nil {
		return err
	}
	if len(other) > 0 {
		fmt.Fprintf(s.err, "rerun: the run had %s as well, which is not taken from a result\n", strings.Join(other, ", "))
	}
	if saved.Config.Trust != f.Trust {
		fmt.Fprintf(s.err, "rerun: the result says --trust %.40q, and this run is with --trust=%s\n", saved.Config.Trust, f.Trust)
	}
	if wrong := wrongKernels(saved, f.Kernels); len(wrong) > 0 && !of.all && !of.casesNamed {
		if err := rerunParity(ctx, s, f, wrong); err != nil || !isRedBeside(saved, wrong) {
			if err == nil {
				fmt.Fprintln(s.err, "rerun: no more was done than the result says was wrong; --all-cases does the whole run")
			}
			return err
		}
	}
	if red := redCases(saved, f.Kernels); len(red) > 0 && !of.all && !of.casesNamed {
		f.Cases = red
	}
	err = runGate(ctx, s, f)
	if errors.Is(err, run.ErrNeedsGPU) {
		return withoutItsGPU(ctx, s, f, saved, err)
	}
	fresh, read := result.ReadFile(filepath.Join(f.out, resultName))
	if f.format != "text" || read != nil {
		return err
	}
	return cmp.Or(err, bothMachines(s, saved, fresh))
}

// wrongKernels are those of the named ones, or of all, that parity found a failing case of.
func wrongKernels(r *result.Result, named []string) []result.Kernel {
	return slices.DeleteFunc(slices.Clone(r.Kernels), func(k result.Kernel) bool {
		return k.Parity.Failure == nil || len(named) > 0 && !slices.Contains(named, k.Name)
	})
}

// isRedBeside says whether something else than kernels that were wrong kept the run from passing.
func isRedBeside(r *result.Result, wrong []result.Kernel) bool {
	return slices.ContainsFunc(r.Conclusion.Against(), func(f result.Finding) bool {
		return f.Kind != result.FindingWrongOutput || !slices.ContainsFunc(wrong, func(k result.Kernel) bool { return k.Name == f.Kernel })
	})
}

// rerunParity checks the failing case of each kernel alone. What the gate says no to wins over what could not be checked.
func rerunParity(ctx context.Context, s *streams, f runFlags, wrong []result.Kernel) error {
	var all []error
	for _, k := range wrong {
		one := f
		one.Kernels, one.Cases, one.Seed, one.Shard, one.HeadAlone = []string{k.Name}, nil, k.Parity.Failure.Seed, "", true
		all = append(all, checkParity(ctx, s, one, run.ParityOnly{Case: k.Parity.Failure.Case}, parityExtras{}))
	}
	return worstOf(all)
}

// worstOf is all errors, with the exit code of the worst.
func worstOf(all []error) error {
	all = slices.DeleteFunc(all, func(err error) bool { return err == nil })
	if len(all) == 0 {
		return nil
	}
	code := result.ExitCodeOf(all[0])
	if slices.ContainsFunc(all, func(err error) bool { return result.ExitCodeOf(err) == result.ExitFailed }) {
		code = result.ExitFailed
	}
	return &result.ExitError{Code: code, Err: errors.Join(slices.DeleteFunc(all, func(err error) bool { return err.Error() == "" })...)}
}

// redCases are the cases of the named kernels, or of all, that kept the run from passing, by their names; none where all are asked again.
func redCases(r *result.Result, kernels []string) []string {
	var names []string
	for _, finding := range r.Conclusion.Against() {
		named := len(kernels) == 0 || slices.Contains(kernels, finding.Kernel)
		if named && finding.Case != "" && !slices.Contains(names, finding.Case) {
			names = append(names, finding.Case)
		}
	}
	return names
}

// bothMachines shows what two runs say of each case that both have.
func bothMachines(s *streams, saved, fresh *result.Result) error {
	was := map[string]result.Case{}
	for _, c := range saved.Cases {
		was[c.Name] = c
	}
	var rows [][]string
	for _, c := range fresh.Cases {
		if old, ok := was[c.Name]; ok {
			rows = append(rows, []string{c.Name, changeSaid(old), string(old.Verdict), changeSaid(c), string(c.Verdict)})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprintf(s.out, "\nthere: %s\nhere:  %s\n\n", visible(saved.Machine.Model), visible(fresh.Machine.Model))
	return s.showDocument("text", report.List("rerun", []string{"case", "there", "verdict", "here", "verdict"}, rows))
}

func changeSaid(c result.Case) string {
	if c.Compared() == nil {
		return "-"
	}
	return report.Change(c.Compared().Ratio-1, 1)
}

// withoutItsGPU says what compiling alone shows, where the machine has no GPU for the run.
func withoutItsGPU(ctx context.Context, s *streams, f runFlags, saved *result.Result, missing error) error {
	if saved.Machine.GPU == nil {
		return missing
	}
	arch := "sm_" + strings.Replace(saved.Machine.GPU.ComputeCapability, ".", "", 1)
	if !result.IsArch(arch) {
		return missing
	}
	f.Cases, f.Shard = nil, ""
	t, err := inRun(ctx, s, f, func(opt run.Options) (*result.Touched, error) { return run.Touch(ctx, opt, arch) })
	if err != nil {
		return errors.Join(missing, err)
	}
	if err := tellTouched(s, f.format, t); err != nil {
		return err
	}
	exit := result.ExitNotMeasurable
	if t.Exit == result.ExitFailed {
		exit = t.Exit
	}
	return &result.ExitError{Code: exit, Err: fmt.Errorf("nothing was timed or checked: %w", missing)}
}
