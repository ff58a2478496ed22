package kernels

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// harnessFlags must not depend on the machine (no -march=native): the harness is the clock, the same on every machine.
var harnessFlags = []string{"-std=c++17", "-O2", "-pthread"}

// Harness is the compiled harness program.
type Harness struct {
	Path        string
	Fingerprint string // of its sources, compiler and flags
	Cached      bool
	Seconds     float64 // spent compiling
}

// BuildHarness compiles the harness with the machine's compiler, or takes it from the cache. scratch is a private folder.
func BuildHarness(ctx context.Context, c Compiler, cache, scratch string) (Harness, error) {
	sources, key, err := harnessSources(c)
	if err != nil {
		return Harness{}, err
	}
	h := Harness{Path: filepath.Join(cache, "harness", key, "harness"), Fingerprint: key}
	if _, err := os.Stat(h.Path); err == nil {
		h.Cached = true
		return h, nil
	}
	start := time.Now()
	dir := filepath.Join(scratch, "harness-src")
	tree, err := fs.Sub(native, "native")
	if err != nil {
		return Harness{}, err
	}
	if err := writeTree(tree, dir); err != nil {
		return Harness{}, fmt.Errorf("write the harness sources: %w", err)
	}
	if err := compileHarness(ctx, c, dir, sources); err != nil {
		return Harness{}, err
	}
	if err := publish(filepath.Join(dir, "harness.out"), h.Path); err != nil {
		return Harness{}, err
	}
	h.Seconds = time.Since(start).Seconds()
	return h, nil
}

// compileHarness compiles all sources as one, which takes less than half the time of compiling each: the standard
// headers, which they share, are most of the work.
func compileHarness(ctx context.Context, c Compiler, dir string, sources []string) error {
	var all strings.Builder
	for _, source := range sources {
		fmt.Fprintf(&all, "#include %q\n", source)
	}
	if err := os.WriteFile(filepath.Join(dir, "all.cc"), []byte(all.String()), 0o644); err != nil {
		return fmt.Errorf("write the harness sources: %w", err)
	}
	args := slices.Concat(harnessFlags, []string{"-I.", "all.cc", "-o", "harness.out", "-ldl"})
	if err := runCompiler(ctx, c, dir, dir, "the harness", args); err != nil {
		return fmt.Errorf("with %s: %w", c.Version, err)
	}
	return nil
}

// harnessSources lists the harness's C++ files and derives its cache key.
func harnessSources(c Compiler) (sources []string, key string, err error) {
	var d digest
	d.add(c.Path + "\x00" + c.Version)
	d.add(strings.Join(harnessFlags, " "))
	err = fs.WalkDir(native, "native", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		b, err := native.ReadFile(path)
		if err != nil {
			return err
		}
		d.add(path)
		d.add(string(b))
		if strings.HasSuffix(path, ".cc") {
			sources = append(sources, strings.TrimPrefix(path, "native/"))
		}
		return nil
	})
	return sources, d.sum(), err
}
