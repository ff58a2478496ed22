// Package repo is git for the rest of perfgate. It finds the two things that a run compares and lays each out in a folder: a folder
// as it is, a revision as a private copy of its files. It says what differs between them and which commits there are.
//
//	revision or folder -> Side: commit and a folder with its files
//	two Sides -> files and configuration keys that differ, commits between them
package repo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// MergeBase begins the label of a base that was not named; the branch follows.
const MergeBase = "merge base with "

// Request says what to compare, in the words of the command line.
type Request struct {
	Dir     string // where the command was started
	Base    string // a folder or a revision; "": the merge base with the default branch
	Head    string // a folder or a revision; "": the working tree with its uncommitted changes
	Scratch string // private folder for copies of revisions; the caller removes it
	// Named says what the configuration of a working tree names; nil is nothing, and that builds may have left libraries.
	Named func(root string) Named
	// HeadAlone is content with head: outside a repository and without git it is Dir, and base has no Root where none is named.
	HeadAlone bool
}

// Side is a laid-out side.
type Side struct {
	Root   string // folder that holds what the configuration's folder is found in
	TreeID string // what Root was laid out from; "" where Root is a folder that may hold anything
	Info   result.Version
	Copied Copied // what Root was copied from, where it is the copy of a working tree
}

// Place is the folder in which the user has the side's files: Root may be a copy that goes away.
func (s Side) Place() string {
	if s.Copied.From != "" {
		return s.Copied.From
	}
	return s.Root
}

// Pair is what is compared.
type Pair struct{ Base, Head Side }

// Resolve finds both sides and lays them out.
func Resolve(ctx context.Context, r Request) (Pair, error) {
	var p Pair
	var err error
	if p.Head, err = head(ctx, r); err != nil {
		return p, err
	}
	if !r.HeadAlone || r.Base != "" {
		if p.Base, err = base(ctx, r, p.Head); err != nil {
			return p, err
		}
	}
	if p.Head.Info.Kind == result.KindWorktree {
		err = p.copyHead(ctx, r)
	}
	return p, err
}

func head(ctx context.Context, r Request) (Side, error) {
	if r.Head == "" {
		side, err := workingTree(ctx, r.Dir)
		if err != nil && r.HeadAlone && (result.IsUsage(err) || KindOf(err) == NoGit) {
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
		return Side{}, result.Usagef("--head %s is a folder, so there is no merge base to compare it with: name the other side with --base", r.Head)
	}
	g := Git{Dir: r.Dir}
	ref, err := g.defaultBranch(ctx)
	if err != nil {
		return Side{}, err
	}
	commit, err := g.leftAt(ctx, ref, from)
	if err != nil {
		return Side{}, err
	}
	return revisionSide(ctx, r, commit, MergeBase+branchOf(ref), "base")
}

func folder(dir, label string) Side {
	return Side{Root: dir, Info: result.Version{Kind: result.KindDirectory, Label: label}}
}

// workingTree is the one around dir, or an error that says how to do without one.
func workingTree(ctx context.Context, dir string) (Side, error) {
	g := Git{Dir: dir}
	root, err := g.Root(ctx)
	if KindOf(err) == NotARepository {
		return Side{}, result.Usagef("%s is not a git repository: start perfgate inside one, or name two folders with --base and --head", dir)
	} else if err != nil {
		return Side{}, err
	}
	revision, err := g.Commit(ctx, "HEAD")
	if err != nil {
		return Side{}, err
	}
	if revision == "" {
		return Side{}, result.Usagef("%s has no commit yet, so there is no base to compare with: commit first, or name two folders with --base and --head", root)
	}
	status, err := g.Run(ctx, "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return Side{}, err
	}
	return Side{Root: root, Info: result.Version{Kind: result.KindWorktree, Label: filepath.Base(root), Revision: revision, Dirty: status != ""}}, nil
}

// copyHead puts a copy in the place of the working tree: both sides are private folders without what builds have left.
func (p *Pair) copyHead(ctx context.Context, r Request) error {
	named := Named{Builds: true}
	if r.Named != nil {
		named = r.Named(p.Head.Root)
	}
	to := filepath.Join(r.Scratch, "head")
	var err error
	if p.Head.Copied, err = copyWorktree(ctx, p.Head.Root, to, named); err != nil {
		return err
	}
	p.Head.Root = to
	return p.seeChanges(ctx, r)
}

// seeChanges says of a working tree that it is not its commit where its files are not, whatever git was told to hide.
func (p *Pair) seeChanges(ctx context.Context, r Request) error {
	head := &p.Head.Info
	if head.Dirty {
		return nil
	}
	committed := p.Base.Root
	if p.Base.Info.Kind != result.KindRevision || p.Base.Info.Revision != head.Revision {
		committed = filepath.Join(r.Scratch, "committed")
		defer os.RemoveAll(committed)
		if err := (Git{Dir: r.Dir}).layOut(ctx, head.Revision, committed); err != nil {
			return fmt.Errorf("lay out the commit of the working tree (%s): %w", result.ShortID(head.Revision), err)
		}
	}
	files, _, err := Differing(committed, p.Head.Root, all)
	head.Dirty = len(files) > 0
	return err
}

// revisionSide lays a revision out in a private folder.
func revisionSide(ctx context.Context, r Request, revision, label, side string) (Side, error) {
	if strings.HasPrefix(revision, "-") {
		return Side{}, result.Usagef("--%s %s is neither a folder nor a revision", side, revision)
	}
	g := Git{Dir: r.Dir}
	commit, err := g.resolve(ctx, revision)
	if err != nil {
		return Side{}, err
	}
	to := filepath.Join(r.Scratch, side)
	if err := g.layOut(ctx, commit, to); err != nil {
		return Side{}, fmt.Errorf("lay out %s (%s): %w", side, result.ShortID(commit), err)
	}
	tree, err := g.treeID(ctx, commit)
	if err != nil {
		return Side{}, err
	}
	return Side{Root: to, TreeID: tree, Info: result.Version{Kind: result.KindRevision, Label: label, Revision: commit}}, nil
}
