package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"syscall"

	"github.com/goccy/go-yaml/ast"
)

// place is where the configuration names a file, or something else.
type place struct {
	file         string
	line, column int
}

func placeOf(n ast.Node, file string) place {
	line, column := position(n)
	return place{file, line, column}
}

// filePlaces are the adapter and the sources of a kernel that was read without a problem.
func filePlaces(found map[string]ast.Node, k Kernel) []place {
	var out []place
	if n := found["adapter"]; n != nil && k.Adapter != "" {
		out = append(out, placeOf(n, k.Adapter))
	}
	if list, ok := found["sources"].(*ast.SequenceNode); ok && len(list.Values) == len(k.Sources) {
		for i, n := range list.Values {
			out = append(out, placeOf(n, k.Sources[i]))
		}
	}
	return out
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
		for _, p := range k.places {
			if problem := missing(root, p.file); problem != "" {
				allowed := ""
				if problem == doesNotExist {
					allowed = near(p.file, []string{dir})
				}
				errs = append(errs, c.src.at(p.line, p.column, allowed, "kernel %s: %s %s", k.Name, quoted(p.file), problem))
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
