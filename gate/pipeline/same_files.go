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
	"github.com/org/perfgate/kernels"
)

// Bounds of comparing two folders that git knows nothing about.
const (
	mostCompared      = 20000
	mostComparedBytes = 256 << 20 // of one file
)

var errTooMany = errors.New("more files than are compared")

// otherFile names a file that a kernel could read at run time and that is not the same on both sides, or says what is in the way of
// telling; "" where there is none. Comments and blanks of C, C++ and CUDA are no difference, even to what compiles at run time. leftOut, which may
// be nil, says of which files it is known that the kernel reads them on neither side.
func otherFile(opt Options, leftOut func(file string) bool) string {
	base, head, files := opt.Base, opt.Head, opt.ChangedFiles
	if !opt.ChangesKnown {
		var err error
		if files, err = allFiles(base, head); err != nil {
			return "files that could not be compared: " + err.Error()
		}
	}
	for _, file := range files {
		if leftOut != nil && leftOut(file) {
			continue
		}
		was, err1 := readWhole(filepath.Join(base.Tree, file))
		is, err2 := readWhole(filepath.Join(head.Tree, file))
		if err1 != nil || err2 != nil || !kernels.SameCode(file, was, is) {
			return file + ", which differs"
		}
	}
	return ""
}

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

// readWhole reads a regular file, or where a link leads that stays in its side.
func readWhole(path string) ([]byte, error) {
	if to, err := os.Readlink(path); err == nil && filepath.IsLocal(to) {
		return []byte(to), nil
	}
	return untrusted.Read(path, mostComparedBytes)
}
