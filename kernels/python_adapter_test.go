package kernels

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

const scaledAdapter = `import numpy as np
import perfgate as pg
from scaled import scaled

def tensors(case):
    return {"x": pg.In(case.n), "y": pg.Out(case.n)}

def launch(case, t):
    scaled(t.x, t.y)

def reference(case, t):
    return 2 * t.x
`

const scaledModule = "import numpy as np\n\ndef scaled(x, y):\n    np.multiply(x, 2, out=y)\n"

// pythonTree is a side with an adapter in Python and the module that it imports.
func pythonTree(t *testing.T, adapter, module string) string {
	t.Helper()
	tree := t.TempDir()
	for name, text := range map[string]string{"bench/scaled.pg.py": adapter, "scaled.py": module} {
		write(t, filepath.Join(tree, name), text)
	}
	return tree
}

var interpreters sync.Map // by the modules asked for: to describe one takes two processes of it

// interpreterWith is the machine's interpreter that has modules, without which the test is skipped.
func interpreterWith(t testing.TB, modules ...string) Interpreter {
	t.Helper()
	key := strings.Join(modules, " ")
	if known, ok := interpreters.Load(key); ok {
		return known.(Interpreter)
	}
	found, err := FindInterpreter(context.Background(), InterpreterSpec{Name: kernelstest.PythonWith(t, modules...), Scratch: t.TempDir()})
	must(t, err)
	interpreters.Store(key, found)
	return found
}

// python builds the adapter of a tree.
func (r *rig) python(tree string) (Library, error) {
	r.t.Helper()
	interpreter := interpreterWith(r.t, "numpy")
	r.builder.Runner = RunnerSpec{Harness: r.harness.Path, Dir: r.builder.Scratch, Caches: pythonCaches(r.t)}
	return r.builder.Build(context.Background(), BuildSpec{Kernel: "k", Tree: tree, AdapterTree: tree, Adapter: "bench/scaled.pg.py", Python: &interpreter})
}

// askParity checks one launch on 1000 elements.
func askParity(runner *Runner, kernel string) (reply ParityReply, err error) {
	return runner.parity(ParityCommand{Case: caseOf(kernel, "n=1000"), Seed: "7", Values: "normal", Atol: 1e-5, Rtol: 1e-4, Oracle: "reference"})
}

// What an adapter in Python computes is checked as that of any other, and what it imports of its tree is known.
func TestAnAdapterInPython(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	r := newRig(t)
	lib, err := r.python(pythonTree(t, scaledAdapter, scaledModule))
	must(t, err)
	if want := []string{"scaled.py"}; !slices.Equal(lib.Imports.Files, want) || lib.Imports.Packages["numpy"] == "" {
		t.Errorf("imports %+v, want the files %q and numpy", lib.Imports, want)
	}
	if reply, err := askParity(r.run(r.spec(lib)), "k"); err != nil || !reply.Passed {
		t.Errorf("right: %+v, %v", reply, err)
	}
	wrong, err := r.python(pythonTree(t, scaledAdapter, strings.Replace(scaledModule, "2", "2.5", 1)))
	must(t, err)
	if wrong.Fingerprint == lib.Fingerprint {
		t.Error("another module has the same fingerprint")
	}
	if reply, err := askParity(r.run(r.spec(wrong)), "k"); err != nil || reply.Passed {
		t.Errorf("wrong: %+v, %v", reply, err)
	}
}

// What launch returns is collected; what it leaves unwritten in its outputs is found.
func TestReturnedOutputs(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	r := newRig(t)
	kernels := map[string]struct {
		launch string
		passes bool
	}{
		"returns":       {"return 2 * t.x", true},
		"returns_dict":  {`return {"y": 2 * t.x}`, true},
		"nothing":       {"pass", false},
		"no_first":      {"t.y[1:] = 2 * t.x[1:]", false},
		"returns_empty": {"y = np.empty_like(t.x); y[1:] = 2 * t.x[1:]; return y", false},
	}
	launches := "globals()[case.kernel](t)\n"
	for name, k := range kernels {
		launches += "def " + name + "(t):\n    " + k.launch + "\n"
	}
	lib, err := r.python(pythonTree(t, strings.Replace(scaledAdapter, "scaled(t.x, t.y)\n", "return "+launches, 1), scaledModule))
	must(t, err)
	runner := r.run(r.spec(lib))
	for name, k := range kernels {
		if reply, err := askParity(runner, name); err != nil || reply.Passed != k.passes {
			t.Errorf("%s: %+v, %v; want passed %v", k.launch, reply, err, k.passes)
		}
	}
}

