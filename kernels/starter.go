package kernels

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/untrusted"
)

//go:embed all:starters
var starters embed.FS

// Starter is a kind of first configuration.
type Starter string

const (
	StarterCC     Starter = "cc"     // C++ on a CPU
	StarterCUDA   Starter = "cuda"   // CUDA
	StarterNumpy  Starter = "numpy"  // Python on a CPU
	StarterTriton Starter = "triton" // Python on a GPU
)

// publicPython are the files of the Python package that an adapter's author sees.
var publicPython = []string{"__init__.py", "_case.py", "_dtypes.py", "_tensors.py", "py.typed"}

// StarterFiles are the paths and contents of a first configuration: perfgate.yaml, an adapter that runs and passes, the kernel that it
// launches, and for the editor what the adapter includes or imports.
func StarterFiles(s Starter) (map[string][]byte, error) {
	files := map[string][]byte{}
	top := "starters/" + string(s)
	err := fs.WalkDir(starters, top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		b, err := starters.ReadFile(path)
		files[strings.TrimPrefix(path, top+"/")] = b
		return err
	})
	if err != nil || s == StarterCC || s == StarterCUDA {
		files["bench/perfgate.h"] = Header()
		return files, err
	}
	for _, name := range publicPython {
		b, err := fs.ReadFile(PythonPackage(), "perfgate/"+name)
		if err != nil {
			return nil, err
		}
		files["bench/perfgate/"+name] = b
	}
	return files, nil
}

// ExistsError names files that are there already and would have been overwritten.
type ExistsError struct{ Paths []string }

func (e *ExistsError) Error() string {
	return fmt.Sprintf("%s exists already; nothing was written", strings.Join(e.Paths, ", "))
}

// WriteNew writes files into dir, none where one is there with other content, which is an *ExistsError. It returns, sorted, the paths that it wrote: all but
// those that were there with the same content, and fewer with another error.
func WriteNew(dir string, files map[string][]byte) ([]string, error) {
	var missing, taken []string
	for _, path := range slices.Sorted(maps.Keys(files)) {
		present, err := untrusted.ReadLinked(filepath.Join(dir, path), mostText)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, path)
		case err != nil: // what cannot be read may be a file all the same
			return nil, fmt.Errorf("see whether a file exists: %w", err)
		case !bytes.Equal(present, files[path]):
			taken = append(taken, path)
		}
	}
	if len(taken) > 0 {
		return nil, &ExistsError{Paths: taken}
	}
	for i, path := range missing {
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return missing[:i], fmt.Errorf("make a folder: %w", err)
		}
		if err := os.WriteFile(full, files[path], 0o644); err != nil {
			if _, cut := os.Stat(full); cut == nil { // the disk is full: its beginning is there
				i++
			}
			return missing[:i], fmt.Errorf("write a file: %w", err)
		}
	}
	return missing, nil
}
