package kernels

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	to := filepath.Join(out, "adapter.d")
	args := slices.Concat(b.flags(s, units[0], stage), []string{"-M", "-MF", to, units[0].path})
	if err := runCompiler(ctx, b.compiler(s, out, args), units[0].name); err != nil {
		return nil, s.blame(err, units)
	}
	rule, err := os.ReadFile(to)
	if err != nil {
		return nil, fmt.Errorf("read what the adapter includes: %w", err)
	}
	return s.inside(prerequisites(string(rule))), nil
}

// prerequisites are the files that a make rule names after its colon.
func prerequisites(rule string) []string {
	_, after, found := strings.Cut(rule, " : ")
	if !found {
		_, after, _ = strings.Cut(rule, ": ")
	}
	return dependencies(after)
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
