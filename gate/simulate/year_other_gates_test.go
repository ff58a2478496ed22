package simulate

import (
	"math"
	"math/rand/v2"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/stats"
)

// storedOnly compares 8 processes of head with 8 of the stored record of the commit before, and takes the record's day
// for head's.
func (o yearOptions) storedOnly(random *rand.Rand, commits []commit, p result.Policy) (yearOutcome, error) {
	p.PlannedLooks = 1
	var out yearOutcome
	stored := make([][]float64, o.Cases)
	for _, at := range commits {
		pull, push := o.session(random, at), o.session(random, at)
		red := false
		for c := range o.Cases {
			head := values(pull, c, at.level)
			if stored[c] != nil {
				compared, err := rule.CompareUnpaired(stored[c], head, stats.SessionVariance{}, 1, rule.Timing{Launches: 1, MedianNS: launchNS}, p)
				if err != nil {
					return out, err
				}
				red = red || rule.Decide(compared, p, true) == result.Regression
			}
			stored[c] = values(push, c, at.level)
		}
		out.Seconds += 2 * baseline.ScreenProcesses * o.cost(o.Cases)
		out.judge(at, red, p)
	}
	return out, nil
}

func values(s *session, c int, level float64) []float64 {
	out := make([]float64, baseline.ScreenProcesses)
	for i := range out {
		out[i] = s.process(c, level)
	}
	return out
}

// disjointIntervals is the rule of that name (otherRules), one process of 100 launches a side, base's from the store.
func (o yearOptions) disjointIntervals(random *rand.Rand, commits []commit, p result.Policy) (yearOutcome, error) {
	var out yearOutcome
	stored := make([][]float64, o.Cases)
	for _, at := range commits {
		pull, push := o.session(random, at), o.session(random, at)
		red := false
		for c := range o.Cases {
			head := pull.launches(c, at.level, 100)
			red = red || stored[c] != nil && disjoint(stored[c], head)
			stored[c] = push.launches(c, at.level, 100)
		}
		out.Seconds += 2 * o.cost(o.Cases)
		out.judge(at, red, p)
	}
	return out, nil
}

// alwaysPaired runs rounds on every commit.
func (o yearOptions) alwaysPaired(random *rand.Rand, commits []commit, p result.Policy) (yearOutcome, error) {
	g := &yearGate{o: o, policy: p, commits: commits, random: random}
	var every []int
	for c := range o.Cases {
		every = append(every, c)
	}
	for _, at := range commits[1:] {
		red, err := g.rounds(o.session(random, at), every, g.result(at))
		if err != nil {
			return g.out, err
		}
		g.out.judge(at, red, p)
	}
	return g.out, nil
}

// judge compares a verdict with the truth.
func (out *yearOutcome) judge(at commit, red bool, p result.Policy) {
	real := at.shift > math.Log1p(p.Tolerance)
	switch {
	case red && real:
		out.Found++
	case red:
		out.FalseReds++
	case real:
		out.Missed++
	}
}
