package rule

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// lean is how much farther back than base head stands in a round on average.
func lean(order string) (sum float64) {
	count := map[rune]float64{}
	for _, letter := range order {
		count[letter]++
	}
	for place, letter := range order {
		if letter == 'B' {
			sum += float64(place) / count['B']
		} else {
			sum -= float64(place) / count['A']
		}
	}
	return sum
}

// After every look linear drift cancels, what disturbs one place of a round of four hits both sides alike, and the opening is one of four.
func TestOrdersAreBalancedAtEveryLook(t *testing.T) {
	starts := map[string]int{}
	looks := Schedule{}.Looks()
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		flip := func() bool { return rng.IntN(2) == 1 }
		var o Orders
		drift, places := 0.0, [2][4]int{}
		for round := range looks[len(looks)-1] {
			order := o.Of(round, flip)
			if again := o.Of(round, flip); again != order {
				t.Fatalf("round %d was %s and is repeated as %s", round, order, again)
			}
			base, head := o.Round(round)
			if strings.Count(order, "A") != base || strings.Count(order, "B") != head || len(order) != base+head {
				t.Fatalf("round %d is %s, want %d of base and %d of head", round, order, base, head)
			}
			weight := 1 / (1/float64(base) + 1/float64(head))
			drift += weight * lean(order)
			for place, letter := range order {
				if round >= openingRounds {
					places[letter-'A'][place]++
				}
			}
			if slices.Contains(looks, round+1) && (drift > 1e-9 || drift < -1e-9 || places[0] != places[1]) {
				t.Errorf("seed %d: after %d rounds head is %v places later, places %v", seed, round+1, drift, places)
			}
		}
		starts[o.Of(0, flip)+" "+o.Of(1, flip)]++
	}
	if len(starts) != 4 {
		t.Errorf("openings of 200 runs: %v, want four", starts)
	}
	for start, n := range starts {
		if n < 25 {
			t.Errorf("%s opens %d of 200 runs", start, n)
		}
	}
}

// What a process leaves behind for the next one hits both sides alike after 28, 44, … processes, whatever ran before the first.
func TestOrdersBalanceThePredecessor(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var o Orders
		previous, effect, weights := 'B', 0.0, 0.0 // head was calibrated last
		for round := range 34 {
			after, count := map[rune]float64{}, map[rune]float64{}
			for _, letter := range o.Of(round, func() bool { return rng.IntN(2) == 1 }) {
				count[letter]++
				if previous == 'B' {
					after[letter]++
				}
				previous = letter
			}
			weight := 1 / (1/count['A'] + 1/count['B'])
			effect, weights = effect+weight*(after['B']/count['B']-after['A']/count['A']), weights+weight
			if n := round + 1; n >= 6 && n%4 == 2 {
				if share := effect / weights; share > 0.3 || share < -0.3 {
					t.Errorf("seed %d: after %d rounds %+.2f of what head leaves behind is in the shift", seed, n, share)
				}
			}
		}
	}
}
