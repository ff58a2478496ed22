package kernels

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Includes lists the files of the side that its adapter includes, directly or not, without perfgate's own header; slash-separated and
// relative to the side's tree. It costs preprocessing. The fault of the code is a *BuildError.
func (b *Builder) Includes(ctx context.Context, s BuildSpec) ([]string, error) {
	if err := b.Compiler.check(b.Target); err != nil {
		return nil, err
	}
	leave, err := b.enter(&s)
	if err != nil {
		return nil, err
	}
	defer leave()
	stage, err := b.stageAdapter(s)
	if err != nil {
		return nil, err
	}
	out, err := os.MkdirTemp(b.Scratch, "includes-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for preprocessing: %w", err)
	}
	defer os.RemoveAll(out)
	units := s.units(stage)[:1]
	files, err := b.included(ctx, s, units[0], stage, filepath.Join(out, "adapter.d"))
	if err != nil {
		return nil, s.blame(err, units)
	}
	return s.inside(files), nil
}

// inside are those of some files that belong to the side, relative to its tree.
func (s BuildSpec) inside(files []string) []string {
	var out []string
	for _, file := range files {
		if !filepath.IsAbs(file) {
			file = filepath.Join(s.Tree, file)
		}
		within, err := filepath.Rel(s.root(), file)
		if err != nil || !filepath.IsLocal(within) || filepath.Base(file) == "perfgate.h" {
			continue
		}
		if name, err := filepath.Rel(s.Tree, file); err == nil && !slices.Contains(out, filepath.ToSlash(name)) {
			out = append(out, filepath.ToSlash(name))
		}
	}
	return out
}
