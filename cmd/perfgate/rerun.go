package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/action"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/pipeline"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
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
			of.saved, of.baseNamed, of.casesNamed = args[0], f.Base != "", len(f.Cases) > 0
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

	baseNamed, casesNamed bool // on the command line
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
		r, err := action.SavedRuns{Env: os.Getenv, Version: version}.Result(ctx, of.saved, of.artifact)
		var wrong *action.UsageError
		if errors.As(err, &wrong) {
			return nil, result.Usage(err)
		}
		return r, err
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
	if f, err = f.sameRun(saved); err != nil {
		return err
	}
	if err := of.sameBase(ctx, f, saved); err != nil {
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
	if errors.Is(err, pipeline.ErrNeedsGPU) {
		return withoutItsGPU(ctx, s, f, saved, err)
	}
	fresh, read := result.ReadFile(filepath.Join(f.out, resultName))
	if f.format != "text" || read != nil {
		return err
	}
	return cmp.Or(err, bothMachines(s, saved, fresh))
}

// sameRun are the flags that make the same run. A result is data of others: of it come two commits, a seed, a part of the plan and what else says
// what is measured. Whose policy counts, the configuration, flags, budgets and the sandbox come from the command line, or are what they are without it.
func (f runFlags) sameRun(r *result.Result) (runFlags, error) {
	if len(r.Merged) > 0 {
		return f, result.Usagef("it was merged of %d results, each of a run of its own: name one of those", len(r.Merged))
	}
	for called, side := range map[string]result.Version{"base": r.Base, "head": r.Head} {
		if side.Kind != result.KindRevision || !hash.MatchString(side.Revision) {
			return f, result.Usagef("its %s was no revision but %s, which cannot be had again from a result", called, side.Kind)
		}
	}
	if err := f.sameFlags(r); err != nil {
		return f, err
	}
	var err error
	if f.Config == "" {
		if f.Config, err = ownConfig(r.Config.Path); err != nil {
			return f, err
		}
	}
	f.Base, f.Head = cmp.Or(f.Base, r.Base.Revision), r.Head.Revision
	f.Trust, f.Seed = cmp.Or(f.Trust, repo.TrustBase), r.Seed
	if r.Shard != nil {
		f.Shard, f.Seed = fmt.Sprintf("%d/%d", r.Shard.Index, r.Shard.Of), r.Shard.Seed
	}
	if _, err := strconv.ParseUint(f.Seed, 10, 64); err != nil {
		return f, result.Usagef("its seed %.40q is no number", f.Seed)
	}
	return f, nil
}

// sameFlags refuses a result with flags of its own that the command line does not give too: a compiler runs what its flags name.
func (f runFlags) sameFlags(r *result.Result) error {
	for flag, side := range map[string]struct{ given, says string }{
		"--base-flags": {f.BaseFlags, strings.Join(r.Base.Flags, " ")}, "--head-flags": {f.HeadFlags, strings.Join(r.Head.Flags, " ")},
	} {
		if side.given != side.says {
			return result.Usagef("its run had the compiler flags %.300q, and this one has %.300q: a compiler runs what its flags name, so they are not taken from a result; "+
				"give them with %s", side.says, side.given, flag)
		}
	}
	return nil
}

// ownConfig is the configuration that a result says, where it is the one of the repository or of the folder that the user stands in: others, such
// as one of a test, may tolerate more.
func ownConfig(says string) (string, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the current folder: %w", err)
	}
	here, err := filepath.Rel(repo.Toplevel(cwd), cwd)
	if err != nil {
		return "", fmt.Errorf("find the current folder in the repository: %w", err)
	}
	for _, path := range []string{"", config.DefaultFile, filepath.ToSlash(filepath.Join(here, config.DefaultFile))} {
		if says == path {
			return filepath.FromSlash(path), nil
		}
	}
	return "", result.Usagef("its configuration is %.200q, which is not the one of this folder: go to its folder, or name it with --config if it is the one that counts", says)
}

// sameBase sees that base is a commit whose policy may count: where head left the default branch, or one before head where head is on that
// branch. Any other is named on the command line, and is the result's.
func (of rerunOf) sameBase(ctx context.Context, f runFlags, r *result.Result) error {
	cwd, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the current folder: %w", err)
	}
	if err := f.CheckGit(cwd); err != nil {
		return err
	}
	git := repo.Git{Dir: cwd}
	if f.Base != r.Base.Revision {
		commit, err := git.Commit(ctx, f.Base)
		if err != nil || commit == r.Base.Revision {
			return err
		}
		return result.Usagef("--base %s is not the result's base, %s", f.Base, r.Base.Revision)
	}
	if f.Trust != repo.TrustBase || of.baseNamed {
		return nil
	}
	left, err := repo.Left(ctx, cwd, r.Head.Revision)
	switch {
	case result.IsUsage(err):
		return fmt.Errorf("whether its base's policy may count: %w", err)
	case err != nil || left == r.Base.Revision:
		return err
	case left == r.Head.Revision: // head is on the default branch, and so is all before it
		if before, err := git.MergeBase(ctx, r.Base.Revision, left); err != nil || before == r.Base.Revision {
			return err
		}
	}
	return result.Usagef("its base %s is not where head left the default branch (%s), so its policy may be anybody's: give --base %[1]s if it is the one that counts", r.Base.Revision, cmp.Or(left, "nowhere"))
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
		params := strings.TrimPrefix(k.Parity.Failure.Case, k.Name+"/")
		all = append(all, checkParity(ctx, s, one, pipeline.ParityOnly{Case: params}, parityExtras{}))
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
	return report.List(s.out, []string{"case", "there", "verdict", "here", "verdict"}, rows, terminalOf(s))
}

func changeSaid(c result.Case) string {
	if c.Compared == nil {
		return "-"
	}
	return report.Change(c.Compared.Ratio-1, 1)
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
	t, err := inRun(ctx, s, f, func(opt pipeline.Options) (*result.Touched, error) { return pipeline.Touch(ctx, opt, arch) })
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
