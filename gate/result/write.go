package result

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// WriteFile writes r to path, all of it or nothing: into a temporary file beside it, flushed to the disk and then
// renamed. What was at path stays there when anything fails. The folder must exist.
func WriteFile(path string, r *Result) error {
	if err := ReplaceFile(path, func(w io.Writer) error { return Write(w, r) }); err != nil {
		return writeError(path, err)
	}
	return nil
}

// writeError says what went wrong about path, which the caller knows, not about the temporary file, which is gone.
func writeError(path string, err error) error {
	var inner *fs.PathError
	var moved *os.LinkError
	switch {
	case errors.As(err, &inner):
		err = inner.Err
	case errors.As(err, &moved):
		err = moved.Err
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("write result %s: the disk is full, nothing was written: %w", path, err)
	}
	return fmt.Errorf("write result %s: %w", path, err)
}

// Write writes r as indented JSON and a newline. A result that Read would refuse is an error, and nothing is written.
func Write(w io.Writer, r *Result) error {
	out := *r
	out.Policy.Rule = RuleVersion
	if err := Check(&out); err != nil {
		return err
	}
	return Encode(w, out)
}

// Encode writes a document as indented JSON and a newline, as Write writes results.
func Encode(w io.Writer, document any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false) // repro lines are for people: && stays &&
	return enc.Encode(document)
}

// ReplaceFile puts what write writes at path in one step, through a file beside it whose name is path's, something and ".tmp". What was at
// path stays there when anything fails.
func ReplaceFile(path string, write func(io.Writer) error) (err error) {
	f, err := createBeside(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	buffered := bufio.NewWriterSize(f, 1<<16)
	if err := write(buffered); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	// Without this a crash right after the rename can leave an empty file under the final name.
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

// createBeside makes a new file in path's folder with the mode that the umask leaves, which os.CreateTemp would not:
// the report job may run as another user.
func createBeside(path string) (*os.File, error) {
	for n := 0; ; n++ {
		name := fmt.Sprintf("%s.%d-%d.tmp", path, os.Getpid(), n)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) && n < 100 {
			continue
		}
		return f, err
	}
}

// SyncFolder makes it last that files of a folder were made or renamed. Some file systems cannot sync a folder: then nothing better can be done.
func SyncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
