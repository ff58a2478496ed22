package request

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/kernels/checkout"
)

// Repeat is the run with what a saved result says of it. A result is data of others: of it come two commits, a seed, a part of the plan and what else says
// what is measured. Whose policy counts, the configuration, flags, budgets and the sandbox are the caller's, or what they are without it.
func (r Run) Repeat(saved *result.Result) (Run, error) {
	if saved.Kind != result.KindGate {
		return r, result.Usagef("it is a result of perfgate %s, and rerun repeats runs of the gate. This repeats it: %s", saved.Kind, saved.Repro)
	}
	if len(saved.Merged) > 0 {
		return r, result.Usagef("it was merged from %d results of separate runs: name one of those", len(saved.Merged))
	}
	for called, side := range map[string]result.Version{"base": saved.Base, "head": saved.Head} {
		switch {
		case side.Kind != result.KindRevision:
			return r, result.Usagef("its %s was no revision but %s, which cannot be had again from a result", called, side.Kind)
		case !isCommit().MatchString(side.Revision):
			return r, result.Usagef("its %s has the revision %.60q, which is no id of a commit", called, side.Revision)
		}
	}
	if err := r.sameFlags(saved); err != nil {
		return r, err
	}
	var err error
	if r.Config == "" {
		if r.Config, err = ownConfig(saved.Config.Path); err != nil {
			return r, err
		}
	}
	r.Base, r.Head = cmp.Or(r.Base, saved.Base.Revision), saved.Head.Revision
	r.Trust, r.Seed = cmp.Or(r.Trust, repo.TrustBase), saved.Seed
	r.External = r.Trust == repo.TrustBase // a result does not say whose head is, or says what its author likes
	if saved.Shard != nil {
		r.Shard, r.Seed = fmt.Sprintf("%d/%d", saved.Shard.Index, saved.Shard.Of), saved.Shard.Seed
	}
	if _, err := strconv.ParseUint(r.Seed, 10, 64); err != nil {
		return r, result.Usagef("its seed %.40q is not a number", r.Seed)
	}
	return r, nil
}

// isCommit matches what names a commit and nothing else.
var isCommit = text.Pattern(`^[0-9a-f]{40}$`)

// sameFlags refuses a result with flags of its own that the command line does not give too: a compiler runs what its flags name.
func (r Run) sameFlags(saved *result.Result) error {
	for flag, side := range map[string]struct{ given, says string }{
		"--base-flags": {r.BaseFlags, strings.Join(saved.Base.Flags, " ")}, "--head-flags": {r.HeadFlags, strings.Join(saved.Head.Flags, " ")},
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
	here, err := filepath.Rel(checkout.Top(cwd), cwd)
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

// CheckBase sees that base is a commit whose policy may count: where head left the default branch, or one before head where head is on that
// branch. Any other is named on the command line, and is the result's.
func (r Run) CheckBase(ctx context.Context, saved *result.Result, named bool) error {
	cwd, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the current folder: %w", err)
	}
	if err := r.CheckGit(cwd); err != nil {
		return err
	}
	git := repo.Git{Dir: cwd}
	if r.Base != saved.Base.Revision {
		commit, err := git.Commit(ctx, r.Base)
		if err != nil || commit == saved.Base.Revision {
			return err
		}
		return result.Usagef("--base %s is not the result's base, %s", r.Base, saved.Base.Revision)
	}
	if r.Trust != repo.TrustBase || named {
		return nil
	}
	left, err := repo.Left(ctx, cwd, saved.Head.Revision)
	switch {
	case result.IsUsage(err):
		return fmt.Errorf("whether its base's policy may count: %w", err)
	case err != nil || left == saved.Base.Revision:
		return err
	case left == saved.Head.Revision: // head is on the default branch, and so is all before it
		if before, err := git.MergeBase(ctx, saved.Base.Revision, left); err != nil || before == saved.Base.Revision {
			return err
		}
	}
	return result.Usagef("its base %s is not where head left the default branch (%s), so its policy may be anybody's: give --base %[1]s if it is the one that counts",
		saved.Base.Revision, cmp.Or(left, "nowhere"))
}

// WrongKernels are those of the named ones, or of all, that parity found a failing case of.
func WrongKernels(r *result.Result, named []string) []result.Kernel {
	return slices.DeleteFunc(slices.Clone(r.Kernels), func(k result.Kernel) bool {
		return k.Parity.Failure == nil || len(named) > 0 && !slices.Contains(named, k.Name)
	})
}

// FailsOtherwise says whether something else than kernels that were wrong kept a run from passing.
func FailsOtherwise(r *result.Result, wrong []result.Kernel) bool {
	return slices.ContainsFunc(r.Conclusion.Against(), func(f result.Finding) bool {
		return f.Kind != result.FindingWrongOutput || !slices.ContainsFunc(wrong, func(k result.Kernel) bool { return k.Name == f.Kernel })
	})
}

// TakeFailed asks for the cases of a saved run that failed, and for no shard: named cases are a plan of their own, which a shard would divide again. It
// leaves all as it is where none failed, and where something else did than cases and kernels: a suite is tested with all of its cases only.
func (r *Run) TakeFailed(saved *result.Result) {
	if failed := failedCases(saved, r.Kernels); len(failed) > 0 {
		r.Cases, r.Shard = failed, ""
	}
}

// failedCases are the cases of the named kernels, or of all, that kept a run from passing, by their names, and the kernels that did as a whole. There are
// none where what did is of neither, or is a kernel that was dropped.
func failedCases(r *result.Result, kernels []string) (names []string) {
	for _, finding := range r.Conclusion.Against() {
		name := cmp.Or(finding.Case, finding.Kernel)
		if name == "" || name == result.SuiteCase || r.KernelOf(finding).Skipped { // head's configuration has it no more
			return nil
		}
		named := len(kernels) == 0 || slices.Contains(kernels, finding.Kernel)
		if named && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
