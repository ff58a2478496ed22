package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func drawnRounds(n int, y func(round int) float64) (rounds []Round) {
	for i := range n {
		heads := 2
		if i < 2 {
			heads = 4
		}
		r := Round{Base: []float64{y(i), y(i)}}
		for range heads {
			r.Head = append(r.Head, y(i)+0.1)
		}
		rounds = append(rounds, r)
	}
	return rounds
}

// Equal scatter is called unequal as rarely as asked, and one process far out nearly always.
func TestUnequalRounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const trials = 4000
	for _, n := range []int{2, 6, 14} {
		called, found := 0, 0
		for range trials {
			if UnequalRounds(drawnRounds(n, func(round int) float64 { return float64(round) + rng.NormFloat64() })) < 0.05 {
				called++
			}
			rounds := drawnRounds(n, func(int) float64 { return rng.NormFloat64() })
			rounds[n-1].Head[0] += 50
			if UnequalRounds(rounds) < 0.05 {
				found++
			}
		}
		if rate := float64(called) / trials; rate > 0.05+3*math.Sqrt(0.05*0.95/trials) || rate < 0.02 {
			t.Errorf("%d rounds: %.3f of equal ones", n, rate)
		}
		if found < trials*97/100 {
			t.Errorf("%d rounds: %d of %d outliers found", n, found, trials)
		}
	}
	// scipy.stats.f.sf(9, 2, 2) is 0.1, twice for two rounds.
	if got := UnequalRounds([]Round{{[]float64{0, 3}, []float64{0, 3}}, {[]float64{0, 1}, []float64{0, 1}}}); math.Abs(got-0.2) > 1e-12 {
		t.Errorf("%v, want 0.2", got)
	}
	for name, rounds := range map[string][]Round{"none": nil, "one": {{[]float64{1, 2}, []float64{3, 4}}}, "pairs": {{[]float64{1}, []float64{2}}, {[]float64{1}, []float64{4}}},
		"constant": {{[]float64{1, 1}, []float64{2, 2}}, {[]float64{1, 1}, []float64{2, 2}}}} {
		if got := UnequalRounds(rounds); got != 1 {
			t.Errorf("%s: %v", name, got)
		}
	}
}
