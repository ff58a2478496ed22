package kernels

import (
	"path/filepath"

	"github.com/org/perfgate/kernels/child"
)

// frameworkCaches are the variables that say where frameworks, and the go command, keep what they compiled or tuned, with the folder that each gets.
var frameworkCaches = []struct{ variable, folder string }{
	{"TRITON_CACHE_DIR", "triton"},
	{"TRITON_HOME", "triton-home"},
	{"TORCHINDUCTOR_CACHE_DIR", "inductor"},
	{"TORCH_EXTENSIONS_DIR", "torch-extensions"},
	{"CUPY_CACHE_DIR", "cupy"},
	{"NUMBA_CACHE_DIR", "numba"},
	{"CUDA_CACHE_PATH", "cuda"},
	{"GOCACHE", "go-build"},
}

// otherCaches begin the names of variables that lead to caches elsewhere, which other machines or runs may fill.
var otherCaches = []string{"TRITON_CACHE", "TRITON_REMOTE", "TORCHINDUCTOR_", "CUPY_CACHE", "NUMBA_CACHE"}

// withCaches points everything that frameworks keep between processes into a folder that one side of one run has alone. Else a side
// would run what the other compiled, or each process would compile again.
func withCaches(env []string, folder string) []string {
	var own []string
	for _, c := range frameworkCaches {
		own = append(own, c.variable+"="+filepath.Join(folder, c.folder))
	}
	return child.With(withoutPrefix(env, otherCaches...), own...)
}
