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

// Entries lists all that a commit has, by path: files, links, folders and submodules.
func (g Git) Entries(ctx context.Context, commit string) (map[string]Entry, error) {
	listing, err := g.list(ctx, "ls-tree", "-r", "-t", "-z", "--full-tree", commit)
	found := map[string]Entry{}
	for _, line := range listing {
		meta, path, _ := strings.Cut(line, "\t")
		if fields := strings.Fields(meta); len(fields) == 3 {
			found[path] = Entry{Mode: fields[0], SHA: fields[2]}
		}
	}
	return found, err
}

// Blob returns the content of a file, or where a link leads.
func (g Git) Blob(ctx context.Context, object string) ([]byte, error) {
	text, err := g.Output(ctx, "cat-file", "blob", object)
	return []byte(text), err
}
