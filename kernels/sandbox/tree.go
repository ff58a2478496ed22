package sandbox

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Without covers a folder, but for what lies in folders of the names hidden, at any depth: the paths that together hold all
// else. A folder without such is its own cover. Landlock can only allow, and what it allows it allows with all below, so a
// name in a folder that holds a hidden one is in the cover only if it is there now.
//
// folders are those that have a hidden one below, whose own list of names no path of the cover allows.
//
// Its use is .git: a checkout's holds the token that it was fetched with, and hooks.
func Without(root string, hidden ...string) (paths, folders []string, err error) {
	around := map[string]bool{} // folders that have a hidden one somewhere below
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			if path == root {
				return err
			}
			return nil // unreadable for us: unreadable for the sandbox
		}
		if !entry.IsDir() || !slices.Contains(hidden, entry.Name()) || path == root {
			return nil
		}
		for dir := filepath.Dir(path); !around[dir]; dir = filepath.Dir(dir) {
			around[dir] = true
			if dir == root {
				break
			}
		}
		return fs.SkipDir
	})
	if err != nil {
		return nil, nil, err
	}
	paths, err = cover(root, hidden, around)
	return paths, slices.Sorted(maps.Keys(around)), err
}

func cover(dir string, hidden []string, around map[string]bool) ([]string, error) {
	if !around[dir] {
		return []string{dir}, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if slices.Contains(hidden, e.Name()) || e.Type()&fs.ModeSymlink != 0 {
			continue // what a link points to is allowed, or not, by itself
		}
		below, err := cover(filepath.Join(dir, e.Name()), hidden, around)
		if err != nil {
			return nil, err
		}
		out = append(out, below...)
	}
	return out, nil
}
