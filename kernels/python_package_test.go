package kernels

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/org/perfgate/kernels/kernelstest"
)

// The package that adapters in Python import has its own tests, beside it: without a harness, a compiler or a GPU.
func TestPythonPackage(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	tests := exec.Command(kernelstest.PythonWith(t, "numpy", "torch"), "-B", "-m", "unittest", "discover", "-s", ".")
	tests.Dir = filepath.Join("python", "tests")
	if out, err := tests.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
