package rule

import (
	"math"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// interactionChance is how rarely machines without it are said to have a level of each side in each round.
const interactionChance = 1e-4

// interactionRounds is how many rounds of a case it takes. In two the sides lie equally far apart, their shift taken out, whatever is
// wrong with them: twelve processes cannot show it.
const interactionRounds = 4

// sideLevels notes where the rounds of a run say that a side has a level of its own in each of them: then the processes of a side in a
// round count as one, and bounds are narrower than they should be. One case cannot show it, all rounds of a run together may.
func (v *collector) sideLevels(parts []Part) {
	var all division
	for _, part := range parts {
		for _, c := range part.Cases {
			complete, err := arranged(c.Sides(), v.policy)
			if err == nil && len(complete) >= interactionRounds {
				all.count(complete)
			}
		}
	}
	if rounds := all.even + all.uneven; rounds > 0 && all.chance() < interactionChance {
		v.add(result.Finding{Kind: result.FindingInteraction, Apart: all.apart, Rounds: rounds})
	}
}

// division counts the rounds in which the two sides, their shift taken out, lie farther apart than in every other way to divide the
// processes into as many and as many: of 3 ways where each side has two, of 15 where they have two and four. Without levels of sides all
// ways are equally likely the farthest, whatever the scatter looks like; a shift that is estimated from the same rounds, and drift within
// a round, only make it rarer. Rounds of other sizes are not counted.
type division struct{ apart, even, uneven int }

const evenWays, unevenWays = 3, 15

func (d *division) count(rounds []stats.Round) {
	shift := stats.Shift(rounds)
	for _, r := range rounds {
		switch [2]int{len(r.Base), len(r.Head)} {
		case [2]int{2, 2}:
			d.even++
		case [2]int{2, 4}:
			d.uneven++
		default:
			continue
		}
		if farthestPair(withoutShift(r, shift)) {
			d.apart++
		}
	}
}

// chance is that of so many rounds or more, by the binomial distributions of both kinds of rounds.
func (d *division) chance() (sum float64) {
	even := func(k int) float64 { return stats.BinomialAtLeast(k, d.even, 1.0/evenWays) }
	uneven := func(k int) float64 { return stats.BinomialAtLeast(k, d.uneven, 1.0/unevenWays) }
	for k := range d.uneven + 1 {
		sum += (uneven(k) - uneven(k+1)) * even(d.apart-k)
	}
	return sum
}

// farthestPair says whether the first two values lie farther from the others than any other two do, by their means.
func farthestPair(values []float64) bool {
	total := stats.Mean(values)
	apart := func(i, j int) float64 { return math.Abs((values[i]+values[j])/2 - total) }
	for i := range values {
		for j := range i {
			if own := i == 1 && j == 0 || len(values) == 4 && i+j == 5; !own && apart(i, j) >= apart(0, 1) {
				return false
			}
		}
	}
	return true
}
