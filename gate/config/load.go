package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels/checkout"
)

// Load reads the configuration at path, of the work tree that it lies in. Its error is an Errors where the file was read but is not valid, and
// wraps fs.ErrNotExist where there is none.
func Load(path string) (*Config, error) {
	absolute, err := filepath.Abs(path)
	root := checkout.Top(filepath.Dir(absolute))
	within, relErr := filepath.Rel(root, absolute)
	if err := errors.Join(err, relErr); err != nil {
		return nil, fmt.Errorf("cannot read the configuration: %w", err)
	}
	return load(root, within, path)
}

// LoadIn is Load for a path within a side, of whose files the configuration has to be one: an error quotes lines of it, and a link could lead
// to whatever the user may read.
func LoadIn(root, path string) (*Config, error) { return load(root, path, filepath.Join(root, path)) }

func load(root, path, name string) (*Config, error) {
	src, err := readIn(root, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("no configuration at %s (perfgate init writes one): %w", name, fs.ErrNotExist)
	case errors.Is(err, untrusted.ErrLeaves):
		return nil, fmt.Errorf("cannot read the configuration: %s is reached by a symbolic link that leaves the repository: put the file itself there", name)
	case err != nil:
		return nil, fmt.Errorf("cannot read the configuration: %s: %w", name, err)
	}
	return Parse(name, src)
}

// readIn reads a regular file below a folder. Links are followed where they stay in it, and out of what git keeps there.
func readIn(root, path string) ([]byte, error) {
	f, err := untrusted.OpenIn(root, path, untrusted.NoLimit)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if isOfGit(root, f) {
		return nil, errors.New("a symbolic link leads to what git keeps: put the file itself there")
	}
	return io.ReadAll(io.LimitReader(f, maxBytes+1))
}

// isOfGit says whether an opened file below a folder lies in a folder of git's, such as the one with the credentials of the checkout.
func isOfGit(root string, f *os.File) bool {
	root, err1 := filepath.EvalSymlinks(root)
	real, err2 := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	rel, err3 := filepath.Rel(root, real)
	return errors.Join(err1, err2, err3) != nil || slices.Contains(strings.Split(rel, string(filepath.Separator)), ".git")
}
