package kernels

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
	"github.com/org/perfgate/kernels/task"
)

// A problem of a task format runs in the harness as an adapter does: the right solution passes, and what cheats is told by what the harness
// does with every adapter. What solutions of all problems compute is tested without it, in python/tests/test_task.py.
func TestSolutionsOfProblems(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	z := zooWith(t, newRig(t), "numpy", "torch")
	runner, err := z.solve(t, "gpu_mode/scale_add/task.yml", "bad/by_size.py")
	must(t, err)
	for size, code := range map[string]result.Code{
		"61": "wrong-output",  // by_pointer
		"62": "",              // by_value: what it would have remembered never comes again
		"63": "input-changed", // changes_input
		"64": "",
	} {
		expectCode(t, tryTask(runner, caseOf("k", "seed=3,size="+size)), []result.Code{code})
	}
	_, err = z.solve(t, "gpu_mode/scale_add/task.yml", "bad/cheats/clock.py")
	expectCode(t, err, []result.Code{"adapter-load"})
}

// tryTask does parity, then timing with checks.
func tryTask(runner *Runner, c CaseSpec) error {
	parity, err := runner.parity(ParityCommand{Case: c, Seed: "1", Values: "spec", Oracle: "reference"})
	if err != nil {
		return err
	}
	if !parity.Passed {
		return errParity
	}
	timed, err := runner.timed(time.Minute, TimeCommand{
		Case: c, Seed: "7", Method: Method{Clock: "thread", Launches: 1, Pool: 4, Samples: 20, Cache: "hot"}, Checks: 2, Oracle: "reference", LimitNS: 1e9,
	})
	if err == nil && len(timed.Checks) != 2 {
		return errors.New("its timed outputs were not checked")
	}
	return err
}

// solve starts a runner on a solution.
func (z pythonZoo) solve(t *testing.T, problem, solution string) (*Runner, error) {
	t.Helper()
	tree, err := filepath.Abs(filepath.Join("..", "testdata", "tasks"))
	must(t, err)
	p, err := task.Read(task.Within(tree, "."), problem)
	must(t, err)
	file := filepath.Join(t.TempDir(), "task.yml")
	must(t, os.WriteFile(file, p.Adapter(solution), 0o600))
	return z.start(z.describe(t, hosted{File: file, Shown: problem, Tree: tree, Root: tree}))
}
