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

// The mean of rounded normal values, at the worst place between two steps, must be off by less than half the bound:
// the other half belongs to the other side.
func TestQuantumBiasBoundsRounding(t *testing.T) {
	const step = 0.01
	for _, scatter := range []float64{0, 0.1, 0.2, 0.3, 0.5, 1} {
		worst := 0.0
		for place := range 50 {
			level := step * float64(place) / 50
			sum, weights := 0.0, 0.0
			for k := -400; k <= 400; k++ {
				z := float64(k) / 80
				w := math.Exp(-z * z / 2)
				x := level + scatter*step*z
				sum += w * (math.Round(x/step)*step - x)
				weights += w
			}
			worst = max(worst, math.Abs(sum/weights))
		}
		// The sum over z is itself a little rough where it meets a step.
		if bound := QuantumBias(step, 1, 1, scatter*step) / 2; worst > bound+0.01*step {
			t.Errorf("scatter of %v steps: rounding moves a mean by %v, half the bound is %v", scatter, worst, bound)
		}
	}
	for _, bad := range []float64{QuantumBias(-1, 1, 1, 0), QuantumBias(1, 1, 1, -1), QuantumBias(1, 1, 1, math.NaN())} {
		if !math.IsNaN(bad) {
			t.Errorf("nonsense gives %v", bad)
		}
	}
	if got := QuantumBias(0, 1, 1, 0); got != 0 {
		t.Errorf("a timer without steps hides %v", got)
	}
}
