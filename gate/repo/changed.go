package repo

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// differ are git's arguments for a difference that no configuration changes: whole, and of all files, whatever head's .gitmodules
// wants to be ignored.
var differ = []string{"diff", "--no-relative", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none"}

// Changed lists the files that differ between two commits, within the repository.
func (g Git) Changed(ctx context.Context, commits ...string) ([]string, error) {
	names, err := g.Output(ctx, slices.Concat(differ, []string{"--name-only", "-z"}, commits, []string{"--"})...)
	return words(names), err
}

// Diff is the difference of files of two commits in the form that github.ChangedLines reads.
func (g Git) Diff(ctx context.Context, base, head string, files ...string) (string, error) {
	form := []string{"--unified=0", "--inter-hunk-context=0", "--submodule=short", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"}
	return g.Output(ctx, slices.Concat(differ, form, []string{base, head, "--"}, files)...)
}

// words are what zero bytes end or part.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == 0 })
}

// Changed lists the files that differ between the sides, relative to the folder rel of the repository; "../" leads
// out of it. known is false where that cannot be told: one of the sides is a plain folder.
func (p Pair) Changed(ctx context.Context, dir, rel string) (files []string, known bool, err error) {
	if p.Base.Info.Kind != result.KindRevision || p.Head.Info.Revision == "" {
		return nil, false, nil
	}
	var names []string
	if p.Head.Info.Kind == result.KindWorktree {
		names, err = differences(p.Base.Root, p.Head.Root)
	} else {
		names, err = Git{Dir: dir}.Changed(ctx, p.Base.Info.Revision, p.Head.Info.Revision)
	}
	if err != nil {
		return nil, false, err
	}
	for _, name := range names {
		path, err := filepath.Rel(rel, name)
		if err != nil {
			path = name
		}
		files = append(files, filepath.ToSlash(path))
	}
	return files, true, nil
}

// Ignored are the files of a checkout that git leaves out of every revision because it ignores them, by their paths from dir.
func Ignored(ctx context.Context, dir string) ([]string, error) {
	listed, err := Git{Dir: dir}.Output(ctx, "ls-files", "--others", "--ignored", "--exclude-standard", "-z")
	return words(listed), err
}
