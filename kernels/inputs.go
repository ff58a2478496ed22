package kernels

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Inputs names what Build would make a library of: the compiler, the flags and the text of every unit, headers included.
// Builds with equal inputs make equal code, and Library.Inputs has the same name. It costs preprocessing, no compiling.
// The result is "" for a build command, of which nobody knows what it reads; the fault of the code is a *BuildError.
func (b *Builder) Inputs(ctx context.Context, s BuildSpec) (string, error) {
	if s.Command != "" {
		return "", nil
	}
	if err := b.Compiler.check(b.Target); err != nil {
		return "", err
	}
	if err := s.checkSources(); err != nil {
		return "", err
	}
	leave, err := b.enter(&s)
	if err != nil {
		return "", err
	}
	defer leave()
	stage, err := b.stageAdapter(s)
	if err != nil {
		return "", err
	}
	out, err := os.MkdirTemp(b.Scratch, "inputs-")
	if err != nil {
		return "", fmt.Errorf("make a folder for preprocessing: %w", err)
	}
	defer os.RemoveAll(out)
	units := s.units(stage)
	key, err := b.key(ctx, s, units, stage, out)
	if err != nil {
		return "", s.blame(err, units)
	}
	return key, nil
}

// Built says whether the cache holds the library of inputs, so that Build would not compile anything.
func (b *Builder) Built(inputs string) bool {
	_, err := os.Stat(b.cached(inputs))
	return inputs != "" && !errors.Is(err, os.ErrNotExist)
}

// cached is where the library of inputs lies.
func (b *Builder) cached(inputs string) string {
	return filepath.Join(b.Cache, "adapters", inputs, "adapter.so")
}

// LibrariesFingerprint hashes the libraries that a library needs, as they are on this machine: the part of Fingerprint that
// equal inputs do not fix.
func LibrariesFingerprint(path string) (string, error) {
	f, err := elf.Open(path)
	if err != nil {
		return "", fmt.Errorf("%s is not a shared library: %w", filepath.Base(path), err)
	}
	defer f.Close()
	lines, err := neededLibraries(f, path)
	var d digest
	for _, line := range lines {
		d.add(line)
	}
	return d.sum(), err
}
