package repo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// RealPath is a path without links. Its end need not exist: a link that points to nothing yet leads there all the same.
func RealPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return resolveLinks(path, maxLinks)
}

// maxLinks is how many links a path may lead through.
const maxLinks = 40

func resolveLinks(path string, links int) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if links == 0 || path == filepath.Dir(path) {
		return "", err
	}
	parent, err := resolveLinks(filepath.Dir(path), links-1)
	if err != nil {
		return "", err
	}
	path = filepath.Join(parent, filepath.Base(path))
	to, err := os.Readlink(path)
	if err != nil {
		return path, nil
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(parent, to)
	}
	return resolveLinks(to, links-1)
}
