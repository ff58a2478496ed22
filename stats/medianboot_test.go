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
		must(t, err)
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
