package repo

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/untrusted"
)

// all names every file.
var all = []string{"**"}

// Differing lists the files of two folders, of those that patterns name, that are not alike, by their paths with slashes: in what they are, in
// content, in being executable, or in where a link leads. has says which folder has any. What git keeps is left out, and no link is followed.
func Differing(a, b string, patterns []string) (files []string, has [2]bool, err error) {
	for i, folder := range []string{a, b} {
		found, err := matching(folder, patterns)
		if err != nil {
			return nil, has, fmt.Errorf("list the sides' files: %w", err)
		}
		files, has[i] = append(files, found...), len(found) > 0
	}
	slices.Sort(files)
	files = slices.DeleteFunc(slices.Compact(files), func(file string) bool {
		same, sameErr := sameEntry(filepath.Join(a, file), filepath.Join(b, file))
		err = cmp.Or(err, sameErr)
		return same
	})
	if err != nil {
		return nil, has, fmt.Errorf("compare the sides' files: %w", err)
	}
	return files, has, nil
}

// matching are the files of a folder that patterns name; none of one that is not there.
func matching(folder string, patterns []string) (files []string, err error) {
	if _, err := os.Lstat(folder); len(patterns) == 0 || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	err = Walk(folder, func(file string, kind fs.FileMode) error {
		if name := filepath.ToSlash(file); !kind.IsDir() && config.MatchesAny(patterns, name) {
			files = append(files, name)
		}
		return nil
	})
	return files, err
}

func sameEntry(a, b string) (bool, error) {
	one, err1 := os.Lstat(a)
	two, err2 := os.Lstat(b)
	switch err := errors.Join(err1, err2); {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return false, nil
	case err != nil:
		return false, err
	case one.Mode().Type() != two.Mode().Type() || one.Mode()&0o100 != two.Mode()&0o100:
		return false, nil
	case one.Mode().IsRegular():
		if one.Size() != two.Size() {
			return false, nil
		}
		return sameContent(a, b)
	case one.Mode()&fs.ModeSymlink != 0:
		to, err1 := os.Readlink(a)
		other, err2 := os.Readlink(b)
		return to == other, errors.Join(err1, err2)
	}
	return false, nil
}

// sameContent compares two files as they are read, with neither held whole.
func sameContent(a, b string) (bool, error) {
	one, err := untrusted.Open(a, untrusted.NoLimit)
	if err != nil {
		return false, err
	}
	defer one.Close()
	two, err := untrusted.Open(b, untrusted.NoLimit)
	if err != nil {
		return false, err
	}
	defer two.Close()
	const piece = 64 << 10
	was, is := make([]byte, piece), make([]byte, piece)
	for {
		n, err1 := io.ReadFull(one, was)
		m, err2 := io.ReadFull(two, is)
		switch {
		case !bytes.Equal(was[:n], is[:m]):
			return false, nil
		case errors.Is(err1, io.EOF) || errors.Is(err1, io.ErrUnexpectedEOF):
			return true, nil
		case err1 != nil || err2 != nil:
			return false, errors.Join(err1, err2)
		}
	}
}
