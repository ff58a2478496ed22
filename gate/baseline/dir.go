package baseline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/org/perfgate/gate/saved"
	"github.com/org/perfgate/gate/untrusted"
)

// Dir is a store in a folder: a file a record, a folder a machine.
type Dir struct {
	Path string
	spec string
}

// String returns the store as the configuration writes it.
func (d *Dir) String() string {
	if d.spec != "" {
		return d.spec
	}
	return "dir:" + d.Path
}

// List reads names only: its memory does not grow with the records.
func (d *Dir) List(ctx context.Context, prefix string) ([]string, error) {
	machines, err := names(d.Path)
	if err != nil {
		return nil, fmt.Errorf("list records: %w", err)
	}
	var keys []string
	for _, machine := range machines {
		if !strings.HasPrefix(machine+"/", prefix) && !strings.HasPrefix(prefix, machine+"/") || !machineWord().MatchString(machine) {
			continue
		}
		files, err := names(filepath.Join(d.Path, machine))
		if err != nil {
			return nil, fmt.Errorf("list records: %w", err)
		}
		for _, file := range files {
			if key := machine + "/" + file; strings.HasPrefix(key, prefix) && strings.HasSuffix(key, keySuffix) {
				keys = append(keys, key)
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// names lists a folder; one that is not there, or is none, is empty.
func names(path string) ([]string, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.IsDir() {
		return nil, err
	}
	return f.Readdirnames(-1)
}

// Get reads a record's file.
func (d *Dir) Get(_ context.Context, key string) ([]byte, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	f, err := untrusted.OpenLinked(d.file(key), untrusted.NoLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", key, ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("read record: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPacked+1))
	if err != nil {
		return nil, fmt.Errorf("read record: %w", err)
	}
	return data, nil
}

// Put replaces the file in one step: a reader, and a crash, sees the old record or the new one.
func (d *Dir) Put(_ context.Context, key string, data []byte) error {
	if err := checkKey(key); err != nil {
		return err
	}
	path := d.file(key)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), d.hide()); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	sweep(filepath.Dir(path))
	err := saved.Replace(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	return nil
}

// hide keeps a store at a desk out of git: its records are no change of the tree. A folder of another name may be meant to be committed.
func (d *Dir) hide() error {
	if filepath.Base(d.Path) != ".perfgate" {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(d.Path, ".gitignore"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString("*\n")
	return errors.Join(err, f.Close())
}

func (d *Dir) file(key string) string { return filepath.Join(d.Path, filepath.FromSlash(key)) }

// unfinished ends the names of files that are being written; no writer takes abandonedAfter for one.
const (
	unfinished     = ".tmp"
	abandonedAfter = time.Hour
)

// sweep removes what killed writers left. What it cannot remove is for the next writer.
func sweep(folder string) {
	files, _ := names(folder)
	for _, file := range files {
		if !strings.HasSuffix(file, unfinished) {
			continue
		}
		path := filepath.Join(folder, file)
		if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > abandonedAfter {
			os.Remove(path)
		}
	}
}

// Delete removes files, and machines' folders that became empty.
func (d *Dir) Delete(_ context.Context, keys ...string) error {
	for _, key := range keys {
		if err := checkKey(key); err != nil {
			return err
		}
		if err := os.Remove(d.file(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("delete record: %w", err)
		}
		os.Remove(filepath.Dir(d.file(key))) // fails while anything is in it
	}
	return nil
}
