package stats

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestKthLargestAgainstSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Float64Range(-5, 5), 1, 60).Draw(t, "xs")
		k := rapid.IntRange(1, len(xs)).Draw(t, "k")
		sorted := sortedCopy(xs)
		if got := kthLargest(slices.Clone(xs), k); got != sorted[len(xs)-k] {
			t.Fatalf("kthLargest(%v, %d) = %v, want %v", xs, k, got, sorted[len(xs)-k])
		}
	})
}

func fitOf(t *testing.T, count int, sd float64, seed uint64) RoundFit {
	t.Helper()
	rounds := make([]Round, count)
	for i := range rounds {
		ys := normals(4, 10, sd, seed+uint64(i))
		rounds[i] = Round{Base: [2]float64{ys[0], ys[1]}, Head: [2]float64{ys[2], ys[3]}}
	}
	fit, err := FitRounds(rounds, 0)
	if err != nil {
		t.Fatal(err)
	}
	return fit
}

// With many rounds of normal scatter, both kinds of bounds estimate the same thing.
func TestBootstrapAgreesWithStudentOnNormalScatter(t *testing.T) {
	fit := fitOf(t, 36, 0.01, 100)
	tLow, tHigh := fit.TBounds(0.01)
	low, high := fit.BootstrapBounds(0.01, 50_000, 5)
	if math.Abs((high-low)/(tHigh-tLow)-1) > 0.04 {
		t.Errorf("bootstrap [%v, %v], t [%v, %v]", low, high, tLow, tHigh)
	}
}

// One process in sixteen that is 10 % off is what the bootstrap is for: its mean may draw it twice or not at all.
func TestBootstrapIsWiderOnAWildProcess(t *testing.T) {
	fit := fitOf(t, 4, 0.001, 3)
	fit.residuals = make([]float64, 16)
	fit.residuals[0] = 1
	for i := range fit.residuals {
		fit.residuals[i] -= 1.0 / 16
	}
	tLow, _ := fit.TBounds(0.01)
	low, _ := fit.BootstrapBounds(0.01, 10_000, 1)
	if low >= tLow {
		t.Errorf("bootstrap %v is not below t %v", low, tLow)
	}
}

func TestBootstrapIsSymmetricAndSeeded(t *testing.T) {
	fit := fitOf(t, 6, 0.01, 50)
	low, high := fit.BootstrapBounds(0.001, 10_000, 7)
	if math.Abs((high-fit.Theta)-(fit.Theta-low)) > 1e-15 {
		t.Errorf("bounds %v and %v about %v", low, high, fit.Theta)
	}
	again, _ := fit.BootstrapBounds(0.001, 10_000, 7)
	other, _ := fit.BootstrapBounds(0.001, 10_000, 8)
	if again != low || other == low {
		t.Errorf("seed 7 gives %v and %v, seed 8 %v", low, again, other)
	}
}

// Ten resamples must lie beyond the bound, however small alpha is.
func TestTailMassStopsWhereResamplesEnd(t *testing.T) {
	if got := tailMass(1e-9, 11, 10_000); got != 10.0/10_000 {
		t.Errorf("tail mass %v", got)
	}
	if got, want := tailMass(0.05, 1e12, 10_000), 0.05; math.Abs(got-want) > 1e-9 {
		t.Errorf("tail mass %v with endless degrees of freedom, want %v", got, want)
	}
	if got := tailMass(0.05, 5, 10_000); got >= 0.05 {
		t.Errorf("tail mass %v is not reduced for 5 degrees of freedom", got)
	}
}
