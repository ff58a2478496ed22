package repo

import (
	"context"
	"strings"
)

// Entry is what a tree has under a name: its mode as git writes it, and its object. The zero value is nothing.
type Entry struct{ Mode, SHA string }

// Modes of entries.
const (
	ModeFolder = "040000"
	ModeLink   = "120000"
	ModeModule = "160000" // a commit of another repository
)

// parseEntry reads a line of ls-tree; the zero Entry if it is none.
func parseEntry(line string) (Entry, string) {
	meta, path, _ := strings.Cut(line, "\t")
	fields := strings.Fields(meta)
	if len(fields) != 3 {
		return Entry{}, ""
	}
	return Entry{Mode: fields[0], SHA: fields[2]}, path
}

// Entry looks up a path in a commit. A link in the place of one of its folders is not followed, and nothing is found behind it.
func (g Git) Entry(ctx context.Context, commit, path string) (Entry, error) {
	listing, err := g.Output(ctx, "ls-tree", "-z", "--full-tree", commit, "--", path)
	e, name := parseEntry(strings.TrimSuffix(listing, "\x00"))
	if err != nil || name != path {
		return Entry{}, err
	}
	return e, nil
}

// Entries lists all that a commit has, by path: files, links and submodules.
func (g Git) Entries(ctx context.Context, commit string) (map[string]Entry, error) {
	listing, err := g.list(ctx, "ls-tree", "-r", "-z", "--full-tree", commit)
	found := map[string]Entry{}
	for _, line := range listing {
		e, path := parseEntry(line)
		found[path] = e
	}
	return found, err
}

// Blob returns the content of a file, or where a link leads.
func (g Git) Blob(ctx context.Context, object string) ([]byte, error) {
	text, err := g.Output(ctx, "cat-file", "blob", object)
	return []byte(text), err
}
