package kernels

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/org/perfgate/kernels/kernelstest"
)

// y += x obeys scale(x, y) and permute-batch(x, y): what the inout tensor holds before the launch is an input that the relation
// changes. One that adds 1 obeys only the second, and with x alone changed nothing is obeyed.
func TestRelationsOnInoutTensors(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	r := newRig(t)
	tree := t.TempDir()
	const adapter = `#include "perfgate.h"
int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, pg_param(c, "n"), 3);
  t[1] = PG_TENSOR("y", PG_F32, PG_INOUT, pg_param(c, "n"), 3);
  return 2;
}
int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  for (int64_t i = 0; i < 3 * pg_param(c, "n"); i++) static_cast<float *>(data[1])[i] += static_cast<float *>(data[0])[i] + EXTRA;
  return 0;
}
`
	if err := os.WriteFile(filepath.Join(tree, "a.pg.cc"), []byte(adapter), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		extra, relation, tensors string
		passes                   bool
	}{
		{"0", "scale", "x,y", true}, {"0", "permute-batch", "x,y", true},
		{"1", "scale", "x,y", false}, {"1", "permute-batch", "x,y", true},
		{"0", "scale", "x", false}, {"0", "permute-batch", "x", false},
	} {
		lib, err := r.builder.Build(context.Background(), BuildSpec{Kernel: "k", Tree: tree, AdapterTree: tree, Adapter: "a.pg.cc", Flags: []string{"-DEXTRA=" + c.extra}})
		if err != nil {
			t.Fatal(err)
		}
		runner, err := StartRunner(context.Background(), RunnerSpec{Harness: r.harness.Path, Library: lib.Path, Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		var reply ParityReply
		err = runner.Call(context.Background(), "parity", "k", ParityCommand{
			Case: caseOf(5), Seed: "7", Values: "normal", Atol: 1e-6, Rtol: 1e-6, Oracle: "relation", Relation: c.relation, Tensors: c.tensors,
		}, &reply, time.Minute)
		runner.Close()
		if err != nil || reply.Passed != c.passes {
			t.Errorf("%+v: passed %v, %v", c, reply.Passed, err)
		}
	}
}
