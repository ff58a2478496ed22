package kernels

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/kernels/kernelstest"
)

// What tune sets takes the place of a module's literal, also where others are computed of it; a constant that is none, or of a module that is not
// imported, is an error that names it.
func TestConstantsOfModules(t *testing.T) {
	t.Parallel()
	python, dir := kernelstest.PythonWith(t), t.TempDir()
	for name, text := range map[string]string{
		"pack/__init__.py": "BLOCK: int = 1\n",
		"pack/fast.py":     "def constexpr(n):\n    return n\n\nBLOCK = constexpr(8)\nTWICE = BLOCK * 2\nMODE = 'slow'\nMADE = [1]\n",
		"run.py": "import sys, perfgate._constants as c\nc.take()\nimport pack.fast as f, pack\nc.check()\n" +
			"print(pack.BLOCK, f.BLOCK, f.TWICE, f.MODE, f.__file__.endswith('fast.py'))\n",
	} {
		write(t, filepath.Join(dir, name), text)
	}
	for lines, want := range map[string]string{
		"": "1 8 16 slow True",
		"pack.fast.BLOCK=64\npack.fast.MODE=quick\npack.BLOCK=3": "3 64 128 quick True",
		"pack.fast.MADE=2":  "tune names pack.fast.MADE, and fast.py assigns no literal to MADE",
		"pack.fast.NONE=2":  "assigns no literal to NONE",
		"pack.other.MODE=2": "tune names a constant of pack.other, and the adapter imports no module",
	} {
		run := exec.Command(python, filepath.Join(dir, "run.py"))
		run.Env = append(os.Environ(), "PYTHONPATH="+dir+":"+absolute(t, "python"), "PERFGATE_CONSTANTS="+lines)
		if out, _ := run.CombinedOutput(); !strings.Contains(string(out), want) {
			t.Errorf("%q: want %q in\n%s", lines, want, out)
		}
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	found, err := filepath.Abs(path)
	must(t, err)
	return found
}
