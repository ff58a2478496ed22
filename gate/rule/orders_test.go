package rule

import (
	"math/rand/v2"
	"testing"
)

func TestOrdersAreBalancedAtEveryLook(t *testing.T) {
	starts := map[string]int{}
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 1))
		flip := func() bool { return rng.IntN(2) == 1 }
		var o Orders
		count := map[string]int{}
		for round, look := 0, 0; look < len(Looks); round++ {
			order := o.Of(round, flip)
			if again := o.Of(round, flip); again != order {
				t.Fatalf("round %d was %s and is repeated as %s", round, order, again)
			}
			if count[order]++; round+1 == Looks[look] {
				if count[OrderABBA] != count[OrderBAAB] {
					t.Errorf("seed %d: after %d rounds %v", seed, round+1, count)
				}
				look++
			}
		}
		starts[o.Of(0, flip)]++
	}
	if starts[OrderABBA] < 25 || starts[OrderBAAB] < 25 {
		t.Errorf("first rounds of 100 runs: %v, want a lot", starts)
	}
}