// What a profiler sees are as many launches as were asked for, alone. Returned here is what cannot be collected, so that collecting it would fail.
func TestProfilesDoNotCollect(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	r := newRig(t)
	lib, err := r.python(pythonTree(t, strings.Replace(scaledAdapter, "scaled(t.x, t.y)", "launch.n = getattr(launch, 'n', 0) + 1; assert launch.n <= 4; return np.zeros(3)", 1), scaledModule))
	must(t, err)
	runner := r.run(r.spec(lib))
	ask := ProfileCommand{Case: caseOf("k", "n=1000"), Seed: "1", Cache: "hot", Warm: 1, Times: 3}
	if err := runner.Call(t.Context(), "profile", "k", ask, nil, time.Minute); err != nil {
		t.Errorf("three launches under a profiler: %v", err)
	}
	ask.Warm, ask.Times = 0, 1
	if err := runner.Call(t.Context(), "profile", "k", ask, nil, time.Minute); err == nil {
		t.Error("the fifth launch did not fail, so there were fewer before")
	}
	if reply, err := askParity(runner, "k"); err == nil {
		t.Errorf("it was collected: %+v", reply)
	}
}

// A fault shows the exception and the user's line, and whose fault it is that an adapter cannot be imported.
func TestFaultsOfAnAdapterInPython(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	r := newRig(t)
	for name, c := range map[string]struct {
		adapter, module string
		cause           result.BuildCause
		says            string
	}{
		"module":  {scaledAdapter, "import numpy as np\nraise RuntimeError('no')\n", result.CauseSources, "RuntimeError: no\nat scaled.py:2"},
		"name":    {scaledAdapter, "x = 1\n", result.CauseAdapter, "at bench/scaled.pg.py:3"},
		"syntax":  {"def f(:\n", scaledModule, result.CauseAdapter, "bench/scaled.pg.py:1"},
		"no func": {"import numpy\n", scaledModule, result.CauseAdapter, "no function tensors"},
		"exit":    {"import sys\nsys.exit(3)\n", scaledModule, result.CauseAdapter, "sys.exit(3)"},
	} {
		_, err := r.python(pythonTree(t, c.adapter, c.module))
		var fault *BuildError
		if !errors.As(err, &fault) || fault.Cause != c.cause || !strings.Contains(fault.Error(), c.says) {
			t.Errorf("%s: %v; want cause %s and %q", name, err, c.cause, c.says)
		}
	}
	lib, err := r.python(pythonTree(t, strings.Replace(scaledAdapter, "scaled(t.x, t.y)", "t.z", 1), scaledModule))
	must(t, err)
	_, err = askParity(r.run(r.spec(lib)), "k")
	if fault := runnerFault(err); fault.Code != result.CodeLaunchFailed || !strings.Contains(fault.Message, "bench/scaled.pg.py:9 in launch") {
		t.Errorf("a fault of launch: %v", err)
	}
}

// Under another program, such as a profiler, the interpreter keeps the sandbox that the harness took upon itself.
func TestPythonUnderAnotherProgram(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	kernelstest.NeedLandlock(t, 1)
	r := newRig(t)
	adapter := strings.Replace(scaledAdapter, "    scaled(t.x, t.y)", "    scaled(t.x, t.y)\n    try:\n        open('/proc/1/cmdline').read()\n    except PermissionError:\n        return\n    t.y[0] = 7", 1)
	lib, err := r.python(pythonTree(t, adapter, scaledModule))
	must(t, err)
	spec := r.spec(lib)
	spec.Under, spec.Apart, spec.Sandbox = []string{"/usr/bin/env"}, true, &Sandbox{}
	if reply, err := askParity(r.run(spec), "k"); err != nil || !reply.Passed {
		t.Errorf("%+v, %v; the program around it may read /proc, and it may not", reply, err)
	}
}
