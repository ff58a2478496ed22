package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// resampledMedians is the Monte Carlo that the closed form replaces.
func resampledMedians(xs []float64, count int, random *rand.Rand) []float64 {
	medians := make([]float64, count)
	resample := make([]float64, len(xs))
	for i := range medians {
		for j := range resample {
			resample[j] = xs[random.IntN(len(xs))]
		}
		medians[i] = sortedMedian(sortedCopy(resample))
	}
	return medians
}

func atMost(xs []float64, x float64) float64 {
	count := 0
	for _, v := range xs {
		if v <= x {
			count++
		}
	}
	return float64(count) / float64(len(xs))
}

func TestMedianBootstrapEqualsMonteCarlo(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	rapid.Check(t, func(t *rapid.T) {
		xs := latencies(t, "xs", 1)
		b, err := NewMedianBootstrap(xs)
		if err != nil {
			t.Fatal(err)
		}
		const count = 4000
		medians := resampledMedians(xs, count, random)
		for i, x := range b.values {
			exact, drawn := b.upTo[i], atMost(medians, x)
			// Five standard errors: one false alarm in two million.
			if math.Abs(exact-drawn) > 5*math.Sqrt(exact*(1-exact)/count)+5.0/count {
				t.Fatalf("P(median of %v <= %v) = %v, Monte Carlo says %v", xs, x, exact, drawn)
			}
		}
	})
}

func TestMedianBootstrapIsADistribution(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 11, 100, 101, 1000, 4001} {
		b, err := NewMedianBootstrap(normals(n, 50, 5, uint64(n)))
		if err != nil {
			t.Fatal(err)
		}
		if last := b.upTo[len(b.upTo)-1]; math.Abs(last-1) > 1e-9 {
			t.Errorf("n=%d: total chance %v", n, last)
		}
		for i := 1; i < len(b.values); i++ {
			if b.values[i] <= b.values[i-1] || b.upTo[i] < b.upTo[i-1] {
				t.Fatalf("n=%d: not ascending at %d", n, i)
			}
		}
	}
}

func TestBootstrapMedianCovers(t *testing.T) {
	const trials = 1000
	covered := 0
	for i := range trials {
		r, err := BootstrapMedian(normals(30, 7, 1, uint64(i)), 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if r.Low <= 7 && 7 <= r.High {
			covered++
		}
	}
	if rate := float64(covered) / trials; rate < 0.92 || rate > 0.98 {
		t.Errorf("95 %% interval of the median covers %v", rate)
	}
}
