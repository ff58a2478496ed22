package rule

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// evenRounds are rounds whose processes scatter by 0.2 %, each round at a level of its own.
func evenRounds(rng *rand.Rand, n int) []stats.Round {
	var rounds []stats.Round
	for range n {
		level := 11 + 0.02*rng.NormFloat64()
		y := func() float64 { return level + 0.002*rng.NormFloat64() }
		rounds = append(rounds, stats.Round{Base: []float64{y(), y()}, Head: []float64{y(), y()}})
	}
	return rounds
}

// firstRounds are those of a first look, head shifted.
func firstRounds(rng *rand.Rand, shift float64) []stats.Round {
	rounds := evenRounds(rng, 2)
	for i := range rounds {
		rounds[i].Head = append(rounds[i].Head, rounds[i].Head[0]+0.002*rng.NormFloat64(), rounds[i].Head[1]+0.002*rng.NormFloat64())
		for k := range rounds[i].Head {
			rounds[i].Head[k] += shift
		}
	}
	return rounds
}

func TestSuspectFindsTheProcessesOfOneSide(t *testing.T) {
	tolerance := math.Log1p(0.015)
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 5))
		if s := suspect(evenRounds(rng, 4), tolerance); s != nil {
			t.Fatalf("seed %d: even processes: %+v", seed, s)
		}
		rounds := evenRounds(rng, 8)
		rounds[3].Head[1] += math.Log(1.58)
		s := suspect(rounds, tolerance)
		if s == nil || s.Side != result.SideHead || s.Processes != 1 || s.Of != 16 || math.Abs(s.Shift-0.58) > 0.03 {
			t.Fatalf("seed %d: one process of head is 58 %% slower: %+v", seed, s)
		}
		rounds[5].Head[0] += math.Log(1.3)
		if s = suspect(rounds, tolerance); s == nil || s.Processes != 2 {
			t.Fatalf("seed %d: two are slower: %+v", seed, s)
		}
		rounds[1].Base[0] += math.Log(1.4)
		if s = suspect(rounds, tolerance); s != nil {
			t.Fatalf("seed %d: one of base is, too, so it is the machine: %+v", seed, s)
		}
		rounds = evenRounds(rng, 8)
		rounds[2].Base[0] += 0.05
		if s = suspect(rounds, tolerance); s == nil || s.Side != result.SideBase {
			t.Fatalf("seed %d: one of base is slower: %+v", seed, s)
		}
		shifted := evenRounds(rng, 8)
		for i := range shifted {
			shifted[i].Head[0] += 0.05
			shifted[i].Head[1] += 0.05
		}
		if s = suspect(shifted, tolerance); s != nil {
			t.Fatalf("seed %d: a shift of all is no process far outside: %+v", seed, s)
		}
		for _, shift := range []float64{-0.2, -0.02, 0.02, 0.2} {
			opening := firstRounds(rng, shift)
			if s = suspect(opening, tolerance); s != nil {
				t.Fatalf("seed %d: a shift of %v in rounds of two and four: %+v", seed, shift, s)
			}
			opening[1].Head[2] += 0.3
			if s = suspect(opening, tolerance); s == nil || s.Side != result.SideHead || s.Processes != 1 || s.Of != 8 {
				t.Fatalf("seed %d: one process of eight is slower, head shifted by %v: %+v", seed, shift, s)
			}
		}
	}
}
