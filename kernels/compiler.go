package kernels

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/kernels/child"
)

// Compiler is a C++ or CUDA compiler of this machine.
type Compiler struct {
	Path    string
	Version string // first line of --version; nvcc's release and the version of its host compiler
	Host    string // nvcc: the C++ compiler that it drives; "" otherwise
}

// ErrNoCompiler says that the machine has no C++ compiler.
var ErrNoCompiler = errors.New("no C++ compiler found: install g++ or clang++ (Debian, Ubuntu: apt-get install g++), or name one in CXX")

// FindCompiler finds the C++ compiler: the one that CXX names, else c++, g++ or clang++ on the PATH.
func FindCompiler(ctx context.Context) (Compiler, error) {
	path, err := compilerPath()
	if err != nil {
		return Compiler{}, err
	}
	out, err := child.Run(ctx, child.Spec{Path: path, Args: []string{"--version"}})
	if err != nil {
		return Compiler{}, fmt.Errorf("ask %s for its version: %w", path, err)
	}
	version, _, _ := strings.Cut(out.Stdout, "\n")
	return Compiler{Path: path, Version: version}, nil
}

func compilerPath() (string, error) {
	if named := os.Getenv("CXX"); named != "" {
		path, err := exec.LookPath(named)
		if err != nil {
			return "", fmt.Errorf("CXX names %q, which cannot be run: %w", named, err)
		}
		return filepath.Abs(path)
	}
	for _, name := range []string{"c++", "g++", "clang++"} {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", ErrNoCompiler
}

// Words splits a list of compiler flags as it is written on a command line or in a configuration.
func Words(flags string) []string { return strings.Fields(flags) }
