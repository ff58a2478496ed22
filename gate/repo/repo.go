// Package repo finds the two things that a run compares and lays each out in a folder: a folder as it is, a revision
// as a private copy of its files.
package repo

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// MergeBase begins the label of a base that nobody named; the branch follows.
const MergeBase = "merge base with "

// Request says what to compare, in the words of the command line.
type Request struct {
	Dir     string // where the command was started
	Base    string // a folder or a revision; "": the merge base with the default branch
	Head    string // a folder or a revision; "": the working tree with its uncommitted changes
	Scratch string // private folder for copies of revisions; the caller removes it
	// HeadAlone is content with head: outside a repository and without git it is Dir, and base has no Root where none is named.
	HeadAlone bool
}

// Side is a laid-out side.
type Side struct {
	Root   string // folder that holds what the configuration's folder is found in
	TreeID string // what Root was laid out from; "" where Root is a folder that may hold anything
	Info   result.Version
}

// Pair is what is compared.
type Pair struct{ Base, Head Side }

// ErrUsage marks errors that a better command line or checkout cures: exit code 2.
var ErrUsage = errors.New("bad request")

type usageError struct{ text string }

func (e *usageError) Error() string        { return e.text }
func (e *usageError) Is(target error) bool { return target == ErrUsage }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// Resolve finds both sides and lays them out.
func Resolve(ctx context.Context, r Request) (Pair, error) {
	var p Pair
	var err error
	if p.Head, err = head(ctx, r); err != nil {
		return p, err
	}
	if r.HeadAlone && r.Base == "" {
		return p, nil
	}
	p.Base, err = base(ctx, r, p.Head)
	return p, err
}

func head(ctx context.Context, r Request) (Side, error) {
	if r.Head == "" {
		side, err := workingTree(ctx, r.Dir)
		if err != nil && r.HeadAlone && (errors.Is(err, ErrUsage) || errors.Is(err, exec.ErrNotFound)) {
			return folder(r.Dir, "."), nil
		}
		return side, err
	}
	return named(ctx, r, r.Head, "head")
}

func base(ctx context.Context, r Request, head Side) (Side, error) {
	if r.Base != "" {
		return named(ctx, r, r.Base, "base")
	}
	from := head.Info.Revision
	if from == "" {
		return Side{}, usagef("--head %s is a folder, so there is no merge base to compare it with: name the other side with --base", r.Head)
	}
	ref, err := defaultBranch(ctx, r.Dir)
	if err != nil {
		return Side{}, err
	}
	commit, err := mergeBase(ctx, r.Dir, ref, from)
	if err != nil {
		return Side{}, err
	}
	return checkout(ctx, r, commit, MergeBase+branchOf(ref), "base")
}

func folder(dir, label string) Side {
	return Side{Root: dir, Info: result.Version{Kind: result.KindDirectory, Label: label}}
}

// workingTree is the repository around dir, or an error that says how to do without one.
func workingTree(ctx context.Context, dir string) (Side, error) {
	root, err := git(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return Side{}, notARepository(dir, err)
	}
	revision, err := git(ctx, dir, "rev-parse", "--verify", "HEAD^{commit}")
	if err != nil {
		return Side{}, usagef("%s has no commit yet, so there is no base to compare with: commit first, or name two folders with --base and --head", root)
	}
	status, err := git(ctx, dir, "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return Side{}, err
	}
	return Side{Root: root, Info: result.Version{Kind: result.KindWorktree, Label: filepath.Base(root), Revision: revision, Dirty: status != ""}}, nil
}

func notARepository(dir string, err error) error {
	if errors.Is(err, errNotARepository) {
		return usagef("%s is not a git repository: start perfgate inside one, or name two folders with --base and --head", dir)
	}
	return err
}

// checkout lays a revision out in a private folder.
func checkout(ctx context.Context, r Request, revision, label, side string) (Side, error) {
	if strings.HasPrefix(revision, "-") {
		return Side{}, usagef("--%s %s is neither a folder nor a revision", side, revision)
	}
	commit, err := resolveRevision(ctx, r.Dir, revision, side)
	if err != nil {
		return Side{}, err
	}
	to := filepath.Join(r.Scratch, side)
	if err := layOut(ctx, r.Dir, commit, to); err != nil {
		return Side{}, fmt.Errorf("lay out %s (%s): %w", side, short(commit), err)
	}
	tree, err := treeID(ctx, r.Dir, commit)
	if err != nil {
		return Side{}, err
	}
	return Side{Root: to, TreeID: tree, Info: result.Version{Kind: result.KindRevision, Label: label, Revision: commit}}, nil
}

func short(commit string) string { return commit[:min(12, len(commit))] }
