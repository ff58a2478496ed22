package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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

// NotApart says that a folder lies in one of the checkouts, or one of them in it, whichever links lead there; "" where neither is so.
func NotApart(place string, checkouts ...string) (why string, err error) {
	real, err := RealPath(place)
	if err != nil {
		return "", fmt.Errorf("where it is cannot be found out: %w", err)
	}
	for _, root := range checkouts {
		realRoot, err := filepath.EvalSymlinks(root)
		if err != nil {
			return "", fmt.Errorf("where the checkout is cannot be found out: %w", err)
		}
		if liesIn(real, realRoot) {
			return "it lies in the checkout " + root, nil
		}
		if liesIn(realRoot, real) {
			return "the checkout " + root + " lies in it", nil
		}
	}
	return "", nil
}

// GitWithin is the git on the PATH where it, or a link on the way to it, lies in a folder. "" where none does, or there is no git.
func GitWithin(folder string) string {
	path, err := exec.LookPath("git")
	if err != nil || !Within(path, folder) {
		return ""
	}
	return path
}

// Within says whether a path, or a link on the way to it, lies in a folder, so that whoever may change that says what is found at the path. A
// folder that cannot be looked at may be any.
func Within(path, folder string) bool {
	path, err := filepath.Abs(path)
	if err != nil {
		return true
	}
	root, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return true
	}
	return slices.ContainsFunc(way("/", path, maxLinks), func(place string) bool { return liesIn(place, root) })
}

// liesIn says whether a path without links is a folder or lies in it, by the file system and not by its spelling, so that a second
// mount of a folder is the same.
func liesIn(path, folder string) bool {
	want, err := os.Stat(folder)
	if err != nil {
		rel, err := filepath.Rel(folder, path)
		return err == nil && filepath.IsLocal(rel)
	}
	for ; ; path = filepath.Dir(path) {
		if info, err := os.Stat(path); err == nil && os.SameFile(info, want) {
			return true
		}
		if path == filepath.Dir(path) {
			return false
		}
	}
}

// Tracked is the file of the checkout that git keeps and that an absolute path leads through or to, by its path in the checkout; "" where there
// is none. Whoever changes that file says what is found at the path.
func (g Git) Tracked(ctx context.Context, path string) (string, error) {
	top, err := g.Root(ctx)
	if err != nil {
		return "", err
	}
	ask := []string{"ls-files", "-z", "--"}
	for _, name := range way("/", path, maxLinks) {
		if rel, err := filepath.Rel(top, name); err == nil && filepath.IsLocal(rel) && rel != "." {
			ask = append(ask, rel)
		}
	}
	if ask[len(ask)-1] == "--" {
		return "", nil
	}
	g.Dir = top
	names, err := g.Output(ctx, ask...)
	first, _, _ := strings.Cut(names, "\x00")
	return first, err
}

// way lists the links that a path leads through, from a folder without links, and its end: each without links in the folders before it.
func way(from, path string, links int) []string {
	name, rest, _ := strings.Cut(strings.TrimLeft(path, "/"), "/")
	at := filepath.Join(from, name)
	to, err := os.Readlink(at)
	switch {
	case name == "" || links == 0:
		return []string{from}
	case err != nil:
		return way(at, rest, links)
	case filepath.IsAbs(to):
		from = "/"
	}
	return append([]string{at}, way(from, to+"/"+rest, links-1)...)
}
