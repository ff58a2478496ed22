package result

import "testing"

func TestToleranceOfACase(t *testing.T) {
	p := Policy{Tolerance: 0.01, Tolerances: []CaseTolerance{{"decode", 0.05}, {"decode/B=1,*", 0.03}, {"**/host", 0.2}, {"x/[1]", 0.4}}}
	for name, want := range map[string]float64{
		"decode": 0.05, "decode/B=2,S=1": 0.05, "decode/B=1,S=1": 0.03, "decode/B=1,S=1/host": 0.2, "decoder/B=1": 0.01, "x/[1]": 0.4, "x/1": 0.4,
	} {
		own := p.Of(name)
		if own.Tolerance != want || own.Tolerances != nil || own.Of("decode").Tolerance != want {
			t.Errorf("%s: %+v, want %g", name, own, want)
		}
	}
}

func TestEqualPolicies(t *testing.T) {
	p := Policy{Tolerance: 0.01, Tolerances: []CaseTolerance{{"a", 0.05}}}
	q := p
	q.Tolerances = []CaseTolerance{{"a", 0.05}}
	if !p.Equal(q) {
		t.Error("equal policies differ")
	}
	for _, change := range []func(*Policy){
		func(p *Policy) { p.Tolerances[0].Tolerance = 0.06 }, func(p *Policy) { p.Tolerances[0].Cases = "b" }, func(p *Policy) { p.Tolerances = nil }, func(p *Policy) { p.Cases = 2 },
	} {
		q.Tolerances = []CaseTolerance{{"a", 0.05}}
		if change(&q); p.Equal(q) {
			t.Errorf("%+v and %+v are equal", p, q)
		}
	}
}
