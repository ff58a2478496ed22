package search

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/org/perfgate/gate/repo"
)

// Most that a tree of a candidate may hold: it is copied for every call.
const (
	mostFiles = 100_000
	mostBytes = 1 << 30
)

// ErrTree says that a folder cannot be a candidate.
var ErrTree = errors.New("this cannot be a candidate")

// copyTree copies a folder that others may write to into a new one. Anything called .git stays behind, and so do the folders of except, which are paths
// without links as from is. Links are copied as links. What is neither a file nor a folder nor a link, a name that is no UTF-8 or that git keeps for
// itself, and more than mostFiles or mostBytes are an ErrTree.
func copyTree(from, to string, except ...string) error {
	c := copier{to: to}
	if err := c.walk(from, except); err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	return nil
}

type copier struct {
	to      string
	entries int
	bytes   int64
}

func (c *copier) walk(from string, except []string) error {
	root, err := os.OpenRoot(from) // nothing outside is reached, even where folders are exchanged for links meanwhile
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.Name() == ".git" || slices.Contains(except, filepath.Join(from, path)):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if err := c.check(path, entry); err != nil {
			return err
		}
		switch {
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(c.to, path), 0o755)
		case entry.Type()&fs.ModeSymlink != 0:
			return c.link(root, path)
		}
		return c.file(root, path)
	})
}

// check refuses too many entries, what no tree of git can hold, and names that JSON could not give back.
func (c *copier) check(path string, entry fs.DirEntry) error {
	name, isLink := entry.Name(), entry.Type()&fs.ModeSymlink != 0
	switch c.entries++; {
	case c.entries > mostFiles:
		return fmt.Errorf("%w: it holds more than %d files and folders. Name a git revision or a patch, or keep what a build makes elsewhere", ErrTree, mostFiles)
	case !utf8.ValidString(path):
		return fmt.Errorf("%w: the name %q is no UTF-8: rename it", ErrTree, path)
	case strings.EqualFold(name, ".git") || isLink && strings.EqualFold(name, ".gitmodules"):
		return fmt.Errorf("%w: git keeps the name of %s for itself: rename it", ErrTree, path)
	case !isLink && !entry.IsDir() && !entry.Type().IsRegular():
		return fmt.Errorf("%w: %s is neither a file nor a folder nor a link", ErrTree, path)
	}
	return nil
}

func (c *copier) link(root *os.Root, path string) error {
	to, err := root.Readlink(path)
	if err != nil {
		return err
	}
	if !utf8.ValidString(to) {
		return fmt.Errorf("%w: the link %s leads to %q, which is no UTF-8", ErrTree, path, to)
	}
	return os.Symlink(to, filepath.Join(c.to, path))
}

func (c *copier) file(root *os.Root, path string) (err error) {
	in, err := root.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return cmp.Or(err, fmt.Errorf("%w: %s changed while it was copied", ErrTree, path))
	}
	mode := fs.FileMode(0o644)
	if info.Mode()&0o100 != 0 {
		mode = 0o755
	}
	out, err := os.OpenFile(filepath.Join(c.to, path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, out.Close()) }()
	n, err := io.Copy(out, io.LimitReader(in, mostBytes-c.bytes+1))
	if c.bytes += n; err == nil && c.bytes > mostBytes {
		err = fmt.Errorf("%w: it holds more than %d MiB. Name a git revision or a patch, or keep what a build makes elsewhere", ErrTree, mostBytes>>20)
	}
	return err
}

// checkLinks refuses links of a candidate that lead out of its folder: what they lead to is not judged with it, and could be another candidate's.
// Those that base has, too, are base's affair. Both are folders that copyTree made.
func checkLinks(base, candidate string) error {
	was, err := linksOf(base)
	if err != nil {
		return err
	}
	is, err := linksOf(candidate)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(candidate)
	if err != nil {
		return fmt.Errorf("read the links of %s: %w", candidate, err)
	}
	defer root.Close()
	for _, path := range slices.Sorted(maps.Keys(is)) {
		if was[path] == is[path] {
			continue
		}
		if _, err := root.Stat(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: the link %s leads to %s, which is not in it: put a copy there", ErrTree, path, is[path])
		}
	}
	return nil
}

// linksOf are the links of a folder, by path, with where each leads.
func linksOf(folder string) (map[string]string, error) {
	found := map[string]string{}
	err := repo.Walk(folder, func(path string, kind fs.FileMode) (err error) {
		if kind&fs.ModeSymlink != 0 {
			found[path], err = os.Readlink(filepath.Join(folder, path))
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find links: %w", err)
	}
	return found, nil
}
