package measure

import (
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

func (b *bench) calls(t *testing.T, opt Options) ([]kernels.Method, *Case) {
	t.Helper()
	opt.Policy, opt.Budget, opt.Seed, opt.Start, opt.NoTimingCheck = policy(0.015, 1), time.Minute, 7, b.start, true
	out, err := Rounds(t.Context(), subjects(1), opt)
	if err != nil {
		t.Fatal(err)
	}
	return b.methods, out.Cases[0]
}

// One process of base takes as many samples as it may, and then both sides take as many as are enough.
func TestPilotSaysHowManySamples(t *testing.T) {
	b := newBench(5)
	b.event, b.sampleSD, b.levelNS["base"], b.levelNS["head"] = true, 0.002, 1e5, 1e5
	methods, c := b.calls(t, Options{})
	all := methods[0].Samples
	if b.order[0] != "base" || all != 136 || c.Method.Samples >= all/2 || c.Method.Samples < all/6 {
		t.Errorf("%d samples of %s, then %d", all, b.order[0], c.Method.Samples)
	}
	if len(methods) != 1+len(c.Processes) {
		t.Errorf("%d measurements for %d processes and one pilot", len(methods), len(c.Processes))
	}
	for _, m := range methods[1:] {
		if m.Samples != c.Method.Samples {
			t.Errorf("%d samples, frozen are %d", m.Samples, c.Method.Samples)
		}
	}
	if want := slownessLimit * 1.1e6 * float64(c.Method.Samples); c.Method.LimitNS < want*0.98 || c.Method.LimitNS > want*1.02 {
		t.Errorf("limit %v, want ten times what base takes for them, %v", c.Method.LimitNS, want)
	}
}

// No pilot on a CPU, and none where few samples are taken anyway.
func TestNoPilot(t *testing.T) {
	b := newBench(5)
	if methods, c := b.calls(t, Options{}); len(methods) != len(c.Processes) || c.Method.Samples < 70 {
		t.Errorf("CPU: %d measurements, %d samples", len(methods), c.Method.Samples)
	}
	b = newBench(5)
	b.event = true
	if methods, c := b.calls(t, Options{MaxSamples: 7}); len(methods) != len(c.Processes) || c.Method.Samples != 7 {
		t.Errorf("quick: %d measurements, %d samples", len(methods), c.Method.Samples)
	}
}

// A pilot that was timed otherwise than both sides can be says nothing.
func TestPilotOfAnotherMethod(t *testing.T) {
	m := result.Method{How: kernels.HowLoop, Launches: 100, Pool: 100, Samples: 30, LimitNS: 3e8}
	p := pilot{method: m, samples: make([]float64, 30)}
	for i := range p.samples {
		p.samples[i] = 1e5
	}
	if got := p.enough(m, 0.015); got.Samples != 10 || got.LimitNS != 1e8 {
		t.Errorf("%+v", got)
	}
	graph := m
	graph.How = kernels.HowGraph
	if got := p.enough(graph, 0.015); got != graph {
		t.Errorf("%+v", got)
	}
}

func TestDearOracleChecksLess(t *testing.T) {
	for _, c := range []struct {
		oracle string
		ns     float64
		want   int
	}{{oracleReference, 1e6, 2}, {oracleReference, 1e8, 1}, {"relaunch", 1e9, 2}} {
		if got := checks(result.Method{Oracle: c.oracle}, c.ns); got != c.want {
			t.Errorf("%+v: %d checks", c, got)
		}
	}
}
