package kernels

import (
	"os"
	"path/filepath"
	"testing"

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
  for (int64_t i = 0; i < 3 * pg_param(c, "n"); i++) static_cast<float *>(data[1])[i] += static_cast<float *>(data[0])[i] + pg_param(c, "extra");
  return 0;
}
`
	must(t, os.WriteFile(filepath.Join(tree, "a.pg.cc"), []byte(adapter), 0o644))
	runner := r.run(r.spec(r.kept(BuildSpec{Kernel: "k", Tree: tree, AdapterTree: tree, Adapter: "a.pg.cc"})))
	for _, c := range []struct {
		extra, relation, tensors string
		passes                   bool
	}{
		{"0", "scale", "x,y", true}, {"0", "permute-batch", "x,y", true},
		{"1", "scale", "x,y", false}, {"1", "permute-batch", "x,y", true},
		{"0", "scale", "x", false}, {"0", "permute-batch", "x", false},
	} {
		reply, err := runner.parity(ParityCommand{
			Case: caseOf("k", "n=5,extra="+c.extra), Seed: "7", Values: "normal", Atol: 1e-6, Rtol: 1e-6, Oracle: "relation", Relation: c.relation, Tensors: c.tensors,
		})
		if err != nil || reply.Passed != c.passes {
			t.Errorf("%+v: passed %v, %v", c, reply.Passed, err)
		}
	}
}
