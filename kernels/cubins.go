package kernels

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// Cubin is GPU code that a framework compiled in a process of an adapter in Python.
type Cubin struct {
	Path     string
	Function string // as Triton names the file; other frameworks name it by a digest
}

// mostCubins bounds how many files of a cache are listed: code under test filled it.
const mostCubins = 4096

// Cubins are the files of GPU code below a folder of caches, in the order of their paths; none where the folder is not there.
func Cubins(caches string) []Cubin {
	var found []Cubin
	_ = filepath.WalkDir(caches, func(path string, entry fs.DirEntry, err error) error { // what cannot be read has nothing to show
		name, isCubin := strings.CutSuffix(filepath.Base(path), ".cubin")
		switch {
		case err != nil, !isCubin, !entry.Type().IsRegular():
			return nil
		case len(found) == mostCubins:
			return fs.SkipAll
		}
		found = append(found, Cubin{path, name})
		return nil
	})
	return found
}
