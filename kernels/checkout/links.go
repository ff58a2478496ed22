package checkout

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// RealPath is a path without links. Its end need not exist: a link that points to nothing yet leads there all the same.
func RealPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return resolveLinks(path, mostLinks)
}

// mostLinks are as many as the kernel follows.
const mostLinks = 40

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

// way lists the links that a path leads through, from a folder without links, and its end: each without links in the folders before it.
// whole is false where it leads through more links than the kernel follows.
func way(from, path string, links int) (places []string, whole bool) {
	name, rest, _ := strings.Cut(strings.TrimLeft(path, "/"), "/")
	at := filepath.Join(from, name)
	to, err := os.Readlink(at)
	switch {
	case name == "":
		return []string{from}, true
	case err != nil:
		return way(at, rest, links)
	case links == 0:
		return nil, false
	case filepath.IsAbs(to):
		from = "/"
	}
	places, whole = way(from, to+"/"+rest, links-1)
	return append([]string{at}, places...), whole
}

// Around is the top folder of the checkout that dir lies in; "" where it lies in none. Like Top it asks no git.
func Around(dir string) string {
	top := Top(dir)
	if _, err := os.Lstat(filepath.Join(top, ".git")); err != nil {
		return ""
	}
	return top
}

// Top is the top folder of the checkout that dir lies in, or dir where it lies in none. It asks no git, which may refuse the
// repository.
func Top(dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d
		}
		if d == filepath.Dir(d) {
			return dir
		}
	}
}
