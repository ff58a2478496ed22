package repo

import (
	"context"
	"fmt"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// Root is the root of the work tree around the folder, an absolute path.
func (g Git) Root(ctx context.Context) (string, error) {
	return g.Run(ctx, "rev-parse", "--show-toplevel")
}

// Repository is the root of the repository around dir, an absolute path. The error is an error of usage where there is none or git
// refuses its owner.
func Repository(ctx context.Context, dir string) (string, error) {
	root, err := Git{Dir: dir}.Root(ctx)
	if KindOf(err) == NotARepository {
		return "", result.Usagef("%s is in no git repository", dir)
	}
	return root, err
}

// Commit returns the hash of the commit that a revision names, "" if there is none here.
func (g Git) Commit(ctx context.Context, revision string) (string, error) {
	hash, err := g.Run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if SaidNo(err) {
		return "", nil
	}
	return hash, err
}

// MergeBase returns the best common ancestor of two commits, "" if there is none here.
func (g Git) MergeBase(ctx context.Context, a, b string) (string, error) {
	hash, err := g.Run(ctx, "merge-base", a, b)
	if KindOf(err) == No {
		return "", nil
	}
	return hash, err
}

// Branch returns the commit of a branch as a checkout has it, of origin, else a local one; "" if there is none.
func (g Git) Branch(ctx context.Context, name string) (string, error) {
	for _, ref := range []string{"refs/remotes/origin/" + name, "refs/heads/" + name} {
		if hash, err := g.Commit(ctx, ref); hash != "" || err != nil {
			return hash, err
		}
	}
	return "", nil
}

// Shallow says whether the clone's history is cut off.
func (g Git) Shallow(ctx context.Context) bool {
	answer, err := g.Run(ctx, "rev-parse", "--is-shallow-repository")
	return err == nil && answer == "true"
}

// Ancestors lists a commit and its ancestors, children before parents, at most so many.
func (g Git) Ancestors(ctx context.Context, commit string, most int) ([]string, error) {
	out, err := g.Run(ctx, "rev-list", "--topo-order", fmt.Sprintf("--max-count=%d", most), "--end-of-options", commit, "--")
	if err != nil {
		return nil, fmt.Errorf("list the ancestors of %.12s: %w", commit, err)
	}
	return strings.Fields(out), nil
}

// Tag is the last tag at or before a commit, "" where there is none or git cannot tell.
func (g Git) Tag(ctx context.Context, commit string) string {
	name, err := g.Run(ctx, "describe", "--tags", "--abbrev=0", commit, "--")
	if err != nil {
		return ""
	}
	return name
}

// deepen is how a shallow clone gets its history.
const deepen = "check out with full history (actions/checkout with fetch-depth: 0, or git fetch --unshallow)"

// resolve returns the commit that a revision of the command line names.
func (g Git) resolve(ctx context.Context, revision string) (string, error) {
	commit, err := g.Commit(ctx, revision)
	switch {
	case KindOf(err) == NotARepository:
		return "", result.Usagef("%s is not a git repository, so revision %s cannot be read (and no folder has this name)", g.Dir, revision)
	case err != nil || commit != "":
		return commit, err
	case g.Shallow(ctx):
		return "", result.Usagef("revision %s is not here, and this is a shallow clone: "+deepen, revision)
	}
	return "", result.Usagef("there is no folder and no revision %q here (git branch -a lists branches; git fetch gets new ones)", revision)
}

// Left is the commit at which another left the default branch, "" where they share no history. It is an error of usage where nothing tells the branch.
func Left(ctx context.Context, dir, commit string) (string, error) {
	g := Git{Dir: dir}
	ref, err := g.defaultBranch(ctx)
	if err != nil {
		return "", err
	}
	return g.MergeBase(ctx, ref, commit)
}

// leftAt finds where a commit left a branch, by the branch's reference.
func (g Git) leftAt(ctx context.Context, ref, from string) (string, error) {
	commit, err := g.MergeBase(ctx, ref, from)
	switch {
	case err != nil || commit != "":
		return commit, err
	case g.Shallow(ctx):
		return "", result.Usagef("the merge base with %s is not here, since this is a shallow clone: "+deepen+", or name --base", branchOf(ref))
	}
	return "", result.Usagef("%s and %s share no history: name the other side with --base", result.ShortID(from), branchOf(ref))
}

// defaultBranch is the reference that origin calls its HEAD, else the first of the usual names that exists.
func (g Git) defaultBranch(ctx context.Context) (string, error) {
	for _, ref := range []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master"} {
		if commit, err := g.Commit(ctx, ref); commit != "" || err != nil {
			return ref, err
		}
	}
	const unknown = "cannot tell the default branch (no origin/HEAD, main or master)"
	if g.Shallow(ctx) {
		return "", result.Usagef(unknown + ", and this is a shallow clone: " + deepen + ", or name --base")
	}
	return "", result.Usagef(unknown + ": name the other side with --base")
}

// DefaultBranch is the name, without its remote, of the branch whose merge base a run compares with. The error says why no
// ref tells it.
func DefaultBranch(ctx context.Context, dir string) (string, error) {
	g := Git{Dir: dir}
	ref, err := g.defaultBranch(ctx)
	if err == nil && ref == "refs/remotes/origin/HEAD" {
		ref, err = g.Run(ctx, "symbolic-ref", ref)
	}
	return strings.TrimPrefix(branchOf(ref), "origin/"), err
}

// branchOf is a reference in the words of its reader.
func branchOf(ref string) string {
	return strings.TrimPrefix(strings.TrimPrefix(ref, "refs/remotes/"), "refs/heads/")
}
