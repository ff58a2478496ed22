package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/org/perfgate/gate/untrusted"
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
	if _, err := os.Stat(dir); err != nil {
		return fmt.Errorf("cannot look for the files of %s: %w", c.File, err)
	}
	var errs Errors
	for _, k := range c.Kernels {
		paths, files := k.files()
		for i, file := range files {
			if problem, allowed := missing(dir, file); problem != "" {
				errs = append(errs, c.errorAt(paths[i], allowed, "kernel %s: %s %s", k.Name, quoted(file), problem))
			}
		}
	}
	return errs.sorted()
}

// missing says what is wrong with a file, or nothing.
func missing(dir, file string) (problem, allowed string) {
	f, err := untrusted.OpenIn(dir, file, untrusted.NoLimit)
	var cause *fs.PathError
	switch {
	case err == nil:
		f.Close()
		return "", ""
	case errors.Is(err, fs.ErrNotExist):
		return "does not exist", near(file, []string{dir})
	case errors.Is(err, untrusted.ErrLeaves):
		return "is reached by a symbolic link that leaves the configuration's folder: copy the file into the folder, or name a path inside", ""
	case errors.As(err, &cause):
		err = cause.Err
	}
	return "cannot be used: " + err.Error(), ""
}
