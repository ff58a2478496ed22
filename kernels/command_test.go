package kernels

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
)

// What a side's frameworks compile stays in the side's folder, wherever the environment keeps it. No variable leads elsewhere.
func TestCachesAreTheSides(t *testing.T) {
	env := withCaches([]string{"TRITON_CACHE_MANAGER=x:y", "TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE=1", "NUMBA_CACHE_DIR=/shared", "PATH=/bin"}, "/side")
	want := []string{
		"PATH=/bin", "TRITON_CACHE_DIR=/side/triton", "TRITON_HOME=/side/triton-home", "TORCHINDUCTOR_CACHE_DIR=/side/inductor",
		"TORCH_EXTENSIONS_DIR=/side/torch-extensions", "CUPY_CACHE_DIR=/side/cupy", "NUMBA_CACHE_DIR=/side/numba", "CUDA_CACHE_PATH=/side/cuda",
	}
	if !slices.Equal(env, want) {
		t.Errorf("%q", env)
	}
}

// A command finds the side's caches in its environment and can write there, in the sandbox too.
func TestCommandHasItsCaches(t *testing.T) {
	t.Setenv("NUMBA_CACHE_DIR", "/shared")
	for _, box := range []*Sandbox{nil, {}} {
		caches := t.TempDir()
		out, err := RunCommand(t.Context(), CommandSpec{
			Line: `mkdir -p "$NUMBA_CACHE_DIR" && echo "$NUMBA_CACHE_DIR $A"`, Dir: t.TempDir(), Root: t.TempDir(), Scratch: t.TempDir(), Caches: caches, Limit: time.Minute,
			Env: []string{"A=b"}, Sandbox: box,
		})
		if err != nil || out.Stdout != caches+"/numba b\n" {
			t.Errorf("%v, %q", err, out.Stdout)
		}
	}
}

// A benchmark that fills memory is stopped, and told what it did.
func TestCommandIsHeldToItsMemory(t *testing.T) {
	t.Parallel()
	_, err := RunCommand(t.Context(), CommandSpec{
		Line: "(head -c 200M /dev/zero; sleep 50) | tail -c 250M", Dir: t.TempDir(), Scratch: t.TempDir(), Limit: time.Minute, Memory: 100 << 20,
	})
	var fault *RunnerError
	if !errors.As(err, &fault) || fault.Code != result.CodeFilled || !strings.Contains(fault.Message, "more than 100 MiB of memory") {
		t.Error(err)
	}
}
