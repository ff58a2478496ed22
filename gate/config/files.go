package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/org/perfgate/gate/untrusted"
)

// CheckFiles reports adapters and sources that are not regular files below dir, a checkout that the configuration is
// to be used with (often Dir). Symbolic links may not lead out of it. Its error is an Errors where dir can be read.
func (c *Config) CheckFiles(dir string) error {
	if _, err := os.Stat(dir); err != nil {
		return fmt.Errorf("cannot list the files of %s: %w", c.File, err)
	}
	var errs Errors
	for _, k := range c.Kernels {
		check := func(at, file string) {
			if problem, allowed := missing(dir, file); problem != "" {
				errs = append(errs, c.errorAt(at, allowed, "kernel %s: %s %s", k.Name, quoted(file), problem))
			}
		}
		for _, made := range k.implementations() {
			if made.adapter != "" {
				check(join(made.at, "adapter"), made.adapter)
			}
			for i, source := range made.sources {
				check(index(join(made.at, "sources"), i), source)
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
