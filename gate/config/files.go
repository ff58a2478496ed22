package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"syscall"

	"github.com/org/perfgate/kernels"
)

// files are adapters and sources of a kernel and its competitors, by their paths in the configuration.
func (k Kernel) files() (paths, files []string) {
	add := func(at, adapter string, sources []string) {
		if adapter != "" {
			paths, files = append(paths, join(at, "adapter")), append(files, adapter)
		}
		for i, source := range sources {
			paths, files = append(paths, index(join(at, "sources"), i)), append(files, source)
		}
	}
	add(k.at, k.Adapter, k.Sources)
	for i, r := range k.Competitors {
		at, adapter := index(join(k.at, "competitors"), i), r.Adapter
		if kernels.IsAgainst(adapter) {
			adapter = "" // which comes with perfgate
		}
		add(at, adapter, r.Sources)
	}
	return paths, files
}

// CheckFiles reports adapters and sources that are not regular files below dir, a checkout that the configuration is
// to be used with (often Dir). Symbolic links may not lead out of it. Its error is an Errors where dir can be read.
func (c *Config) CheckFiles(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("cannot look for the files of %s: %w", c.File, err)
	}
	defer root.Close()
	var errs Errors
	for _, k := range c.Kernels {
		paths, files := k.files()
		for i, file := range files {
			if problem := missing(root, file); problem != "" {
				allowed := ""
				if problem == doesNotExist {
					allowed = near(file, []string{dir})
				}
				errs = append(errs, c.errorAt(paths[i], allowed, "kernel %s: %s %s", k.Name, quoted(file), problem))
			}
		}
	}
	if len(errs) > 0 {
		return errs.sorted()
	}
	return nil
}

const doesNotExist = "does not exist"

// missing says what is wrong with a file, or nothing.
func missing(root *os.Root, file string) string {
	info, err := root.Stat(path.Clean(file))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return doesNotExist
	case leaves(err):
		return "is reached by a symbolic link that leaves the configuration's folder: copy the file into the folder, or name a path inside"
	case err != nil:
		var cause *fs.PathError
		if errors.As(err, &cause) {
			err = cause.Err
		}
		return "cannot be used: " + err.Error()
	case !info.Mode().IsRegular():
		return "is not a regular file"
	}
	return ""
}

// leaves says whether a file was not opened because a link leads out of the root: os has no error by which to know that, but it
// is the one refusal that is not the system's.
func leaves(err error) bool {
	var errno syscall.Errno
	var ours refusal
	return err != nil && !errors.As(err, &errno) && !errors.As(err, &ours)
}
