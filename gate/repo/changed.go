package repo

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// differ are git's arguments for a difference that no configuration changes: whole, and of all files, whatever head's .gitmodules
// wants to be ignored.
var differ = []string{"diff", "--no-relative", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none"}

// Changed lists the files that differ between two commits, within the repository.
func (g Git) Changed(ctx context.Context, commits ...string) ([]string, error) {
	return g.list(ctx, slices.Concat(differ, []string{"--name-only", "-z"}, commits, []string{"--"})...)
}

// hunk matches the head of a hunk, as POSIX diff -u defines it: a count that is missing is 1. No other line of the difference of a file begins so.
var hunk = text.Pattern(`(?m)^@@ -[0-9,]+ \+([0-9]{1,9})(?:,([0-9]{1,9}))? @@`)

// mostHunks bounds what is read of a change: it is for people.
const mostHunks = 10_000

// ChangedLines returns the first and the last line, from 1, of each place of a file that head added or changed; where lines were only removed,
// the one before them. A file that is gone has none.
func (g Git) ChangedLines(ctx context.Context, base, head, file string) (places [][2]int, err error) {
	diff, err := g.Output(ctx, slices.Concat(differ, []string{"--unified=0", "--inter-hunk-context=0", "--no-color", "--diff-filter=d", base, head, "--", file})...)
	for _, found := range hunk().FindAllStringSubmatch(diff, mostHunks) {
		start, _ := strconv.Atoi(found[1])
		count, isOne := strconv.Atoi(found[2])
		if isOne != nil {
			count = 1
		}
		start = max(1, start)
		places = append(places, [2]int{start, max(start, start+count-1)})
	}
	return places, err
}

// Changed lists the files that differ between the sides, relative to the folder rel of the repository; "../" leads
// out of it. known is false where that cannot be told: one of the sides is a plain folder.
func (p Pair) Changed(ctx context.Context, dir, rel string) (files []string, known bool, err error) {
	if p.Base.Info.Kind != result.KindRevision || p.Head.Info.Revision == "" {
		return nil, false, nil
	}
	var names []string
	if p.Head.Info.Kind == result.KindWorktree {
		names, _, err = Differing(p.Base.Root, p.Head.Root, all)
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
	return Git{Dir: dir}.list(ctx, "ls-files", "--others", "--ignored", "--exclude-standard", "-z")
}
