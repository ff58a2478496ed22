package report

import (
	"testing"

	"github.com/org/perfgate/gate/result"
)

// What launches cost the host is a figure of its own, from the cheapest case to the dearest.
func TestHostTime(t *testing.T) {
	of := func(ns ...float64) result.Case {
		var c result.Case
		for _, n := range ns {
			c.Processes = append(c.Processes, result.Process{Variant: result.VariantHead, HostNS: n})
		}
		return c
	}
	graph, single := of(38e3), of(38e3)
	graph.Method, single.Method = &result.Method{How: "graph"}, &result.Method{How: "single"}
	for want, cases := range map[string][]result.Case{
		"":                                 {of(), of(0)},
		"host 38.0 µs a launch":            {of(38e3, 37e3, 90e3), of(0)},
		"host 4.00 µs to 38.0 µs a launch": {of(38e3), of(4e3)},
		"host 38.0 µs a launch, hidden in a graph": {graph, graph, of(0)},
	} {
		if got := hostTime(cases); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got, want := hostTime([]result.Case{graph, single}), "host 38.0 µs a launch"; got != want {
		t.Errorf("%q, want %q: one of two is not hidden", got, want)
	}
}

// A case of the host has the parameters of the case that it is of, and its row says which it is.
func TestRowsOfHostAreNamedApart(t *testing.T) {
	of, host := caseName("k/n=1"), caseName("k/n=1/host")
	if len(host.Params) != len(of.Params)+1 || host.Params[1].String() != "host" {
		t.Errorf("%+v beside %+v", host, of)
	}
}
