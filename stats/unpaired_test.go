package stats

import (
	"errors"
	"math"
	"testing"
)

func sessions(count, processes int, between, within float64, seed uint64) [][]float64 {
	levels := normals(count, 10, between, seed)
	out := make([][]float64, count)
	for i, level := range levels {
		out[i] = normals(processes, level, within, seed+uint64(i)+1)
	}
	return out
}

func TestSessionVarianceIsLearnt(t *testing.T) {
	sum := 0.0
	for seed := range uint64(200) {
		v, err := LearnSessionVariance(sessions(12, 6, 0.01, 0.004, 1000*seed))
		if err != nil {
			t.Fatal(err)
		}
		if v.DF != 11 {
			t.Fatalf("df %v", v.DF)
		}
		sum += v.Var / 200
	}
	if math.Abs(sum/1e-4-1) > 0.1 {
		t.Errorf("mean estimate %v, want 0.0001", sum)
	}
}

func TestSessionVarianceWantsEightSessions(t *testing.T) {
	if _, err := LearnSessionVariance(sessions(7, 4, 0.01, 0.01, 1)); !errors.Is(err, ErrTooFew) {
		t.Errorf("7 sessions: %v", err)
	}
	data := sessions(8, 4, 0.01, 0.01, 1)
	data[3] = data[3][:1]
	if _, err := LearnSessionVariance(data); !errors.Is(err, ErrTooFew) {
		t.Errorf("a session of one process: %v", err)
	}
	data[3] = nil
	if _, err := LearnSessionVariance(data); !errors.Is(err, ErrEmpty) {
		t.Errorf("an empty session: %v", err)
	}
}

// Two sessions of unchanged code differ by their offsets. Without the session variance the bounds miss the truth more
// often than they say; with it they do not.
func TestSessionVarianceRestoresCoverage(t *testing.T) {
	const trials, alpha = 2000, 0.05
	missedWith, missedWithout := 0, 0
	for i := range trials {
		seed := uint64(i) * 50
		v, err := LearnSessionVariance(sessions(10, 8, 0.01, 0.005, seed))
		if err != nil {
			t.Fatal(err)
		}
		pair := sessions(2, 8, 0.01, 0.005, seed+20)
		with, err := FitUnpaired(pair[0], pair[1], v, 0)
		if err != nil {
			t.Fatal(err)
		}
		without, err := FitUnpaired(pair[0], pair[1], SessionVariance{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if low, _ := with.TBounds(alpha); low > 0 {
			missedWith++
		}
		if low, _ := without.TBounds(alpha); low > 0 {
			missedWithout++
		}
	}
	if rate := float64(missedWith) / trials; rate > 0.07 {
		t.Errorf("with session variance a bound at 5 %% is wrong %v of the time", rate)
	}
	if rate := float64(missedWithout) / trials; rate < 0.15 {
		t.Errorf("without it only %v: this test shows nothing", rate)
	}
}

func TestUnpairedBootstrapAgreesWithStudent(t *testing.T) {
	base, head := normals(40, 10, 0.01, 1), normals(60, 10.02, 0.03, 2)
	for _, session := range []SessionVariance{{}, {Var: 1e-4, DF: 1e12}} {
		fit, err := FitUnpaired(base, head, session, 0)
		if err != nil {
			t.Fatal(err)
		}
		tLow, tHigh := fit.TBounds(0.01)
		low, high := fit.BootstrapBounds(0.01)
		if math.Abs((high-low)/(tHigh-tLow)-1) > 0.05 {
			t.Errorf("session %v: bootstrap [%v, %v], t [%v, %v]", session, low, high, tLow, tHigh)
		}
	}
}

func TestUnpairedFloor(t *testing.T) {
	constant := []float64{10, 10, 10}
	fit, err := FitUnpaired(constant, constant, SessionVariance{}, 1e-4)
	if err != nil {
		t.Fatal(err)
	}
	low, high := fit.BootstrapBounds(0.01)
	if !fit.Floored || math.Abs(fit.S-0.01) > 1e-15 || !(low < 0 && high > 0) {
		t.Errorf("floored %v, s %v, bounds [%v, %v]", fit.Floored, fit.S, low, high)
	}
}
