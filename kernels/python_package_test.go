package kernels

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/org/perfgate/kernels/kernelstest"
)

// The package that adapters in Python import has its own tests, beside it: without a harness, a compiler or a GPU. So has the clock that is lent to
// benchmark scripts, with a torch and a triton that are made for them: a simulated GPU says what a time has to be.
func TestPythonPackage(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	for folder, modules := range map[string][]string{"tests": {"numpy", "torch"}, "tests_bench": nil} {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			tests := exec.Command(kernelstest.PythonWith(t, modules...), "-B", "-m", "unittest", "discover", "-s", ".")
			tests.Dir = filepath.Join("python", folder)
			output(t, tests)
		})
	}
}
