package rule

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// Course is how a search measures a candidate beside what it is to beat: when all cases are looked at together, and what ends the
// measuring. The gate decides each case by itself and drops it when it is decided; a search wants one answer for the candidate, so all
// cases stay in all rounds and the mean of their log shifts is compared, which is the geometric mean of their ratios.
type Course struct {
	Looks
	Confirms bool // its word is taken
	// Claim is the chance, over all looks, that a candidate which is not faster is called ahead.
	Claim float64
	// Doubt is the chance, over all looks, that one which is not slower is called behind, and that one which is faster by Gain or more
	// is called level.
	Doubt float64
	Gain  float64 // the smallest gain worth finding: 0.015 is 1.5 %
}

// courseLooks are the looks of a search. The first comes early, since most candidates are clearly worse than what they start from; the last
// come late, since few candidates get there and these are what the search is for.
var courseLooks = Looks{2, 4, 6, 8, 12, 16, 20, 28, 36, 48, 64}

// Screening is the course of a candidate of which nothing is known. Its word that a candidate is ahead is not taken by itself: it asks for a
// confirmation in rounds of its own.
func Screening(confidence, gain float64) Course {
	return Course{Looks: courseLooks[:9], Claim: 1 - confidence, Doubt: 1 - confidence, Gain: gain}
}

// Confirmation is the course of a candidate that is to be called better, which spends claim.
func Confirmation(claim, confidence, gain float64) Course {
	return Course{Confirms: true, Looks: courseLooks[1:], Claim: claim, Doubt: 1 - confidence, Gain: gain}
}

// Standing is where a candidate stands beside another.
type Standing string

// Standings.
const (
	Ahead     Standing = "ahead"  // significantly faster
	Behind    Standing = "behind" // significantly slower
	Level     Standing = "level"  // neither, and a gain as large as the one that is looked for is excluded: more rounds are not worth it
	Undecided Standing = "undecided"
)

// Standings lists them.
var Standings = []Standing{Ahead, Behind, Level, Undecided}

// Stand is what a look found.
type Stand struct {
	Standing Standing
	// Compared is the comparison of all cases together. Its bounds are those of Doubt.
	Compared result.Comparison
	// ClaimHigh is the upper bound of the log shift that a claim rests on.
	ClaimHigh float64
	Over      bool // no further look changes the standing, or there is none
}

// Look compares after complete rounds. Each case has as many rounds; timings are in the order of cases. Fewer rounds than the first look asks
// for, and what Compare refuses, are errors.
func (c Course) Look(cases [][]stats.Round, timings []Timing) (Stand, error) {
	together, err := meanRounds(cases)
	if err != nil {
		return Stand{}, err
	}
	look := 0
	for look < len(c.Looks) && c.Looks[look] <= len(together) {
		look++
	}
	if look == 0 {
		return Stand{}, fmt.Errorf("compare: %d rounds, and the first look is after %d", len(together), c.Looks[0])
	}
	together = together[:c.Looks[look-1]] // more were not to be looked at: the budget was gone
	doubt, err := Compare(together, look, coarsest(timings), c.policy(c.Doubt))
	if err != nil {
		return Stand{}, err
	}
	claim := doubt
	if c.Claim != c.Doubt {
		if claim, err = Compare(together, look, coarsest(timings), c.policy(c.Claim)); err != nil {
			return Stand{}, err
		}
	}
	s := Stand{Standing: c.standing(doubt, claim), Compared: doubt, ClaimHigh: claim.High}
	s.Over = s.Standing != Undecided || look == len(c.Looks)
	return s, nil
}

func (c Course) standing(doubt, claim result.Comparison) Standing {
	g := math.Log1p(c.Gain)
	switch {
	case claim.High < 0:
		return Ahead
	case doubt.Low > 0:
		return Behind
	case doubt.Low > -g:
		return Level
	}
	return Undecided
}

// policy shares a chance of error between the looks.
func (c Course) policy(alpha float64) result.Policy {
	p := Default()
	p.Tolerance, p.Confidence, p.PlannedLooks = c.Gain, 1-alpha, len(c.Looks)
	return p
}

// RoundsOf are the rounds of the sides of cases, as far as they were timed, and how each was.
func RoundsOf(cases []result.Case) (rounds [][]stats.Round, timings []Timing) {
	for _, c := range cases {
		if sides := c.Sides(); len(sides) > 0 && c.Method != nil {
			rounds, timings = append(rounds, Rounds(sides)), append(timings, TimingOf(*c.Method))
		}
	}
	return rounds, timings
}

// meanRounds has the mean log values of all cases.
func meanRounds(cases [][]stats.Round) ([]stats.Round, error) {
	return weightedRounds(cases, slices.Repeat([]float64{1}, len(cases)), float64(len(cases)))
}

// weightedRounds has the weighted mean log values of cases, whose weights are a part of the total: of the rest both sides are equal. Processes of
// different cases that stand at one place of one round are one process, or ran next to each other.
func weightedRounds(cases [][]stats.Round, weights []float64, total float64) ([]stats.Round, error) {
	if len(cases) == 0 {
		return nil, fmt.Errorf("compare: there is no case")
	}
	out := make([]stats.Round, len(cases[0]))
	for i, rounds := range cases {
		if len(rounds) != len(out) {
			return nil, fmt.Errorf("compare: case %d has %d rounds, the first has %d", i, len(rounds), len(out))
		}
		for j, r := range rounds {
			if i == 0 {
				out[j] = stats.Round{Base: make([]float64, len(r.Base)), Head: make([]float64, len(r.Head))}
			}
			if len(r.Base) != len(out[j].Base) || len(r.Head) != len(out[j].Head) {
				return nil, fmt.Errorf("compare: round %d of case %d has %d processes of base and %d of head, the first case has %d and %d",
					j, i, len(r.Base), len(r.Head), len(out[j].Base), len(out[j].Head))
			}
			for k, y := range r.Base {
				out[j].Base[k] += weights[i] * y / total
			}
			for k, y := range r.Head {
				out[j].Head[k] += weights[i] * y / total
			}
		}
	}
	return out, nil
}

// coarsest is the timing with the largest step for the time that it measures: the mean of cases is known no better than that.
func coarsest(timings []Timing) Timing {
	return slices.MaxFunc(timings, func(a, b Timing) int { return cmp.Compare(a.floor(), b.floor()) })
}
