package kernels

import (
	"context"
	"path/filepath"
	"slices"
)

// Includes lists the files of the side that its adapter includes, directly or not, without perfgate's own header; slash-separated and
// relative to the side's tree. It costs preprocessing. The fault of the code is a *BuildError.
func (b *Builder) Includes(ctx context.Context, s BuildSpec) ([]string, error) {
	s.Sources = nil
	var files []string
	err := b.preprocess(s, func(s BuildSpec, units []unit, stage, out string) (err error) {
		files, err = b.included(ctx, s, units[0], stage, filepath.Join(out, "adapter.d"))
		return err
	})
	if err != nil {
		return nil, err
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
