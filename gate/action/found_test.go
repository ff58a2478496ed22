package action

import (
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/request"
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
		must(t, err)
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

// A pattern with a wildcard for the kernel may leave nothing of a benchmark. That is believed of the job that measured, and of no other.
func TestBenchmarkWithoutCases(t *testing.T) {
	t.Parallel()
	cfg, err := config.Parse("perfgate.yaml", []byte(forkConfiguration[:strings.Index(forkConfiguration, "gate:")]+"  - name: b\n    bench: {command: ./b, format: csv}\n"))
	must(t, err)
	for _, tt := range []struct {
		cases    []string
		measured bool
		rows     []result.Case
		missing  bool
	}{
		{cases: []string{"*/n=1"}, measured: true},
		{cases: []string{"*/n=1"}, missing: true},
		{cases: []string{"*/n=1"}, measured: true, rows: []result.Case{{Kernel: "b", Name: "b/n=1"}}, missing: true},
		{cases: []string{"k/n=1", "b/*"}, measured: true, missing: true},
		{measured: true, missing: true},
	} {
		r := rules{in: Inputs{Run: request.Run{Cases: tt.cases}}, road: road{measured: tt.measured}}
		if r.plan, err = plan.New(cfg, nil); err == nil && len(tt.cases) > 0 {
			r.plan, err = r.plan.Cases(tt.cases, nil)
		}
		must(t, err)
		res := &result.Result{Cases: tt.rows, Kernels: []result.Kernel{{Name: "k", Parity: result.Parity{Status: result.ParityPassed, Run: 1}}}}
		missing, err := r.lacking([]part{{result: res}}, "")
		if err != nil || slices.Contains(missing, "kernel b") != tt.missing {
			t.Errorf("%+v: %q, %v", tt, missing, err)
		}
	}
}
