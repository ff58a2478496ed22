package result

import (
	"math"
	"testing"
)

func TestToleranceOfACase(t *testing.T) {
	p := Policy{Tolerance: 0.01, Tolerances: []CaseTolerance{{"decode", 0.05, 0}, {"decode/B=1,*", 0.03, 500}, {"**/host", 0.2, 0}, {"x/[1]", 0.4, 0}}}
	for name, want := range map[string]float64{
		"decode": 0.05, "decode/B=2,S=1": 0.05, "decode/B=1,S=1": 0.03, "decode/B=1,S=1/host": 0.2, "decoder/B=1": 0.01, "x/[1]": 0.4, "x/1": 0.4,
	} {
		own := p.Of(name, 0)
		if own.Tolerance != want || own.Tolerances != nil || own.Of("decode", 0).Tolerance != want {
			t.Errorf("%s: %+v, want %g", name, own, want)
		}
	}
}

// A slowdown passes that is within the tolerance or less than the floor, of the time that base took when calibrated.
func TestFloorOfACase(t *testing.T) {
	p := Policy{Tolerance: 0.01, Tolerances: []CaseTolerance{{"k", 0.05, 500}, {"k/n=3", 0.05, 0}}}
	for _, tt := range []struct {
		name           string
		launchNS, want float64
	}{
		{"k/n=1", 2000, 0.25}, {"k/n=1", 10000, 0.05}, {"k/n=1", 20000, 0.05}, {"k/n=1", 0, 0.05}, {"k/n=1", math.NaN(), 0.05},
		{"k/n=1", 400, math.Nextafter(1, 0)}, {"k/n=3", 2000, 0.05}, {"l/n=1", 2000, 0.01},
	} {
		c := Case{Name: tt.name, Method: &Method{LaunchNS: tt.launchNS}}
		if got := p.OfCase(c); got.Tolerance != tt.want || got.Of("k/n=1", 1).Tolerance != tt.want {
			t.Errorf("%s of %g ns: %g, want %g", tt.name, tt.launchNS, got.Tolerance, tt.want)
		}
	}
	if got := p.OfCase(Case{Name: "k/n=1"}).Tolerance; got != 0.05 {
		t.Errorf("of a case that was not timed: %g", got)
	}
}

func TestEqualPolicies(t *testing.T) {
	p := Policy{Tolerance: 0.01, Tolerances: []CaseTolerance{{"a", 0.05, 0}}}
	q := p
	q.Tolerances = []CaseTolerance{{"a", 0.05, 0}}
	if !p.Equal(q) {
		t.Error("equal policies differ")
	}
	for _, change := range []func(*Policy){
		func(p *Policy) { p.Tolerances[0].Tolerance = 0.06 }, func(p *Policy) { p.Tolerances[0].Cases = "b" }, func(p *Policy) { p.Tolerances[0].FloorNS = 1 }, func(p *Policy) { p.Tolerances = nil }, func(p *Policy) { p.Cases = 2 },
	} {
		q.Tolerances = []CaseTolerance{{"a", 0.05, 0}}
		if change(&q); p.Equal(q) {
			t.Errorf("%+v and %+v are equal", p, q)
		}
	}
}
