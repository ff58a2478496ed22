package stats

import (
	"math"
	"testing"
)

func TestUnpairedBootstrapAgreesWithStudent(t *testing.T) {
	base, head := normals(40, 10, 0.01, 1), normals(60, 10.02, 0.03, 2)
	for _, session := range []SessionVariance{{}, {Var: 1e-4, DF: 1e12}} {
		fit, err := FitUnpaired(base, head, session, 0)
		must(t, err)
		tLow, tHigh := fit.TBounds(0.01)
		low, high := only(fit.BootstrapBounds(0.01))
		if math.Abs((high-low)/(tHigh-tLow)-1) > 0.05 {
			t.Errorf("session %v: bootstrap [%v, %v], t [%v, %v]", session, low, high, tLow, tHigh)
		}
	}
}

func TestUnpairedFloor(t *testing.T) {
	constant := []float64{10, 10, 10}
	fit, err := FitUnpaired(constant, constant, SessionVariance{}, 1e-4)
	must(t, err)
	low, high := only(fit.BootstrapBounds(0.01))
	if !fit.Floored || math.Abs(fit.S-0.01) > 1e-15 || !(low < 0 && high > 0) {
		t.Errorf("floored %v, s %v, bounds [%v, %v]", fit.Floored, fit.S, low, high)
	}
}
