package action

import (
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
)

// Only a benchmark knows which cases it has. A result cannot make them fewer than it has timed, nor more than can be.
func TestCasesOfBenchmarks(t *testing.T) {
	const adapter = "  - name: a\n    adapter: a.pg.cc\n    params: {n: {values: [1, 2]}}\n"
	const bench = "  - name: b\n    bench: {command: ./b, format: csv}\n"
	timed := []result.Process{{Round: 0}}
	cases := []result.Case{
		{Kernel: "a", Name: "a/n=1", Processes: timed}, {Kernel: "b", Name: "b/1", Processes: timed}, {Kernel: "b", Name: "b/2", Processes: timed},
		{Kernel: "b", Name: "b/3", Verdict: result.New},
	}
	for _, tt := range []struct {
		kernels string
		says    int // K
		want    int
	}{
		{adapter, 2, 0}, {adapter, 50, 0}, {adapter + bench, 4, 2}, {adapter + bench, 9, 7}, {adapter + bench, 1, 2}, {adapter + bench, 20_000, 9998}, {bench, 2, 2}, {bench, -7, 2},
	} {
		c, err := config.Parse("p", []byte("version: 1\nkernels:\n"+tt.kernels))
		if err != nil {
			t.Fatal(err)
		}
		r := &rules{config: c}
		if r.plan, err = plan.New(c, nil); err != nil {
			t.Fatal(err)
		}
		parts := []part{{result: &result.Result{Policy: result.Policy{Cases: tt.says}, Cases: cases}}}
		if got := r.found(parts); got != tt.want {
			t.Errorf("%q says K = %d: %d cases of benchmarks, want %d", tt.kernels, tt.says, got, tt.want)
		}
	}
}
