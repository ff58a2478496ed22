// Package untrusted reads files that somebody else may have made: a pull request, a build, code under test. Nothing is waited for, nothing but
// regular files is read, and no more of them than a limit. How a way to a file is followed is said by the name of the function. Errors of what is
// not such a file do not name it: the caller does.
//
//	path, limit -> a regular file of at most that size, or an error
package untrusted

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// NoLimit is the limit of a caller that reads a part of a file.
const NoLimit = math.MaxInt64 - 1

// noWait is for all: the opening of a pipe without a writer, or of a file that somebody has a lease on, waits otherwise.
const noWait = os.O_RDONLY | syscall.O_NONBLOCK

// Open opens the regular file at path, which is no link, in a folder of perfgate's. More than limit bytes are an error.
func Open(path string, limit int64) (*os.File, error) {
	f, err := os.OpenFile(path, noWait|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, errors.New("it is a link, and not a regular file")
	}
	return checked(f, limit, err)
}

// ErrLeaves is the error of a link, or of a path, that leads out of a folder.
var ErrLeaves = errors.New("it is outside of the folder, or reached by a symbolic link that leaves the folder")

// OpenIn opens a regular file below a folder. Links are followed where they stay in it: one that leads out is ErrLeaves.
func OpenIn(dir, path string, limit int64) (*os.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(filepath.Clean(path), noWait, 0)
	var errno syscall.Errno
	if err != nil && !errors.As(err, &errno) { // os has no error by which to know it, but it is the one refusal that is not the system's
		err = ErrLeaves
	}
	return checked(f, limit, err)
}

// OpenLinked opens the regular file that links lead to from path, wherever that is: one that the system or the user names, or of which no
// more is said than a hash.
func OpenLinked(path string, limit int64) (*os.File, error) {
	f, err := os.OpenFile(path, noWait, 0)
	return checked(f, limit, err)
}

func checked(f *os.File, limit int64, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = errors.New("it is not a regular file")
	case info.Size() > limit:
		err = TooLargeError{limit}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// TooLargeError says that a file has more bytes than are read.
type TooLargeError struct{ Limit int64 }

func (e TooLargeError) Error() string {
	if e.Limit < 1<<20 {
		return fmt.Sprintf("it is larger than %d bytes", e.Limit)
	}
	return fmt.Sprintf("it is larger than %d MiB", e.Limit>>20)
}

// Read reads what Open opens.
func Read(path string, limit int64) ([]byte, error) { return whole(limit)(Open(path, limit)) }

// ReadIn reads what OpenIn opens.
func ReadIn(dir, path string, limit int64) ([]byte, error) {
	return whole(limit)(OpenIn(dir, path, limit))
}

// ReadLinked reads what OpenLinked opens.
func ReadLinked(path string, limit int64) ([]byte, error) {
	return whole(limit)(OpenLinked(path, limit))
}

// whole reads an opened file, which may grow while it is read.
func whole(limit int64) func(*os.File, error) ([]byte, error) {
	return func(f *os.File, err error) ([]byte, error) {
		if err != nil {
			return nil, err
		}
		defer f.Close()
		data, err := io.ReadAll(io.LimitReader(f, limit+1))
		if err == nil && int64(len(data)) > limit {
			err = TooLargeError{limit}
		}
		return data, err
	}
}

// mostEntries is how many entries of a folder are listed.
const mostEntries = 100_000

// FS is a folder of files that OpenIn opens. Folders in it are listed where links do not lead out of it, and are opened in no other way.
func FS(dir string, limit int64) fs.FS { return folder{dir, limit} }

type folder struct {
	dir   string
	limit int64
}

func (d folder) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	f, err := OpenIn(d.dir, filepath.FromSlash(name), d.limit)
	if err != nil { // a nil *os.File is no nil fs.File
		return nil, err
	}
	return f, nil
}

func (d folder) ReadDir(name string) ([]fs.DirEntry, error) {
	root, err := os.OpenRoot(d.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(filepath.FromSlash(name), noWait|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(mostEntries + 1)
	if len(entries) > mostEntries {
		return nil, fmt.Errorf("the folder %s has more than %d entries", name, mostEntries)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}
