package run

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// parsed is a configuration of kernels, and of what follows them.
func parsed(t *testing.T, kernels string) *config.Config {
	t.Helper()
	c, err := config.Parse("perfgate.yaml", []byte("version: 1\nkernels:\n"+kernels))
	must(t, err)
	return c
}

// configIn is the configuration of a folder.
func configIn(t *testing.T, dir string) *config.Config {
	t.Helper()
	c, err := config.Load(filepath.Join(dir, "perfgate.yaml"))
	must(t, err)
	return c
}

// planned is the plan of some kernels, or of all.
func planned(t *testing.T, c *config.Config, only ...string) *plan.Plan {
	t.Helper()
	p, err := plan.New(c, only)
	must(t, err)
	return p
}

func adapterKernel(name, values string) string {
	return fmt.Sprintf("  - {name: %s, adapter: k.pg.cc, sources: [k.cc], params: {n: {values: [%s]}}}\n", name, values)
}

// A desk's configuration that measures less than base's is no pass: what it drops is in the result, as not compared.
func TestDroppedCasesAreNoPass(t *testing.T) {
	t.Parallel()
	base := adapterKernel("k", "1, 2, 3") + adapterKernel("other", "7")
	for name, c := range map[string]struct {
		head    string
		change  func(*Question)
		dropped []string
	}{
		"nothing":                   {head: base},
		"cases":                     {head: adapterKernel("k", "2") + adapterKernel("other", "7"), dropped: []string{"k/n=1", "k/n=3"}},
		"more cases":                {head: adapterKernel("k", "1, 2, 3, 4") + adapterKernel("other", "7")},
		"a kernel":                  {head: adapterKernel("k", "1, 2, 3"), dropped: []string{"other/n=7"}},
		"other kernels asked for":   {head: adapterKernel("k", "1, 2, 3"), change: func(o *Question) { o.Only = []string{"k"} }},
		"other cases asked for":     {head: adapterKernel("k", "2, 3"), change: func(o *Question) { o.Cases = []string{"k/n=2"} }},
		"a pattern of both":         {head: adapterKernel("k", "2"), change: func(o *Question) { o.Cases = []string{"k/n=[23]"} }, dropped: []string{"k/n=3"}},
		"a writer vouches for it":   {head: adapterKernel("k", "2"), change: func(o *Question) { o.MayDrop = true }},
		"base rules":                {head: base, change: func(o *Question) { o.Trusted.Trust = repo.TrustBase }},
		"base has no configuration": {head: adapterKernel("k", "2"), change: func(o *Question) { o.Trusted.Base = nil }},
		"head alone is measured":    {head: adapterKernel("k", "2"), change: func(o *Question) { o.Base = Side{} }},
		"a benchmark by an adapter": {
			head:    adapterKernel("k", "1"),
			change:  func(o *Question) { o.Trusted.Base = parsed(t, "  - {name: k, bench: {command: ./b, format: csv}}\n") },
			dropped: []string{"k/*"},
		},
		"the second of two parts": {head: adapterKernel("k", "2, 3"), change: func(o *Question) { o.Shard = &plan.Shard{Index: 2, Of: 2} }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opt := Question{Base: Side{Tree: "before"}, Trusted: repo.Trusted{Trust: repo.TrustWorktree, Base: parsed(t, base), Config: parsed(t, c.head)}}
			if c.change != nil {
				c.change(&opt)
			}
			v := Values{}
			var err error
			if v.Asked, err = ask(&Options{Question: opt}, time.Now()); err != nil {
				t.Fatal(err)
			}
			for _, k := range v.Asked.Plan.Kernels { // all that was planned is the same
				one := timed(Kernel{Plan: k, Base: Build{Record: &result.Build{}}, Head: Build{Record: &result.Build{}}, Parity: result.Parity{Status: result.ParityPassed}})
				for i := range one.Cases {
					one.Cases[i].Record.Verdict = result.Same
				}
				v.Measured.On = append(v.Measured.On, one)
			}
			res := kept(t, v).Assemble()
			var got []string
			for _, one := range res.Cases {
				if one.Reason != nil && one.Reason.Kind == result.ReasonDropped && one.Verdict == result.Skipped {
					got = append(got, one.Name)
				}
			}
			if !slices.Equal(got, c.dropped) {
				t.Errorf("dropped %q, want %q", got, c.dropped)
			}
			if want := map[bool]result.ExitCode{true: result.ExitNotMeasurable}[len(c.dropped) > 0]; res.Conclusion.Exit != want {
				t.Errorf("exit %d, want %d: %+v", res.Conclusion.Exit, want, res.Conclusion.Findings)
			}
		})
	}
}

// What compiling alone shows says the same.
func TestDroppedKernelsArePlannedAsNotCompared(t *testing.T) {
	t.Parallel()
	touched := &result.Precheck{Kernels: []result.PrecheckKernel{{Kernel: result.Kernel{Name: "k"}, Same: true}}}
	if rule.ConcludePrecheck(touched); touched.Conclusion.Exit != result.ExitPassed {
		t.Fatalf("without: exit %d", touched.Conclusion.Exit)
	}
	for _, name := range []string{"k", "other"} {
		with := *touched
		with.Kernels = withDropped(slices.Clone(touched.Kernels), []Dropped{{Kernel: name}})
		if rule.ConcludePrecheck(&with); with.Conclusion.Exit != result.ExitNotMeasurable || with.Measure {
			t.Errorf("%s: exit %d, %+v", name, with.Conclusion.Exit, with.Kernels)
		}
	}
}

// Of a benchmark base's first run says which rows its configuration would have picked.
func TestDroppedRowsOfABenchmark(t *testing.T) {
	t.Parallel()
	bench := func(cases string) *config.Config {
		return parsed(t, "  - {name: k, bench: {command: ./bench, format: csv}, cases: ["+cases+"]}\n")
	}
	set := benchmark.Set{}
	for _, row := range []string{"sum/1", "sum/2", "max/1", "min/1"} {
		set.Cases = append(set.Cases, benchmark.Case{Name: row})
	}
	for head, want := range map[string]struct {
		dropped, wanted []string
	}{
		"sum/*, max/*": {nil, []string{"sum/*", "max/*"}},
		"sum/*":        {[]string{"k/max/1"}, []string{"sum/*", "max/*"}},
		"sum/1, min/*": {[]string{"k/sum/2", "k/max/1"}, []string{"sum/1", "min/*", "sum/*", "max/*"}},
	} {
		opt := Question{Base: Side{Tree: "before"}, Trusted: repo.Trusted{Trust: repo.TrustWorktree, Base: bench("sum/*, max/*"), Config: bench(head)}}
		f := &finding{opt: opt, found: map[string][]string{}, untimed: map[string][]result.Case{}}
		k := Kernel{Plan: plan.KernelPlan{Kernel: opt.Trusted.Config.Kernels[0]}, Base: Build{Record: &result.Build{}}, Benchmark: new(result.Benchmark), First: measure.ProgramRuns{Base: measure.ProgramRun{Set: set}, Head: measure.ProgramRun{Set: set}}}
		if _, _, err := f.rows(k, &Account{}); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range f.untimed["k"] {
			if c.Verdict == result.Skipped && c.Reason.Kind == result.ReasonDropped {
				got = append(got, c.Name)
			}
		}
		if !slices.Equal(got, want.dropped) || !slices.Equal(opt.wanted(k), want.wanted) {
			t.Errorf("%s: dropped %q, asked for %q", head, got, opt.wanted(k))
		}
	}
}
