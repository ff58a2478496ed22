package baseline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/repo"
)

// Git is a branch of a local or bare repository, written with plain git: no network, no work tree, no index of the user.
type Git struct {
	Repo   repo.Git
	Branch string
	Origin bool // the branch is origin's, as it was fetched, and is only read
}

func (g *Git) ref() string {
	if g.Origin {
		return "refs/remotes/origin/" + g.Branch
	}
	return "refs/heads/" + g.Branch
}

// Tip returns the commit that the branch is at.
func (g *Git) Tip(ctx context.Context) (string, error) {
	// for-each-ref says nothing of a branch that is not there, and fails where there is no repository.
	out, err := g.Repo.Output(ctx, "for-each-ref", "--format=%(objectname) %(refname)", g.ref())
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(out) {
		if hash, name, _ := strings.Cut(strings.TrimSpace(line), " "); name == g.ref() {
			return hash, nil
		}
	}
	return "", nil
}

// Files lists a folder of a commit.
func (g *Git) Files(ctx context.Context, commit, folder string) ([]string, error) {
	args := []string{"ls-tree", "-r", "-z", "--full-tree", "--name-only", commit}
	if folder != "" {
		args = append(args, "--", folder+"/")
	}
	out, err := g.Repo.Output(ctx, args...)
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(out, func(r rune) bool { return r == 0 }), nil
}

// Read returns a file of a commit.
func (g *Git) Read(ctx context.Context, commit, path string) ([]byte, error) {
	out, err := g.Repo.Output(ctx, "cat-file", "blob", commit+":"+path)
	switch repo.KindOf(err) {
	case repo.Missing:
		return nil, fmt.Errorf("%s: %w", path, ErrNotFound)
	case repo.TooMuch:
		return nil, fmt.Errorf("%s: %w: %w", path, ErrForeign, err)
	}
	return []byte(out), err
}

// CheckedOut returns the work tree that has the branch checked out, "" if none has. A commit under such a branch would turn
// up in that work tree as changes that its user did not make. Work trees whose folder is gone do not count.
func (g *Git) CheckedOut(ctx context.Context) (string, error) {
	out, err := g.Repo.Output(ctx, "worktree", "list", "--porcelain")
	if err != nil {
		return "", err
	}
	for block := range strings.SplitSeq(out, "\n\n") {
		lines := strings.Split(block, "\n")
		gone := slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "prunable") })
		if slices.Contains(lines, "branch "+g.ref()) && !gone {
			return strings.TrimPrefix(lines[0], "worktree "), nil
		}
	}
	return "", nil
}

// sharesHistory says whether two commits have a common ancestor.
func (g *Git) sharesHistory(ctx context.Context, a, b string) (bool, error) {
	ancestor, err := g.Repo.MergeBase(ctx, a, b)
	return ancestor != "", err
}

// Advance commits changes on top of tip and moves the branch there if it still is at tip.
func (g *Git) Advance(ctx context.Context, tip string, changes map[string][]byte, message string) error {
	if g.Origin {
		return fmt.Errorf("branch %s of origin cannot be written from a clone", g.Branch)
	}
	tree, err := g.tree(ctx, tip, changes)
	if err != nil {
		return err
	}
	args := []string{"commit-tree", tree, "-m", message}
	if tip != "" {
		args = append(args, "-p", tip)
	}
	commit, err := g.Repo.With(identity...).Output(ctx, args...)
	if err != nil {
		return err
	}
	from := tip
	if from == "" {
		from = strings.Repeat("0", len(strings.TrimSpace(commit))) // the branch must not exist
	}
	if _, err := g.Repo.Output(ctx, "update-ref", "-m", message, g.ref(), strings.TrimSpace(commit), from); err != nil {
		return g.lost(ctx, tip, err)
	}
	return nil
}

// lost tells a race from anything else that keeps a branch where it is.
func (g *Git) lost(ctx context.Context, tip string, err error) error {
	now, tipErr := g.Tip(ctx)
	if tipErr == nil && now != tip || repo.KindOf(err) == repo.Moved {
		return fmt.Errorf("%w: %w", ErrMoved, err)
	}
	return err
}

// identity of the commits: runners often have none.
var identity = []string{
	"GIT_AUTHOR_NAME=perfgate", "GIT_AUTHOR_EMAIL=perfgate@localhost", "GIT_COMMITTER_NAME=perfgate", "GIT_COMMITTER_EMAIL=perfgate@localhost",
}

// tree writes the tree of tip with changes applied, a folder a machine. It needs no index file, which a killed writer would
// leave behind.
func (g *Git) tree(ctx context.Context, tip string, changes map[string][]byte) (string, error) {
	root, err := g.entries(ctx, tip)
	if err != nil {
		return "", err
	}
	for machine, files := range byFolder(changes) {
		folder := map[string]string{}
		if root[machine] != "" {
			if folder, err = g.entries(ctx, tip+":"+machine); err != nil {
				return "", err
			}
		}
		if err := g.apply(ctx, folder, files); err != nil {
			return "", err
		}
		if delete(root, machine); len(folder) == 0 {
			continue
		}
		hash, err := g.makeTree(ctx, folder)
		if err != nil {
			return "", err
		}
		root[machine] = "040000 tree " + hash
	}
	return g.makeTree(ctx, root)
}

// byFolder splits paths of two words at their first.
func byFolder(changes map[string][]byte) map[string]map[string][]byte {
	out := map[string]map[string][]byte{}
	for path, data := range changes {
		folder, name, _ := strings.Cut(path, "/")
		if out[folder] == nil {
			out[folder] = map[string][]byte{}
		}
		out[folder][name] = data
	}
	return out
}

// entries are the lines of a tree by name: mode, type and hash; none of the tree "".
func (g *Git) entries(ctx context.Context, tree string) (map[string]string, error) {
	out := map[string]string{}
	if tree == "" {
		return out, nil
	}
	text, err := g.Repo.Output(ctx, "ls-tree", "-z", "--full-tree", tree)
	if err != nil {
		return nil, err
	}
	for line := range strings.SplitSeq(text, "\x00") {
		if what, name, ok := strings.Cut(line, "\t"); ok {
			out[name] = what
		}
	}
	return out, nil
}

// apply writes files into a folder's entries; nil contents remove one.
func (g *Git) apply(ctx context.Context, folder map[string]string, files map[string][]byte) error {
	for name, data := range files {
		if data == nil {
			delete(folder, name)
			continue
		}
		blob, err := g.Repo.Input(data).Output(ctx, "hash-object", "-w", "--stdin")
		if err != nil {
			return err
		}
		folder[name] = "100644 blob " + strings.TrimSpace(blob)
	}
	return nil
}

// makeTree writes a tree. Records that it only passes on may be missing: a partial clone need not fetch them.
func (g *Git) makeTree(ctx context.Context, entries map[string]string) (string, error) {
	var lines strings.Builder
	for name, what := range entries {
		lines.WriteString(what + "\t" + name + "\x00")
	}
	tree, err := g.Repo.Input([]byte(lines.String())).Output(ctx, "mktree", "-z", "--missing")
	return strings.TrimSpace(tree), err
}
