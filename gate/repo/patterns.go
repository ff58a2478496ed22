package repo

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/org/perfgate/gate/untrusted"
)

// Walk calls f with the path of everything within a folder, "." for itself, and with what it is: a folder, a regular file, a link,
// which is not followed, or another. What git keeps is left out. It ends with the first error.
func Walk(folder string, f func(path string, kind fs.FileMode) error) error {
	return filepath.WalkDir(folder, func(at string, entry fs.DirEntry, err error) error {
		path, relErr := filepath.Rel(folder, at)
		switch {
		case err != nil || relErr != nil:
			return cmp.Or(err, relErr)
		case path == "." || entry.Name() != ".git":
			return f(path, entry.Type())
		case entry.IsDir():
			return fs.SkipDir
		}
		return nil
	})
}

// CopyTree copies a folder with its links, without what git keeps of it. to must not exist.
func CopyTree(from, to string) error {
	return Walk(from, func(path string, kind fs.FileMode) error {
		if kind.IsDir() {
			return os.MkdirAll(filepath.Join(to, path), 0o755)
		}
		return copyFile(filepath.Join(from, path), filepath.Join(to, path), kind)
	})
}

func copyFile(from, to string, kind fs.FileMode) error {
	if kind&fs.ModeSymlink != 0 {
		link, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(link, to)
	}
	if !kind.IsRegular() {
		return nil // a pipe or a socket is no part of a side
	}
	in, err := untrusted.Open(from, untrusted.NoLimit)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// LayOver makes the files of a folder that patterns name those of another: what differs is replaced, and what only to has is removed. No
// link of to is followed.
func LayOver(from, to string, differing []string) error {
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, file := range differing {
		if err := root.RemoveAll(file); err != nil && !errors.Is(err, fs.ErrNotExist) && obstacle(root, path.Dir(file)) == "" {
			return fmt.Errorf("remove a benchmark's file: %w", err)
		}
	}
	for _, file := range differing {
		if !isThere(filepath.Join(from, file)) {
			continue
		}
		if at := obstacle(root, path.Dir(file)); at != "" {
			err = root.Remove(at)
		}
		if err = cmp.Or(err, root.MkdirAll(path.Dir(file), 0o755)); err == nil {
			err = copyPlain(from, to, file)
		}
		if err != nil {
			return fmt.Errorf("copy a benchmark's file: %w", err)
		}
	}
	return nil
}

// obstacle is what is in the way of a folder, such as a file, or a link to another folder; "" where nothing is.
func obstacle(root *os.Root, dir string) string {
	for i, c := range dir + "/" {
		if c != '/' {
			continue
		}
		if info, err := root.Lstat(dir[:i]); err == nil && !info.IsDir() {
			return dir[:i]
		}
	}
	return ""
}
