package repo

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// named is a side that the command line names: a folder or a revision. A name that is more than one of those is an error, which has
// the spellings that are one each.
func named(ctx context.Context, r Request, name, side string) (Side, error) {
	dir, isFolder := asFolder(r.Dir, name)
	if isFolder && onlyFolder(name) {
		return folder(dir, name), nil
	}
	revisions, err := revisionsCalled(ctx, r.Dir, name)
	switch {
	case err != nil:
		return Side{}, err
	case isFolder && len(revisions) > 0:
		return Side{}, result.Usagef("--%s %s is a folder here and a revision: write ./%s for the folder, or %s for the revision", side, name, name, strings.Join(revisions, " or "))
	case isFolder:
		return folder(dir, name), nil
	case len(revisions) > 1:
		return Side{}, result.Usagef("--%s %s is more than one revision: write %s", side, name, strings.Join(revisions, " or "))
	}
	return revisionSide(ctx, r, name, name, side)
}

// fullHash is always a commit: a change could bring a folder that is called like the commit that it is compared with.
var fullHash = text.Pattern(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

func asFolder(dir, name string) (string, bool) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, name)
	}
	info, err := os.Stat(path)
	return path, err == nil && info.IsDir() && !fullHash().MatchString(name)
}

// onlyFolder says whether git has no revision that is spelled like this.
func onlyFolder(name string) bool {
	return filepath.IsAbs(name) || name == "." || name == ".." || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") || strings.HasSuffix(name, "/")
}

// revisionsCalled lists what a name stands for: references in full, else the commit that git takes it for. There is none where there
// is no repository, and one where all lead to the same commit.
func revisionsCalled(ctx context.Context, dir, name string) ([]string, error) {
	candidates := []string{"refs/" + name, "refs/tags/" + name, "refs/heads/" + name, "refs/remotes/" + name, "refs/remotes/" + name + "/HEAD"}
	g := Git{Dir: dir}
	listing, err := g.Run(ctx, append([]string{"for-each-ref", "--format=%(refname) %(objectname) %(*objectname)"}, candidates...)...)
	switch KindOf(err) {
	case NotARepository, DubiousOwnership, NoGit:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var refs, commits []string
	for line := range strings.Lines(listing) {
		if found := strings.Fields(line); slices.Contains(candidates, found[0]) { // the others are deeper, or match a pattern
			refs, commits = append(refs, found[0]), append(commits, found[len(found)-1])
		}
	}
	slices.Sort(commits)
	if len(slices.Compact(commits)) == 1 {
		return refs[:1], nil
	}
	if len(refs) > 0 {
		return refs, nil
	}
	commit, err := g.Commit(ctx, name)
	if commit == "" {
		return nil, err
	}
	return []string{commit}, nil
}
