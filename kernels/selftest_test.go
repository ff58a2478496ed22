package kernels

import (
	"context"
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
	r := newRig(t)
	harness, err := filepath.EvalSymlinks(filepath.Join(filepath.Dir(r.harness.Path), hostedHarness))
	must(t, err)
	compiler := r.builder.Compiler
	args := append(slices.Clone(harnessFlags), "-Inative", "native/selftest/selftest.cc", harness, "-ldl")
	parts := append([]string{compiler.Path, compiler.Version, kernelstest.TreeID(t, "native")}, args...)
	program := kernelstest.Program(t, "selftest", parts, func(path string) error {
		spec := child.Spec{Path: compiler.Path, Args: append(args, "-o", path), Dir: ".", Env: compilerEnv(t.TempDir())}
		_, err := runCompiler(context.Background(), spec, "selftest")
		return err
	})
	out, err := child.Run(context.Background(), child.Spec{Path: program})
	t.Log(strings.TrimSpace(out.Stdout))
	if err != nil || !strings.Contains(out.Stdout, " 0 failed") {
		t.Errorf("%v\n%s%s", err, out.Stdout, out.Stderr)
	}
}
