package kernels

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

// waiting starts an interpreter that has imported the packages of an adapter and nothing of the adapter.
func (r *rig) waiting(lib Library) *Runner {
	r.t.Helper()
	spec := r.spec(lib)
	spec.Waits, spec.Sandbox = true, &Sandbox{}
	return r.run(spec)
}

func (r *Runner) load(t *testing.T, library string) error {
	t.Helper()
	return r.Call(t.Context(), "load", library, map[string]any{"adapter": library}, nil, time.Minute)
}

// An interpreter can wait for its turn: until then nothing of the side has run, and then it is like any other.
func TestAnInterpreterThatWaits(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	r := newRig(t)
	tree := pythonTree(t, scaledAdapter, scaledModule)
	lib, err := r.python(tree)
	must(t, err)
	if !lib.Ahead {
		t.Error("an adapter that imports numpy cannot wait")
	}
	runner := r.waiting(lib)
	if _, err := askParity(runner, "k"); runnerFault(err).Code != "bad-command" || runner.Has("reference") {
		t.Errorf("before there is an adapter: %v", err)
	}
	must(t, runner.load(t, lib.Path))
	if reply, err := askParity(runner, "k"); err != nil || !reply.Passed {
		t.Errorf("%+v, %v", reply, err)
	}
	if err := runner.load(t, lib.Path+"2"); runnerFault(err).Code != "bad-command" {
		t.Errorf("another adapter in the same interpreter: %v", err)
	}
	late := r.waiting(lib)
	write(t, filepath.Join(tree, "scaled.py"), "raise ValueError('it was imported')\n")
	if err := late.load(t, lib.Path); runnerFault(err).Code != result.CodeSourcesLoad || !strings.Contains(err.Error(), "it was imported") {
		t.Errorf("a module that raises: %v", err)
	}
}

// Packages may be configured by variables that an adapter sets before it imports them: then none is imported before the adapter.
func TestAnAdapterThatConfiguresItsPackages(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	r := newRig(t)
	lib, err := r.python(pythonTree(t, "import os\nos.environ['OMP_NUM_THREADS'] = '1'\n"+scaledAdapter, scaledModule))
	must(t, err)
	if lib.Ahead {
		t.Error("numpy would be imported before its variable is set")
	}
}
