package measure

import (
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

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
