package kernels

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/gate/text"

	"runtime"

	"github.com/org/perfgate/gate/result"
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

// CompilerPaths are the programs that FindCompiler finds for a processor, and FindNVCC for a GPU. None of them is started.
func CompilerPaths(t Target) ([]string, error) {
	host, err := compilerPath()
	if err != nil || !t.IsCUDA() {
		return []string{host}, err
	}
	nvcc, err := nvccPath()
	return []string{nvcc, host}, err
}

func compilerPath() (string, error) {
	if path, err := namedProgram("CXX"); path != "" || err != nil {
		return path, err
	}
	for _, name := range []string{"c++", "g++", "clang++"} {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", ErrNoCompiler
}

// NamedError says that the program which an environment variable names cannot be run, and what to do.
type NamedError struct {
	Variable, Value string
	err             error
}

func (e *NamedError) Error() string {
	if len(Words(e.Value)) > 1 {
		return fmt.Sprintf("%s is %q, but it must be one program without arguments: put them into a script (#!/bin/sh, then exec %s \"$@\") and name that in %s", e.Variable, e.Value, e.Value, e.Variable)
	}
	return fmt.Sprintf("%s names %q, which cannot be run: %v", e.Variable, e.Value, e.err)
}

func (e *NamedError) Unwrap() error { return e.err }

// namedProgram is the path of the program that an environment variable names, "" where it names none. The error is a
// *NamedError.
func namedProgram(variable string) (string, error) {
	value := os.Getenv(variable)
	if value == "" {
		return "", nil
	}
	path, err := exec.LookPath(value)
	if err != nil {
		return "", &NamedError{variable, value, err}
	}
	return filepath.Abs(path)
}

// Words splits a list of compiler flags as it is written on a command line or in a configuration.
func Words(flags string) []string { return strings.Fields(flags) }

// Target is what harness and adapters are built for.
type Target struct {
	Device string // result.DeviceCPU or result.DeviceCUDA; "" means result.DeviceCPU
	Arch   string // CUDA: "sm_89", resolved from the device present and never "native"
}

// CPU is the processor that this program runs on.
var CPU = Target{Device: result.DeviceCPU}

// IsCUDA says whether the target is an NVIDIA GPU.
func (t Target) IsCUDA() bool { return t.Device == result.DeviceCUDA }

// ArchName is what a build.command sees in PERFGATE_ARCH.
func (t Target) ArchName() string {
	if t.IsCUDA() {
		return t.Arch
	}
	return runtime.GOARCH
}

var archPattern = text.Pattern(`^sm_[0-9]{2,3}[af]?$`)

// archFlags compile for the device present and no other, with no intermediate code that a driver would translate again.
func (t Target) archFlags() []string {
	number := t.Arch[len("sm_"):]
	return []string{"-gencode", "arch=compute_" + number + ",code=" + t.Arch}
}
