package simulate

import (
	"math"
	"slices"
	"sync"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/stats"
)

// Shifts are the true slowdowns of which the power is stated.
var Shifts = []float64{0.01, 0.02, 0.03, 0.05}

// at3 is where Shifts has 3 %.
const at3 = 2

// CheckedRounds are the rounds after which bounds and the minimum detectable effect are checked: 12, 28 and 60 processes.
var CheckedRounds = []int{2, 6, 14}

// coverageAlpha is the error of one side of the bounds whose coverage is counted.
const coverageAlpha = 0.01

// Promises are what the rule promises.
type Promises struct {
	Options Options
	Rows    []Promise
}

// Promise is what the rule does in one kind of noise at one tolerance.
type Promise struct {
	Noise        string
	Tolerance    float64
	Red          Rate       // unchanged cases called a regression
	Failed       Rate       // unchanged cases that fail a run, by their estimate too
	FailedSuites Rate       // unchanged suites with such a case
	Passed       Rate       // cases exactly at the tolerance that pass
	EdgeRed      Rate       // the same that are called a regression
	EdgeSuites   Rate       // suites at the tolerance with such a case
	EdgeOver     Rate       // cases at the tolerance that fail by their estimate
	Same         Rate       // unchanged cases that pass
	Undecided    Rate       // unchanged cases that no look decides
	Found        Rate       // cases twice the tolerance slower that are called a regression
	Power        []Rate     // cases of Shifts that are called a regression
	PassedAt3    Rate       // cases at +3 % that pass
	OverAt3      Rate       // cases at +3 % that fail by their estimate
	Processes    [2]float64 // of an unchanged case, by this rule and by the one before
	SamplingNS   [2]float64 // the same, what its samples take together
	ProcessesAt3 float64    // of a case at +3 %
	Effects      []Effect   // after CheckedRounds
	Misses       []string   // targets that are missed
}

// Effect is what bounds and the minimum detectable effect are worth.
type Effect struct {
	Covered Rate    // 98 % bounds that contain the true shift
	Stated  Rate    // cases whose run states an effect
	Seen    Rate    // of these, those whose effect another case of the same noise distinguishes from 0
	MDE     float64 // median; 0.01 is 1 %
}

// Promise simulates what the rule promises.
func (o Options) Promise() (Promises, error) {
	out := Promises{Options: o}
	policies, err := o.policies()
	if err != nil {
		return out, err
	}
	for _, n := range o.Noise {
		for _, p := range policies {
			out.Rows = append(out.Rows, o.promise(n, p))
		}
		o.observe(n.Name())
	}
	return out, nil
}

func (o Options) promise(n Noise, p result.Policy) Promise {
	row := Promise{Noise: n.Name(), Tolerance: p.Tolerance}
	unchanged := sync.OnceValue(func() []outcome { return o.cases(n, 0, p) })
	for _, t := range o.tables() {
		t.simulate(o, n, p, unchanged, &row)
	}
	row.Misses = targetOf(n).misses(row)
	return row
}

// checkedCase is what bounds and effect of one case are worth, and the rounds from which the effect was stated.
type checkedCase struct {
	rounds                []stats.Round
	covered, stated, seen bool
	mde                   float64
}

// effects counts how often 98 % bounds contain the true shift, made as the gate makes them, and how often the effect that one case states is
// distinguished from 0 by another whose true shift is that.
func (o Options) effects(n Noise, p result.Policy) []Effect {
	single, looks, last := p, rule.ScheduleOf(p).Looks(), CheckedRounds[len(CheckedRounds)-1]
	single.Cases, single.PlannedLooks, single.Confidence = 1, 1, 1-coverageAlpha
	cases := parallel(o.Trials, func(i int) (out []checkedCase) {
		first, second := newTrial(n, 0, o.Seed+2, i).upTo(last), newTrial(n, 0, o.Seed+3, i).upTo(last)
		for _, rounds := range CheckedRounds {
			look := 1 + slices.Index(looks, rounds)
			bounds, errBounds := rule.Compare(second[:rounds], 1, n.Timing(), single)
			stating, errStating := rule.Compare(first[:rounds], look, n.Timing(), p)
			seeing, errSeeing := rule.Compare(second[:rounds], look, n.Timing(), p)
			out = append(out, checkedCase{
				rounds: first[:rounds], covered: errBounds == nil && bounds.Low <= 0 && 0 <= bounds.High,
				mde: stating.MDE, stated: errStating == nil && stating.MDE > 0,
				seen: errSeeing == nil && seeing.Low+math.Log1p(stating.MDE) > 0, // a shift moves the bounds as it is
			})
		}
		return out
	})
	effects := make([]Effect, len(CheckedRounds))
	for k := range effects {
		var stated []float64
		for suite := range slices.Chunk(cases, o.SuiteCases) { // whether effects are stated, all cases of a run decide together
			var rounds [][]stats.Round
			for _, c := range suite {
				rounds = append(rounds, c[k].rounds)
			}
			unsteady := rule.Unsteady(rounds)
			for _, c := range suite {
				effects[k].Covered.add(c[k].covered)
				effects[k].Stated.add(c[k].stated && !unsteady)
				if c[k].stated {
					stated = append(stated, c[k].mde)
				}
				if c[k].stated && !unsteady {
					effects[k].Seen.add(c[k].seen)
				}
			}
		}
		effects[k].MDE = stats.MedianOrNaN(stated)
	}
	return effects
}
