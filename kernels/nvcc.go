package kernels

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/kernels/child"
)

// ErrNoNVCC says that the machine has no CUDA compiler.
var ErrNoNVCC = errors.New("no nvcc found: install the CUDA toolkit (its nvcc lies in /usr/local/cuda/bin, or name it in NVCC); a kernel in CUDA is never built for a CPU instead")

// FindNVCC finds the CUDA compiler: the one that NVCC names, else the one of CUDA_HOME or CUDA_PATH, on the PATH, or in
// /usr/local. The host compiler that it drives is the one that FindCompiler finds.
func FindNVCC(ctx context.Context) (Compiler, error) {
	path, err := nvccPath()
	if err != nil {
		return Compiler{}, err
	}
	host, err := FindCompiler(ctx)
	if err != nil {
		return Compiler{}, fmt.Errorf("nvcc needs a host compiler: %w", err)
	}
	out, err := child.Run(ctx, child.Spec{Path: path, Args: []string{"--version"}})
	if err != nil {
		return Compiler{}, fmt.Errorf("ask %s for its version: %w", path, err)
	}
	first, _, _ := strings.Cut(strings.TrimSpace(out.Stdout), "\n")
	release := cmp.Or(strings.TrimSpace(nvccRelease().FindString(out.Stdout)), first)
	return Compiler{Path: path, Version: release + "; " + host.Version, Host: host.Path}, nil
}

// nvccRelease is the line of `nvcc --version` that tells the release: the first one does not.
var nvccRelease = text.Pattern(`(?m)^Cuda compilation tools, .*$`)

// CUDATool finds a tool of the CUDA toolkit: beside nvcc, which is a path, else on the PATH.
func CUDATool(nvcc, name string) (path string, err error) {
	if path, err = exec.LookPath(filepath.Join(filepath.Dir(nvcc), name)); err == nil {
		return path, nil
	}
	return exec.LookPath(name)
}

func nvccPath() (string, error) {
	if path, err := namedProgram("NVCC"); path != "" || err != nil {
		return path, err
	}
	var candidates []string
	for _, name := range []string{"CUDA_HOME", "CUDA_PATH"} {
		if home := os.Getenv(name); home != "" {
			candidates = append(candidates, filepath.Join(home, "bin", "nvcc"))
		}
	}
	candidates = append(candidates, "nvcc", "/usr/local/cuda/bin/nvcc")
	versions, _ := filepath.Glob("/usr/local/cuda-*/bin/nvcc")
	slices.Sort(versions)
	slices.Reverse(versions)
	for _, candidate := range append(candidates, versions...) {
		if path, err := exec.LookPath(candidate); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", ErrNoNVCC
}

// check refuses a target that this compiler cannot build for, before a build does so in words of its own.
func (c Compiler) check(t Target) error {
	if !t.IsCUDA() {
		return nil
	}
	if c.Host == "" {
		return fmt.Errorf("build for %s: %w", t.Arch, ErrNoNVCC)
	}
	if !archPattern().MatchString(t.Arch) {
		return fmt.Errorf("%q names no CUDA architecture such as sm_89", t.Arch)
	}
	return nil
}

// nvccFlags come before everything else on an nvcc command line. What nvcc does not know, such as -Wall, is for the host
// compiler.
func (c Compiler) nvccFlags(t Target) []string {
	return slices.Concat([]string{"-ccbin", c.Host, "-forward-unknown-to-host-compiler"}, t.archFlags())
}
