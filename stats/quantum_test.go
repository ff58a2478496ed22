package stats

import (
	"math"
	"testing"
)

func TestQuantumVarianceIsThatOfRounding(t *testing.T) {
	// Latencies spread evenly over one step of a 32 ns timer about 4 µs, read on its grid.
	sum, n := 0.0, 100_000
	for i := range n {
		x := 4000 + 32*(float64(i)+0.5)/float64(n)
		e := (math.Round(x/32)*32 - x) / 4000
		sum += e * e
	}
	got := QuantumVariance(32, 1, 4000)
	if want := sum / float64(n); math.Abs(got/want-1) > 1e-6 {
		t.Errorf("QuantumVariance = %v, rounding gives %v", got, want)
	}
	if ratio := got / QuantumVariance(32, 100, 4000); math.Abs(ratio-10_000) > 1e-6 {
		t.Errorf("100 launches a sample reduce it by %v, want 10000", ratio)
	}
}

func TestQuantumVarianceOfNonsenseIsNaN(t *testing.T) {
	for _, bad := range []float64{
		QuantumVariance(-1, 1, 1), QuantumVariance(math.NaN(), 1, 1), QuantumVariance(1, 0, 1), QuantumVariance(1, 1, 0),
		QuantumVariance(1, 1, -5), QuantumVariance(1, 1, math.NaN()), QuantumVariance(math.Inf(1), 1, 1),
		QuantumVariance(1, 1, math.Inf(1)),
	} {
		if !math.IsNaN(bad) {
			t.Errorf("got %v", bad)
		}
	}
}
