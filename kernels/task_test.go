package kernels

import (
	"context"
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
	r := newRig(t)
	z := pythonZoo{r, interpreterWith(t, "numpy", "torch"), filepath.Join(r.builder.Scratch, "python")}
	if err := writePackage(z.packages); err != nil {
		t.Fatal(err)
	}
	for solution, codes := range map[string][]result.Code{
		"gpu_mode/scale_add/submission.py": {""},
		"bad/cheats/by_pointer.py":         {"wrong-output"},
		"bad/cheats/by_value.py":           {""}, // what it would have remembered never comes again
		"bad/cheats/changes_input.py":      {"input-changed"},
		"bad/cheats/clock.py":              {"adapter-load"},
	} {
		t.Run(filepath.Base(solution), func(t *testing.T) { expectCode(t, z.solve(t, "gpu_mode/scale_add/task.yml", solution), codes) })
	}
}

// solve tries a solution out: parity, then timing with checks.
func (z pythonZoo) solve(t *testing.T, problem, solution string) error {
	tree, err := filepath.Abs(filepath.Join("..", "testdata", "tasks"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := task.Read(task.Within(tree, "."), problem)
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	file := filepath.Join(out, "task.yml")
	if err := os.WriteFile(file, p.Adapter(solution), 0o600); err != nil {
		t.Fatal(err)
	}
	h := hosted{Interpreter: z.interpreter, Package: z.packages, File: file, Shown: problem, Tree: tree, Root: tree, Caches: out}
	lib := Library{Path: filepath.Join(out, hostedName)}
	if err := h.write(lib.Path); err != nil {
		t.Fatal(err)
	}
	runner, err := z.start(lib)
	if err != nil {
		return err
	}
	defer runner.Close()
	const limit = time.Minute
	c := CaseSpec{Kernel: "k", Params: []CaseParam{{Name: "size", Text: "64", Value: 64}, {Name: "seed", Text: "3", Value: 3}}}
	var parity ParityReply
	cmd := ParityCommand{Case: c, Seed: "1", Values: "spec", Oracle: "reference"}
	if err := runner.Call(context.Background(), "parity", "k", cmd, &parity, limit); err != nil {
		return err
	}
	if !parity.Passed {
		return errParity
	}
	timing := TimeCommand{
		Case: c, Seed: "7", Method: Method{Clock: "thread", Launches: 1, Pool: 4, Samples: 20, Cache: "hot"}, Checks: 2, Oracle: "reference", LimitNS: 1e9,
	}
	var timed TimeReply
	err = runner.Call(context.Background(), "time", "k", timing, &timed, limit)
	if err == nil && len(timed.Checks) != 2 {
		return errors.New("its timed outputs were not checked")
	}
	return err
}
