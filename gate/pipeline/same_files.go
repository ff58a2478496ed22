package pipeline

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels/observe"
)

// Bounds of comparing two folders that git knows nothing about.
const (
	mostCompared      = 20000
	mostComparedBytes = 256 << 20 // of one file
)

var errTooMany = errors.New("more files than are compared")

// allFiles lists the files of two folders, in order and from their configuration's folder.
func allFiles(base, head Side) ([]string, error) {
	names := map[string]bool{}
	for _, side := range []Side{base, head} {
		err := repo.Walk(side.root(), func(file string, kind fs.FileMode) error {
			switch {
			case kind.IsDir():
				return nil
			case len(names) > mostCompared:
				return errTooMany
			}
			name, err := filepath.Rel(side.Tree, filepath.Join(side.root(), file))
			names[name] = true
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}

// sameFiles says whether the same file or link is at two paths. Of folders that are called files, such as submodules, it is not known.
func sameFiles(a, b string) bool {
	return !isFolder(a) && !isFolder(b) && sameAt(a, b, observe.Opened)
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// readWhole reads a regular file, or where a link leads that stays in its side.
func readWhole(path string) ([]byte, error) {
	if to, err := os.Readlink(path); err == nil && filepath.IsLocal(to) {
		return []byte(to), nil
	}
	return untrusted.Read(path, mostComparedBytes)
}
