package rule

import (
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// interactionChance is how rarely machines without it are said to have a level of each side in each round.
const interactionChance = 1e-4

// sideLevels notes where the rounds of a run say that a side has a level of its own in each of them: then the four processes of a round
// count as two, and bounds are narrower than they should be. One case cannot show it, all rounds of a run together may.
func (v *collector) sideLevels(parts []Part) {
	apart, rounds := 0, 0
	for _, part := range parts {
		for _, c := range part.Cases {
			complete, err := arranged(c.Sides(), v.policy)
			if err != nil || len(complete) < MinRounds {
				continue
			}
			apart += sidesApart(complete)
			rounds += len(complete)
		}
	}
	if rounds == 0 {
		return
	}
	if stats.BinomialAtLeast(apart, rounds, 1.0/3) < interactionChance {
		v.add(result.Finding{Kind: result.FindingInteraction, Apart: apart, Rounds: rounds})
	}
}

// sidesApart counts the rounds in which the two sides, their shift taken out, lie farther apart than the other two ways to make pairs of
// the four processes. Without levels of sides all three are equally likely the farthest, whatever the scatter looks like; a shift that
// is estimated from the same rounds, and drift within a round, only make it rarer.
func sidesApart(rounds []stats.Round) int {
	shift := 0.0
	for _, r := range rounds {
		shift += (r.Head[0] + r.Head[1] - r.Base[0] - r.Base[1]) / 2 / float64(len(rounds))
	}
	count := 0
	for _, r := range rounds {
		a, b, c, d := r.Base[0], r.Base[1], r.Head[0]-shift, r.Head[1]-shift
		sides := math.Abs(a + b - c - d)
		if others := []float64{math.Abs(a + c - b - d), math.Abs(a + d - b - c)}; sides > slices.Max(others) {
			count++
		}
	}
	return count
}
