package run

import (
	"testing"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
)

// A record of a benchmark is of its commit alone, whatever its adapter was built to: the benchmark may read other files in the next one.
func TestRecordOfABenchmarkIsOfItsCommit(t *testing.T) {
	t.Parallel()
	for _, bench := range []*config.Bench{nil, {}} {
		r := &result.Result{Kind: result.KindGate, Head: result.Version{Revision: commitName(1)}, Kernels: []result.Kernel{{Name: "k", Head: &result.Build{Fingerprint: "f1"}}}}
		if bench != nil {
			r.Kernels[0].Benchmark = new(result.Benchmark)
		}
		c := result.Case{Name: "k/n=1", Kernel: "k", Method: new(result.Method)}
		for i := range 4 {
			c.Processes = append(c.Processes, result.Process{Variant: result.VariantHead, Round: i, ValueNS: 1})
		}
		r.Cases = []result.Case{c}
		rec, err := baseline.FromResult(r, result.SideHead, func(string) string { return "" })
		if err != nil {
			t.Fatal(err)
		}
		for commit, want := range map[string]bool{commitName(1): true, commitName(2): bench == nil} {
			now := (&records{commit: commit, config: &config.Config{Kernels: []config.Kernel{{Name: "k", Bench: bench}}}, device: new(device)}).now(plan.Case{Kernel: "k"}, "f1")
			if same := now.Fingerprint == rec.Cases[0].Fingerprint; same != want {
				t.Errorf("benchmark %v, %.12s: the same code %v, want %v", bench != nil, commit, same, want)
			}
		}
	}
}
