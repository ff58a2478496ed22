package kernels

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/kernels/kernelstest"
)

// editable is a virtual environment in a checkout, in which pg_mine was installed with pip install -e as setuptools does it: a
// finder with a table of folders.
type editable struct {
	checkout    string
	interpreter Interpreter
	packages    string // its site-packages
}

func newEditable(t *testing.T, r *rig, options ...string) editable {
	t.Helper()
	e := editable{checkout: t.TempDir()}
	venv := filepath.Join(e.checkout, ".venv")
	made := exec.Command(kernelstest.PythonWith(t, "venv"), append([]string{"-m", "venv", "--without-pip", venv}, options...)...)
	output(t, made)
	found, err := filepath.Glob(filepath.Join(venv, "lib", "python3*", "site-packages"))
	if err != nil || len(found) != 1 {
		t.Fatalf("site-packages: %q, %v", found, err)
	}
	e.packages = found[0]
	e.installs(t, filepath.Join(e.checkout, "python", "pg_mine"))
	spec := InterpreterSpec{Name: ".venv/bin/python", Dir: e.checkout, Scratch: r.builder.Scratch, Checkout: []string{e.checkout}, Sandbox: &Sandbox{}}
	if e.interpreter, err = FindInterpreter(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	return e
}

func (e editable) installs(t *testing.T, folder string) {
	write(t, filepath.Join(e.packages, "__editable___pg_mine_finder.py"), `import sys
from importlib.util import spec_from_file_location
class Finder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        folder = "`+folder+`"
        if name == "pg_mine":
            return spec_from_file_location(name, folder + "/__init__.py", submodule_search_locations=[folder])
def install():
    sys.meta_path.append(Finder)
`)
	write(t, filepath.Join(e.packages, "__editable__.pg_mine.pth"), "import __editable___pg_mine_finder; __editable___pg_mine_finder.install()\n")
}

// build builds a side whose configuration lies in a folder of it.
func (e editable) build(r *rig, root string) (Library, error) {
	r.builder.Runner = RunnerSpec{Harness: r.harness.Path, Dir: r.builder.Scratch, Sandbox: &Sandbox{}}
	tree := filepath.Join(root, "gate")
	return r.builder.Build(context.Background(), BuildSpec{
		Kernel: "k", Tree: tree, Root: root, AdapterTree: tree, Adapter: "mine.pg.py", Python: &e.interpreter, Checkouts: []string{e.checkout},
	})
}

// What is installed in editable mode from the checkout is each side's own, in a virtual environment as in one that is made of copies.
func TestEditableInstallOfTheRepository(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	r := newRig(t)
	e := newEditable(t, r, "--copies")
	base := t.TempDir()
	for root, value := range map[string]string{e.checkout: "1", base: "2"} {
		write(t, filepath.Join(root, "gate", "mine.pg.py"), "import pg_mine\ndef tensors(case): pass\ndef launch(case, t): pass\nif pg_mine.VALUE == 3: raise ValueError(pg_mine.__file__)\n")
		write(t, filepath.Join(root, "python", "pg_mine", "__init__.py"), "VALUE = "+value+"\n")
	}
	head, err := e.build(r, e.checkout)
	must(t, err)
	if want := "../python/pg_mine/__init__.py"; !slices.Contains(head.Imports.Files, want) || len(head.Imports.Files) > 2 {
		t.Errorf("head's files are %q, want %q", head.Imports.Files, want)
	}
	other, err := e.build(r, base)
	must(t, err)
	if other.Fingerprint == head.Fingerprint {
		t.Error("base has the fingerprint of head, which is another module")
	}
	write(t, filepath.Join(base, "python", "pg_mine", "__init__.py"), "VALUE = 3\n")
	if _, err = e.build(r, base); err == nil || !strings.Contains(err.Error(), base+"/python/pg_mine/__init__.py") {
		t.Errorf("base imports %v", err)
	}
}

// What is installed in editable mode from elsewhere would be the same code on both sides.
func TestEditableInstallOfAnotherRepository(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	r := newRig(t)
	e := newEditable(t, r)
	elsewhere := filepath.Join(t.TempDir(), "pg_mine")
	write(t, filepath.Join(elsewhere, "__init__.py"), "VALUE = 1\n")
	write(t, filepath.Join(e.checkout, "gate", "mine.pg.py"), "import pg_mine\ndef tensors(case): pass\ndef launch(case, t): pass\n")
	e.installs(t, elsewhere)
	var fault *BuildError
	_, err := e.build(r, e.checkout)
	if !errors.As(err, &fault) || !strings.Contains(err.Error(), "pg_mine is an editable install of "+elsewhere) || !strings.Contains(err.Error(), "at mine.pg.py:1: import pg_mine") {
		t.Errorf("%v", err)
	}
}
