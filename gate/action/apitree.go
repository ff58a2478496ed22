package action

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/repo"
)

// apiTree is the repository as the API has it. Nothing is asked twice.
type apiTree struct {
	client *github.Client
	trees  map[string]github.Tree
	blobs  map[string][]byte
}

func newAPITree(client *github.Client) *apiTree {
	return &apiTree{client, map[string]github.Tree{}, map[string][]byte{}}
}

// tree lists a commit or folder; only where GitHub cuts that off, whole is false and the list is of the
// folder alone.
func (t *apiTree) tree(ctx context.Context, name string) (github.Tree, error) {
	if known, ok := t.trees[name]; ok {
		return known, nil
	}
	tree, err := t.client.Tree(ctx, name, true)
	if err == nil && !tree.Whole {
		tree, err = t.client.Tree(ctx, name, false)
		if err == nil && !tree.Whole {
			err = fmt.Errorf("GitHub lists no more than a part of the folder %.80q", name)
		}
		tree.Whole = false
	}
	if err == nil {
		t.trees[name] = tree
	}
	return tree, err
}

func (t *apiTree) Entry(ctx context.Context, commit, file string) (repo.Entry, error) {
	tree, err := t.tree(ctx, commit)
	if err != nil {
		return repo.Entry{}, err
	}
	if e, ok := tree.Entries[file]; ok || tree.Whole {
		return repo.Entry(e), nil
	}
	folder, rest, deeper := strings.Cut(file, "/")
	if !deeper || tree.Entries[folder].Mode != repo.ModeFolder {
		return repo.Entry{}, nil
	}
	return t.Entry(ctx, tree.Entries[folder].SHA, rest)
}

func (t *apiTree) Blob(ctx context.Context, object string) ([]byte, error) {
	if known, ok := t.blobs[object]; ok {
		return known, nil
	}
	content, err := t.client.Blob(ctx, object)
	if err == nil {
		t.blobs[object] = content
	}
	return content, err
}

// Changed compares the listings of two commits, and of their folders where GitHub cuts the listing of all off.
func (t *apiTree) Changed(ctx context.Context, commits ...string) ([]string, error) {
	return t.changed(ctx, commits[0], commits[1], "")
}

func (t *apiTree) changed(ctx context.Context, a, b, folder string) (files []string, err error) {
	var trees [2]github.Tree
	for i, name := range []string{a, b} {
		if name == "" { // the other alone has the folder
			trees[i].Whole = true
		} else if trees[i], err = t.tree(ctx, name); err != nil {
			return nil, err
		}
	}
	whole := trees[0].Whole && trees[1].Whole
	for i, tree := range trees {
		for name, entry := range tree.Entries {
			other, both := trees[1-i].Entries[name]
			if entry == other || both && i == 1 || !whole && strings.Contains(name, "/") {
				continue
			}
			if !whole && (entry.Mode == repo.ModeFolder || other.Mode == repo.ModeFolder) {
				below, err := t.changed(ctx, folderOf(entry), folderOf(other), path.Join(folder, name))
				if err != nil {
					return nil, err
				}
				files = append(files, below...)
			}
			if entry.Mode != repo.ModeFolder || both && other.Mode != repo.ModeFolder {
				files = append(files, path.Join(folder, name))
			}
		}
	}
	slices.Sort(files)
	return files, nil
}

// folderOf is the object of a folder; "" where the entry is none.
func folderOf(e github.Entry) string {
	if e.Mode == repo.ModeFolder {
		return e.SHA
	}
	return ""
}

// headFile reads a file of head. Where head does not change it, it is base's, and need not be asked for.
func (t *apiTree) headFile(ctx context.Context, file, head string, change github.Change) ([]byte, bool, error) {
	if change.AllFiles && !slices.Contains(change.Files, file) {
		at, err := follow(ctx, t, change.MergeBase, file)
		if err != nil {
			return nil, false, err
		}
		if at.place == file && at.Mode != "" && at.Mode != repo.ModeModule { // else a link on the way may have changed
			return read(ctx, t, change.MergeBase, file)
		}
	}
	return t.client.File(ctx, file, head)
}
