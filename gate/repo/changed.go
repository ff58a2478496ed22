package repo

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// ListChanges are git's arguments, before the revisions, to list the files that differ, each ended by a zero byte: all of them,
// whatever head's .gitmodules wants to be ignored.
func ListChanges() []string {
	return []string{"diff", "--name-only", "--no-renames", "--ignore-submodules=none", "-z"}
}

// Changed lists the files that differ between the sides, relative to the folder rel of the repository; "../" leads
// out of it. known is false where git cannot tell: one of the sides is a plain folder.
func (p Pair) Changed(ctx context.Context, dir, rel string) (files []string, known bool, err error) {
	if p.Base.Info.Revision == "" || p.Head.Info.Revision == "" {
		return nil, false, nil
	}
	diff := append(ListChanges(), p.Base.Info.Revision)
	if p.Head.Info.Kind == result.KindRevision {
		diff = append(diff, p.Head.Info.Revision)
	}
	listing, err := git(ctx, dir, append(diff, "--", ":/")...)
	if err != nil {
		return nil, false, err
	}
	names := strings.Split(listing, "\x00")
	if p.Head.Info.Kind == result.KindWorktree {
		untracked, err := git(ctx, p.Head.Root, "ls-files", "--others", "--exclude-standard", "-z")
		if err != nil {
			return nil, false, err
		}
		names = append(names, strings.Split(untracked, "\x00")...)
	}
	for _, name := range names {
		if name == "" {
			continue
		}
		path, err := filepath.Rel(rel, name)
		if err != nil {
			path = name
		}
		files = append(files, filepath.ToSlash(path))
	}
	return files, true, nil
}
