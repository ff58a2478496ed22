package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestRatioOfMediansEqualsMonteCarlo(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	rapid.Check(t, func(t *rapid.T) {
		base, head := latencies(t, "base", 2), latencies(t, "head", 2)
		r, err := RatioOfMedians(base, head, 0.9)
		must(t, err)
		const count = 4000
		ratios := resampledMedians(head, count, random)
		for i, b := range resampledMedians(base, count, random) {
			ratios[i] /= b
		}
		// Quantiles of a discrete distribution: the chance up to the bound reaches the tail, below it does not.
		slack := 5 * math.Sqrt(0.05*0.95/count)
		for p, x := range map[float64]float64{0.05: r.Low, 0.95: r.High} {
			if atMost(ratios, x*(1+1e-9)) < p-slack || atMost(ratios, x*(1-1e-9)) > p+slack {
				t.Fatalf("%v quantile %v: Monte Carlo has %v up to it", p, x, atMost(ratios, x))
			}
		}
	})
}
