package kernels

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"

	"github.com/org/perfgate/kernels/child"
)

//go:embed native/trace/trace.cc
var tracerSource []byte

// BuildTracer compiles the library that counts what a process has its GPU do (native/trace/trace.cc), into a folder, with the host's compiler: it
// needs nothing of CUDA to be built.
func BuildTracer(ctx context.Context, dir string) (path string, err error) {
	c, err := FindCompiler(ctx)
	if err != nil {
		return "", err
	}
	source, path := filepath.Join(dir, "trace.cc"), filepath.Join(dir, "libpgtrace.so")
	if err := os.WriteFile(source, tracerSource, 0o644); err != nil {
		return "", fmt.Errorf("write the source of the tracer: %w", err)
	}
	args := []string{"-std=c++17", "-O1", "-fPIC", "-shared", source, "-o", path, "-ldl"}
	_, err = runCompiler(ctx, child.Spec{Path: c.Path, Args: args, Dir: dir, Env: compilerEnv(dir)}, "the tracer")
	return path, err
}
