package kernels

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:embed starter
var starter embed.FS

// StarterFiles are the paths and contents of a first configuration: perfgate.yaml, an adapter that compiles, runs and
// passes, the kernel that it launches, and perfgate.h for the editor.
func StarterFiles() (map[string][]byte, error) {
	files := map[string][]byte{"bench/perfgate.h": Header()}
	err := fs.WalkDir(starter, "starter", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		b, err := starter.ReadFile(path)
		files[strings.TrimPrefix(path, "starter/")] = b
		return err
	})
	return files, err
}

// ExistsError names files that are there already and would have been overwritten.
type ExistsError struct{ Paths []string }

func (e *ExistsError) Error() string {
	return fmt.Sprintf("%s exists already; nothing was written", strings.Join(e.Paths, ", "))
}

// WriteNew writes files into dir, all or none: one that is there with other content is an *ExistsError.
func WriteNew(dir string, files map[string][]byte) error {
	var taken []string
	for path, content := range files {
		there, err := os.ReadFile(filepath.Join(dir, path))
		if err == nil && !bytes.Equal(there, content) {
			taken = append(taken, path)
		}
	}
	if len(taken) > 0 {
		return &ExistsError{Paths: taken}
	}
	for path, content := range files {
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return fmt.Errorf("make a folder: %w", err)
		}
		if err := os.WriteFile(full, content, 0o644); err != nil {
			return fmt.Errorf("write a file: %w", err)
		}
	}
	return nil
}
