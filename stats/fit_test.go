package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// drawnShifts is the Monte Carlo that the convolution replaces.
func drawnShifts(draws []draw, normalSD float64, count int, random *rand.Rand) []float64 {
	total := func(d draw) (sum float64) {
		for i := range d.plus + d.minus {
			y := d.coefficient * d.pool[random.IntN(len(d.pool))]
			if i >= d.plus {
				y = -y
			}
			sum += y
		}
		return sum
	}
	shifts := make([]float64, count)
	for i := range shifts {
		shifts[i] = normalSD * random.NormFloat64()
		for _, d := range draws {
			shifts[i] += total(d)
		}
	}
	return shifts
}

// Every kind of pool that processes make: normal, one wild value, two modes, a coarse lattice, skewed, sides that differ in size and
// scatter, and rounds of two sizes.
func TestConvolutionEqualsMonteCarlo(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	wild := centred(append(normals(15, 0, 0.001, 1), 0.1))
	modes := centred([]float64{0, 0, 0, 0, 0, 1, 1, 1, 1.01, 0.02, -0.01, 0})
	lattice := centred([]float64{0, 1, 1, 2, 2, 2, 3, 3})
	skewed := centred([]float64{1, 1.1, 1.2, 1.3, 1.5, 2, 3, 9})
	sides := func(base, head []float64, n, m int) []draw {
		return []draw{{base, 1 / float64(n), 0, n}, {head, 1 / float64(m), m, 0}}
	}
	tests := []struct {
		name     string
		draws    []draw
		normalSD float64
	}{
		{"normal", sides(centred(normals(16, 0, 1, 2)), centred(normals(16, 0, 1, 2)), 8, 8), 0},
		{"many", sides(centred(normals(144, 0, 1, 2)), centred(normals(144, 0, 1, 2)), 72, 72), 0},
		{"wild", []draw{{wild, 1.0 / 8, 8, 8}}, 0},
		{"two modes", []draw{{modes, 1.0 / 6, 6, 6}}, 0},
		{"lattice", sides(lattice, lattice, 4, 4), 0},
		{"skewed", sides(skewed, lattice, 8, 8), 0},
		{"uneven sides", sides(centred(normals(5, 0, 3, 4)), centred(normals(60, 0, 1, 5)), 5, 60), 0},
		{"sessions", sides(skewed, skewed, 8, 8), 1.5},
		{"rounds of two and four", []draw{{skewed, 2, 0, 4}, {skewed, 1, 8, 0}}, 0},
		{"and of two and two", []draw{{wild, 2, 0, 4}, {wild, 1, 8, 0}, {wild, 1.5, 4, 4}}, 0},
	}
	const count = 100_000
	for _, tt := range tests {
		shifts := drawnShifts(tt.draws, tt.normalSD, count, random)
		variance := tt.normalSD * tt.normalSD
		for _, d := range tt.draws {
			variance += d.variance()
		}
		for _, tail := range []float64{0.001, 0.01, 0.1} {
			low, high := only(resampledShift(tt.draws, tt.normalSD, []float64{tail}))
			// The chance beyond the bound is the tail, up to the error of the Monte Carlo and two grid cells.
			slack, cells := 5*math.Sqrt(tail/count), 2*2*gridSpan*math.Sqrt(variance)/gridSize
			below := func(x float64) float64 { return atMost(shifts, x) }
			if below(low-cells) > tail+slack || below(low+cells) < tail-slack {
				t.Errorf("%s: %v quantile %v has %v of the resamples below it", tt.name, tail, low, below(low))
			}
			if below(high+cells) < 1-tail-slack || below(high-cells) > 1-tail+slack {
				t.Errorf("%s: %v quantile %v has %v of the resamples below it", tt.name, 1-tail, high, below(high))
			}
		}
	}
}

// One pool for both sides is what every round of two and two uses.
func TestOnePoolForBothSidesIsTwo(t *testing.T) {
	for _, pool := range [][]float64{centred(normals(16, 0, 1, 2)), centred([]float64{0, 1, 1, 2, 2, 2, 3, 9})} {
		for _, tail := range []float64{0.001, 0.05, 0.5} {
			wantLow, wantHigh := only(resampledShift([]draw{{pool, 0.125, 8, 0}, {pool, 0.125, 0, 8}}, 0, []float64{tail}))
			low, high := only(resampledShift([]draw{{pool, 0.125, 8, 8}}, 0, []float64{tail}))
			if math.Abs(low-wantLow) > 1e-6 || math.Abs(high-wantHigh) > 1e-6 {
				t.Errorf("tail %v: [%v, %v], want [%v, %v]", tail, low, high, wantLow, wantHigh)
			}
		}
	}
}

func TestTailMassIsBounded(t *testing.T) {
	if got := tailMass(1e-9, 11); got != leastTail {
		t.Errorf("tail mass %v", got)
	}
	if got, want := tailMass(0.05, 1e12), 0.05; math.Abs(got-want) > 1e-9 {
		t.Errorf("tail mass %v with endless degrees of freedom, want %v", got, want)
	}
	if got := tailMass(0.05, 5); got >= 0.05 {
		t.Errorf("tail mass %v is not reduced for 5 degrees of freedom", got)
	}
}

// only takes the first bounds apart.
func only(all []Bounds) (lo, hi float64) { return all[0].Low, all[0].High }

// Several tails of one distribution are those that each would have alone, and a bad alpha spoils no other.
func TestBootstrapBoundsOfSeveralAlphas(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	fit := normalFit(t, rng, 6, 0.01)
	alphas := []float64{0.001, 0, 0.025, 0.2}
	for i, b := range fit.BootstrapBounds(alphas...) {
		low, high := only(fit.BootstrapBounds(alphas[i]))
		if same := b.Low == low && b.High == high || alphas[i] == 0 && math.IsNaN(b.Low) && math.IsNaN(low); !same {
			t.Errorf("alpha %v: %+v together, %v and %v alone", alphas[i], b, low, high)
		}
	}
}
