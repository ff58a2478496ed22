package repo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/org/perfgate/gate/untrusted"
)

// differences lists the files that two folders do not have alike, by their paths: in what they are, in content, in being executable, or in where a
// link leads. Nobody is asked but the file system.
func differences(a, b string) ([]string, error) {
	var out []string
	err := eachFile(a, func(file string) error {
		same, err := sameEntry(filepath.Join(a, file), filepath.Join(b, file))
		if !same {
			out = append(out, filepath.ToSlash(file))
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("compare the sides' files: %w", err)
	}
	err = eachFile(b, func(file string) error {
		if info, err := os.Lstat(filepath.Join(a, file)); err != nil || info.IsDir() {
			out = append(out, filepath.ToSlash(file))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("compare the sides' files: %w", err)
	}
	slices.Sort(out)
	return out, nil
}

func eachFile(folder string, f func(file string) error) error {
	return Walk(folder, func(file string, kind fs.FileMode) error {
		if kind.IsDir() {
			return nil
		}
		return f(file)
	})
}

func sameEntry(a, b string) (bool, error) {
	one, err := os.Lstat(a)
	if err != nil {
		return false, err
	}
	two, err := os.Lstat(b)
	switch {
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
