package rule

import (
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// Noise is unsteady where in more cases than chance explains some rounds scatter by more than the others do.
const (
	unequalChance  = 0.01 // of a case with steady noise to be counted
	unsteadyChance = 0.05 // of a run with steady noise to be called unsteady
)

// Unsteady says of the rounds of a run's cases whether their noise is unsteady: outliers, or a machine that changes its state now and then. The next run
// may then scatter by more than this one, so what this one could have seen says nothing of it. One case of twelve processes seldom has an outlier of one
// process in twenty; all cases of a run do.
func Unsteady(cases [][]stats.Round) bool {
	unequal := 0
	for _, rounds := range cases {
		if stats.UnequalRounds(rounds) < unequalChance {
			unequal++
		}
	}
	return stats.BinomialAtLeast(unequal, len(cases), unequalChance) < unsteadyChance
}

// unsteady notes unsteady noise of a machine, and says whether it is: then the minimum detectable effect of its cases is not stated.
func (v *collector) unsteady(part Part) bool {
	var all [][]stats.Round
	for _, c := range part.Cases {
		if rounds, err := arranged(c.Sides(), v.policy); err == nil && c.Compared().HasNumbers() {
			all = append(all, rounds)
		}
	}
	if !Unsteady(all) {
		return false
	}
	v.add(result.Finding{Kind: result.FindingUnsteady})
	return true
}

// statedMDE is the minimum detectable effect that a finding states: none (0) where it is not known, or where the noise of the machine is unsteady. All
// findings take it from here.
func (v *collector) statedMDE(mde float64) float64 {
	if v.isUnsteady {
		return 0
	}
	return finite(mde)
}
