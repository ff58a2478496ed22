package repo

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/org/perfgate/gate/config"
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

// Matching are the files of a folder that patterns name, by their paths with slashes, each with what it is: the mode and a hash of the
// content, or where a link leads. What git keeps is left out, and no link is followed.
func Matching(folder string, patterns []string) (map[string]string, error) {
	found := map[string]string{}
	if len(patterns) == 0 {
		return found, nil
	}
	err := Walk(folder, func(file string, kind fs.FileMode) error {
		name := filepath.ToSlash(file)
		if kind.IsDir() || !config.MatchesAny(patterns, name) {
			return nil
		}
		var err error
		found[name], err = identity(filepath.Join(folder, file), kind)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the files of a benchmark: %w", err)
	}
	return found, nil
}

// identity is the same for files that are the same.
func identity(file string, kind fs.FileMode) (string, error) {
	switch {
	case kind&fs.ModeSymlink != 0:
		to, err := os.Readlink(file)
		return "link " + to, err
	case !kind.IsRegular():
		return kind.String(), nil
	}
	f, err := untrusted.Open(file, untrusted.NoLimit)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return fmt.Sprintf("%t %s", info.Mode()&0o100 != 0, hex.EncodeToString(h.Sum(nil))), err
}

// Differing are the files that one side has and the other has not, or has otherwise, in order.
func Differing(a, b map[string]string) []string {
	var out []string
	for file, is := range a {
		if b[file] != is {
			out = append(out, file)
		}
	}
	for file := range b {
		if _, both := a[file]; !both {
			out = append(out, file)
		}
	}
	slices.Sort(out)
	return out
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
		if err := root.RemoveAll(filepath.FromSlash(file)); err != nil && !errors.Is(err, fs.ErrNotExist) && !isNoFolder(root, file) {
			return fmt.Errorf("lay a benchmark's files: %w", err)
		}
	}
	for _, file := range differing {
		info, err := os.Lstat(filepath.Join(from, file))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			continue
		}
		if err == nil {
			err = makeFolders(root, path.Dir(file))
		}
		if err == nil {
			err = copyFile(filepath.Join(from, file), filepath.Join(to, file), info.Mode().Type())
		}
		if err != nil {
			return fmt.Errorf("lay a benchmark's files: %w", err)
		}
	}
	return nil
}

// isNoFolder says whether a part of the way to a file is none: then the file is not there.
func isNoFolder(root *os.Root, file string) bool {
	for at := path.Dir(file); at != "."; at = path.Dir(at) {
		if info, err := root.Lstat(at); err == nil && !info.IsDir() {
			return true
		}
	}
	return false
}

// makeFolders makes folders of what is in the way, such as a link to another folder.
func makeFolders(root *os.Root, dir string) error {
	if dir == "." {
		return nil
	}
	if err := makeFolders(root, path.Dir(dir)); err != nil {
		return err
	}
	info, err := root.Lstat(dir)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		if err := root.Remove(dir); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return root.Mkdir(dir, 0o755)
}
