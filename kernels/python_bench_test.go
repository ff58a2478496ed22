package kernels

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/org/perfgate/kernels/kernelstest"
)

// The clock that is lent to benchmark scripts has tests of its own, with a torch and a triton that are made for them: a simulated
// GPU says what a time has to be.
func TestPythonBench(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	tests := exec.Command(kernelstest.PythonWith(t), "-B", "-m", "unittest", "discover", "-s", ".")
	tests.Dir = filepath.Join("python", "tests_bench")
	if out, err := tests.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
