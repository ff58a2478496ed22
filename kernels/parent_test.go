package kernels

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

// leavingAdapter computes right, unless something of an earlier process reached this one: a file, memory of its parent, a variable of
// the environment. Then it says so.
const leavingAdapter = `import os
import numpy as np
import perfgate as pg

seen = []

def tensors(case):
    return {"x": pg.In(case.n), "y": pg.Out(case.n)}

def launch(case, t):
    np.multiply(t.x, 2, out=t.y)

def setup(case, t):
    left = [name for name in os.listdir(".") if name == "left"]
    if left or seen or "LEFT" in os.environ:
        raise RuntimeError(f"something is left: {left} {seen}")
    open("left", "w").write("x")
    seen.append(1)
    os.environ["LEFT"] = "1"
    import scaled

def reference(case, t):
    return 2 * t.x
`

func (r *rig) parent(library string, children int) (*Parent, error) {
	r.t.Helper()
	spec := RunnerSpec{Harness: r.harness.Path, Library: library, Dir: r.builder.Scratch, Sandbox: &Sandbox{}}
	return StartParent(context.Background(), spec, children)
}

func askParity(runner *Runner) (reply ParityReply, err error) {
	cmd := ParityCommand{
		Case: CaseSpec{Kernel: "k", Params: []CaseParam{{Name: "n", Text: "1000", Value: 1000}}},
		Seed: "7", Values: "normal", Atol: 1e-5, Rtol: 1e-4, Oracle: "reference",
	}
	err = runner.Call(context.Background(), "parity", "k", cmd, &reply, time.Minute)
	return reply, err
}

// What a forked process leaves behind does not reach the next one.
func TestForkedProcessesShareNothing(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	r := newRig(t)
	lib, err := r.python(pythonTree(t, leavingAdapter, scaledModule))
	if err != nil {
		t.Fatal(err)
	}
	parent, err := r.parent(lib.Path, 3)
	if err != nil {
		t.Fatal(err)
	}
	defer parent.Close()
	pids := map[int]bool{}
	for parent.Free() {
		runner, err := parent.Runner(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		pids[runner.PID()] = true
		if reply, err := askParity(runner); err != nil || !reply.Passed {
			t.Errorf("%+v, %v", reply, err)
		}
		if parent.Free() {
			t.Error("a parent forks while a child of it lives")
		}
		runner.Close()
	}
	if len(pids) != 3 {
		t.Errorf("%d processes, want 3", len(pids))
	}
}

// What keeps children from being like fresh processes is found before one is forked.
func TestObstaclesToForking(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	r := newRig(t)
	for module, says := range map[string]string{
		"import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n": "thread",
		"f = open(__file__)\n":                        "scaled.py was opened",
		"import mmap\nm = mmap.mmap(-1, 4096)\n":      "shared",
		"import socket\ns = socket.socketpair()[0]\n": "opened",
	} {
		lib, err := r.python(pythonTree(t, scaledAdapter, scaledModule+module))
		if err != nil {
			t.Fatal(err)
		}
		parent, err := r.parent(lib.Path, 1)
		var obstacle *ForkError
		if !errors.As(err, &obstacle) || !strings.Contains(obstacle.Why, says) {
			t.Errorf("%q: %v; want %q", module, err, says)
		}
		if err == nil {
			parent.Close()
		}
	}
}

// A child that crashes is told as any other process, and its parent forks the next one.
func TestForkedProcessThatCrashes(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	r := newRig(t)
	crash := strings.Replace(scaledAdapter, "scaled(t.x, t.y)", "__import__('ctypes').string_at(0)", 1)
	lib, err := r.python(pythonTree(t, crash, scaledModule))
	if err != nil {
		t.Fatal(err)
	}
	parent, err := r.parent(lib.Path, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer parent.Close()
	for range 2 {
		runner, err := parent.Runner(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		_, err = askParity(runner)
		var fault *RunnerError
		if !errors.As(err, &fault) || fault.Code != result.CodeCrashed {
			t.Errorf("%v, want a crash", err)
		}
		runner.Close()
	}
}
