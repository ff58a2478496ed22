package report

import (
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/result"
)

// aa is a run of unchanged code, with a case for each shift that it can detect.
func aa(format string, ours bool, change func(*result.Case), mdes ...float64) *result.Result {
	r := &result.Result{Policy: result.Policy{Tolerance: 0.015}}
	r.Kernels = []result.Kernel{{Name: "k", Benchmark: &result.Benchmark{Format: format, OurClock: ours}}, {Name: "adapter"}}
	for i, mde := range mdes {
		c := result.Case{Name: "k/n=" + string(rune('1'+i)), Kernel: "k", Method: &result.Method{Launches: 1}, Comparisons: result.HeadToBase(&result.Comparison{Rounds: 4, MDE: mde, S: 0.01})}
		for range 16 {
			c.Processes = append(c.Processes, result.Process{Variant: result.VariantBase, ValueNS: 1e5, Samples: 20, CV: 0.02})
		}
		change(&c)
		r.Cases = append(r.Cases, c)
	}
	return r
}

func said(t *testing.T, r *result.Result) string {
	t.Helper()
	return saidWith(t, r, time.Microsecond)
}

func saidWith(t *testing.T, r *result.Result, cpuStep time.Duration) string {
	t.Helper()
	return flat(Steadier(r, cpuStep))
}

func TestSteadier(t *testing.T) {
	same := func(*result.Case) {}
	for name, tt := range map[string]struct {
		r         *result.Result
		want, not string
	}{
		"what it detects":      {aa("csv", false, same, 0.004, 0.083), "a change of 0.40 % in its most stable case and of 8.3 % in k/n=2 with 90 % power. The tolerance is 1.5 %: 1 of 2 cases would show a change of that size. All would with gate: {tolerance: 9%}.", ""},
		"unsteady noise":       {unsteady(aa("csv", false, same, 0.004, 0.083)), "k on this machine: its noise is unsteady in", "it detects"},
		"steady enough":        {aa("triton", true, same, 0.004), "1 of 1 case would show a change of that size.", "All would"},
		"few samples":          {aa("google-benchmark", false, func(c *result.Case) { c.Processes[8].Samples = 1; setSamples(c, 1) }, 0.02), "1 case: too few samples in a process", "processes differ"},
		"how to take more":     {aa("google-benchmark", false, func(c *result.Case) { setSamples(c, 1) }, 0.02), "--benchmark_repetitions=10", ""},
		"single launches":      {aa("csv", false, func(c *result.Case) { setValue(c, 3e3) }, 0.02), "let it time many in a row and divide", ""},
		"batches":              {aa("csv", false, func(c *result.Case) { setValue(c, 3e3); c.Method.Launches = 50 }, 0.02), "", "in a row"},
		"no flush":             {aa("pytest-benchmark", false, same, 0.02), "does not flush caches", ""},
		"a clock of its own":   {aa("google-benchmark", false, same, 0.02), "1 case: its times are those of the wall clock, with other work on the machine in them: time: cpu", ""},
		"steady on any clock":  {aa("google-benchmark", false, same, 0.01), "", "wall clock"},
		"batches of nobody":    {aa("nvbench", false, same, 0.01), "--no-batch in the command leaves them out", ""},
		"our clock":            {aa("triton", true, func(c *result.Case) { setValue(c, 3e3) }, 0.02), "", "flush"},
		"restless machine":     {aa("csv", false, func(c *result.Case) { c.Compared().S = 0.05 }, 0.02), "1 case: processes differ by far more than the samples within one", ""},
		"scatter of samples":   {aa("csv", false, func(c *result.Case) { c.Compared().S = 0.005 }, 0.02), "", "differ by far"},
		"nothing was measured": {aa("csv", false, func(c *result.Case) { c.Comparisons = nil }, 0.02), "", "k on this machine"},
	} {
		got := said(t, tt.r)
		if !strings.Contains(got, tt.want) || tt.not != "" && strings.Contains(got, tt.not) {
			t.Errorf("%s: want %q and not %q in\n%s", name, tt.want, tt.not, got)
		}
	}
}

// A clock that moves in steps as large as what it would time is not advised: it would say 0.
func TestSteadierAdvisesNoCoarseClock(t *testing.T) {
	for step, want := range map[time.Duration]bool{time.Nanosecond: true, 10 * time.Millisecond: false} {
		r := aa("google-benchmark", false, func(*result.Case) {}, 0.02)
		if got := saidWith(t, r, step); strings.Contains(got, "time: cpu") != want {
			t.Errorf("%s: %s", step, got)
		}
	}
}

func unsteady(r *result.Result) *result.Result {
	r.Conclusion.Findings = append(r.Conclusion.Findings, result.Finding{Kind: result.FindingUnsteady})
	return r
}

func setSamples(c *result.Case, n int) {
	for i := range c.Processes {
		c.Processes[i].Samples = n
	}
}

func setValue(c *result.Case, ns float64) {
	for i := range c.Processes {
		c.Processes[i].ValueNS = ns
	}
}

// Every format has its advice: one that is added later without any would print an empty line.
func TestEveryFormatHasAdvice(t *testing.T) {
	for _, name := range benchmark.Names() {
		format, _ := benchmark.Named(name)
		if say := advices[name]; say.samples == "" || (say.cache == "") != format.Traits().OurClock {
			t.Errorf("%s: a row of advices says how it takes more samples, and what is known of caches unless perfgate's clock times it: %+v", name, say)
		}
	}
}
