package kernels

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/kernelstest"
)

// The parts of the harness that can be tested without a runner test themselves: conversions of every code, fills, guard
// zones, poison.
func TestHarnessSelftest(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	compiler, err := FindCompiler(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	sources, err := filepath.Glob("native/harness/*.cc")
	if err != nil || len(sources) == 0 {
		t.Fatalf("sources: %v, %v", sources, err)
	}
	var all strings.Builder
	for _, source := range append(sources, "native/selftest/selftest.cc") {
		if source != "native/"+harnessMain {
			all.WriteString("#include \"" + strings.TrimPrefix(source, "native/") + "\"\n")
		}
	}
	args := append(slices.Clone(harnessFlags), "-Inative", "-Inative/harness")
	parts := append([]string{compiler.Path, compiler.Version, all.String(), kernelstest.TreeID(t, "native")}, args...)
	program := kernelstest.Program(t, "selftest", parts, func(path string) error {
		dir := t.TempDir()
		file := filepath.Join(dir, "all.cc")
		if err := os.WriteFile(file, []byte(all.String()), 0o644); err != nil {
			return err
		}
		args := append(args, file, "-o", path, "-ldl")
		_, err := runCompiler(context.Background(), child.Spec{Path: compiler.Path, Args: args, Dir: ".", Env: compilerEnv(dir)}, "selftest")
		return err
	})
	out, err := child.Run(context.Background(), child.Spec{Path: program})
	t.Log(strings.TrimSpace(out.Stdout))
	if err != nil || !strings.Contains(out.Stdout, " 0 failed") {
		t.Errorf("%v\n%s%s", err, out.Stdout, out.Stderr)
	}
}
