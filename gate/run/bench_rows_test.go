package run

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// TestCasesOfBenchmarks: patterns pick rows that a benchmark has; a row's name is that row, whatever it would mean as a pattern, and one
// that cannot be timed is a case all the same.
func TestCasesOfBenchmarks(t *testing.T) {
	t.Parallel()
	const yaml = "    bench: {command: sh bench.sh, format: csv}\n  - name: other\n    bench: {command: exit 1, format: csv}\n"
	rows := "echo kernel,ns; for k in 'a[1]' a1 b; do echo \"$k,$((100000 + $$ % 100))\"; done"
	for pattern, want := range map[string][]string{"k/a[1]": {"k/a[1]", "k/a1"}, "k/b": {"k/b"}, "k/gone": {"k/gone"}, "k": {"k/a[1]", "k/a1", "k/b", "k/gone"}} {
		opt := benchSides(t, repo.TrustWorktree, yaml, map[string]string{"bench.sh": rows + "; echo gone,100000"}, map[string]string{"bench.sh": rows})
		opt.Trusted.Base, opt.Trusted.Config.Kernels[0].Files = nil, nil
		opt.Cases = []string{pattern}
		res, err := Run(t.Context(), opt)
		if err != nil {
			t.Fatalf("%s: %v", pattern, err)
		}
		var got []string
		for _, c := range res.Cases {
			got = append(got, c.Name)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
	opt := benchSides(t, repo.TrustWorktree, yaml, map[string]string{"bench.sh": rows}, map[string]string{"bench.sh": rows})
	opt.Cases = []string{"k/nothing*"}
	if _, err := Run(t.Context(), opt); err == nil || !strings.Contains(err.Error(), "no timed case matches") {
		t.Errorf("a pattern of no row: %v", err)
	}
}

// rowsOfBase is a benchmark whose first run has so many rows on base, and that has not been run on head.
func rowsOfBase(t *testing.T, n int) (*finding, Kernel) {
	t.Helper()
	opt := Question{Base: Side{Tree: "before"}, Trusted: repo.Trusted{Config: parsed(t, "  - {name: k, bench: {command: ./bench, format: csv}}\n")}}
	k := Kernel{Plan: plan.KernelPlan{Kernel: opt.Trusted.Config.Kernels[0]}, Base: Build{Record: &result.Build{}}, Benchmark: new(result.Benchmark)}
	for i := range n {
		k.First.Base.Set.Cases = append(k.First.Base.Set.Cases, benchmark.Case{Name: fmt.Sprint("row", i)})
	}
	return &finding{opt: opt, found: map[string][]string{}, untimed: map[string][]result.Case{}}, k
}

// A benchmark may have thousands of rows: the budget says how many a run has time for.
func TestThousandsOfRows(t *testing.T) {
	t.Parallel()
	f, k := rowsOfBase(t, 2000)
	k.First.Head = k.First.Base
	if k, ended, err := f.rows(k, &Account{}); err != nil || ended != nil || len(k.Plan.Measured) != 2000 || f.room() != config.MaxCases-2000 {
		t.Errorf("%d cases, %v, %v", len(k.Plan.Measured), ended, err)
	}
	whole := planned(t, f.opt.Trusted.Config)
	whole = whole.Found(f.found)
	for i := 1; i <= 3; i++ {
		if part, err := whole.Shard(plan.Shard{Index: i, Of: 3, Seed: 7}); err != nil || len(part.Kernels[0].Measured) != 666 && len(part.Kernels[0].Measured) != 667 || part.K != 2000 {
			t.Errorf("shard %d of 3: %v", i, err)
		}
	}
}

// Head that has none of base's many rows is asked for cases like any other, by base's rows.
func TestManyRowsThatHeadLost(t *testing.T) {
	t.Parallel()
	f, k := rowsOfBase(t, config.MaxCases+1)
	_, _, err := f.rows(k, &Account{})
	if err == nil || !strings.Contains(err.Error(), `the run has 10001 cases, and a result holds at most 10000: pick some with cases, such as "row0"`) {
		t.Error(err)
	}
}
