package rule

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// Elimination compares many configurations of one kernel that were measured in the same rounds, case by case and over all cases, and drops those that are
// surely slower than another. With the chance Confidence, the fastest configuration of every case and of all cases together is never dropped, over
// all looks: it could only be by a false claim that one of the others is faster, and each such claim has its share of the chance of error.
type Elimination struct {
	Confidence     float64
	Gain           float64 // two configurations that surely differ by less are as good as each other: 0.015 is 1.5 %
	Configurations int
	Cases          int
}

// eliminationLooks are the rounds after which configurations are compared.
var eliminationLooks = []int{2, 3, 4, 6, 8, 12, 16, 24, 32}

// LooksAt says whether configurations are compared after so many rounds.
func (r Elimination) LooksAt(rounds int) bool { return slices.Contains(eliminationLooks, rounds) }

// Last is the number of rounds after which nothing more is measured.
func (r Elimination) Last() int { return eliminationLooks[len(eliminationLooks)-1] }

// Series is what was measured of one configuration: its log values, two a round, and how they were timed.
type Series struct {
	Configuration int
	Values        [][2]float64
	Timing        Timing
}

// Ranking is where a configuration stands.
type Ranking struct {
	Configuration int
	// Behind compares it with the leader, whose place is base's: a ratio of 1.2 is 20 % slower. nil of the leader.
	Behind  *result.Comparison
	Dropped bool // surely slower than the leader
	Level   bool // surely slower by less than Gain, if at all
}

// Look places series that have the same rounds, the leader first. Fewer than two rounds and series that differ in their number are errors.
func (r Elimination) Look(series []Series) ([]Ranking, error) {
	if len(series) == 0 {
		return nil, fmt.Errorf("elimination: there is no configuration")
	}
	rounds := len(series[0].Values)
	look := 0
	for look < len(eliminationLooks) && eliminationLooks[look] <= rounds {
		look++
	}
	if look == 0 {
		return nil, fmt.Errorf("elimination: %d rounds, and the first look is after %d", rounds, eliminationLooks[0])
	}
	leader := slices.MinFunc(series, func(a, b Series) int { return cmp.Compare(a.mean(), b.mean()) })
	out := []Ranking{{Configuration: leader.Configuration}}
	for _, l := range series {
		if l.Configuration == leader.Configuration {
			continue
		}
		if len(l.Values) != rounds {
			return nil, fmt.Errorf("elimination: configuration %d has %d rounds, the first has %d", l.Configuration, len(l.Values), rounds)
		}
		p, err := r.place(l, leader, look)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	slices.SortStableFunc(out[1:], func(a, b Ranking) int { return cmp.Compare(a.Behind.Theta, b.Behind.Theta) })
	return out, nil
}

func (r Elimination) place(l, leader Series, look int) (Ranking, error) {
	rounds := make([]stats.Round, len(l.Values))
	for i := range rounds {
		rounds[i] = stats.Round{Base: leader.Values[i][:], Head: l.Values[i][:]}
	}
	c, err := Compare(rounds, look, coarsest([]Timing{l.Timing, leader.Timing}), r.policy())
	if err != nil {
		return Ranking{}, err
	}
	return Ranking{Configuration: l.Configuration, Behind: &c, Dropped: c.Low > 0, Level: c.High < math.Log1p(r.Gain)}, nil
}

// policy shares the chance of error between the configurations, the cases and all of them together, and the looks.
func (r Elimination) policy() result.Policy {
	p := Default()
	p.Confidence, p.Tolerance, p.PlannedLooks = r.Confidence, r.Gain, len(eliminationLooks)
	p.Cases = max(1, r.Configurations-1) * (r.Cases + 1)
	return p
}

func (l Series) mean() float64 {
	sum := 0.0
	for _, v := range l.Values {
		sum += v[0] + v[1]
	}
	return sum / float64(2*len(l.Values))
}

// GeometricMean is the series of a configuration over all its cases: the mean of their log values, which is the geometric mean of their times.
func GeometricMean(configuration int, cases []Series) Series {
	out := Series{Configuration: configuration, Values: make([][2]float64, len(cases[0].Values))}
	var timings []Timing
	for _, c := range cases {
		for i, v := range c.Values {
			out.Values[i][0] += v[0] / float64(len(cases))
			out.Values[i][1] += v[1] / float64(len(cases))
		}
		timings = append(timings, c.Timing)
	}
	out.Timing = coarsest(timings)
	return out
}

// Survivors is an elimination on its way: what was dropped where, and where each configuration was placed last. Groups are the cases, and behind them all of
// them together.
type Survivors struct {
	Elimination
	Shipped int // the configuration that is never dropped until it surely loses more than Gain, or surely less; -1: there is none
	groups  []group
}

type group struct {
	dropped map[int]bool
	placed  map[int]Ranking
	leader  int
	over    bool
}

// NewSurvivors begins an elimination.
func NewSurvivors(r Elimination, shipped int) *Survivors {
	out := &Survivors{Elimination: r, Shipped: shipped}
	for range r.Cases + 1 {
		out.groups = append(out.groups, group{dropped: map[int]bool{}, placed: map[int]Ranking{}, leader: -1})
	}
	return out
}

// Look looks at the series of each case, by configuration; one without values is not measured there. A configuration that is dropped stays so.
func (r *Survivors) Look(cases [][]Series) error {
	for i, series := range cases {
		if err := r.look(&r.groups[i], series); err != nil {
			return err
		}
	}
	return r.look(&r.groups[len(cases)], r.together(cases))
}

// together are the configurations that are measured in all cases.
func (r *Survivors) together(cases [][]Series) []Series {
	var out []Series
	for configuration := range cases[0] {
		var of []Series
		for _, series := range cases {
			if l := series[configuration]; len(l.Values) > 0 {
				of = append(of, l)
			}
		}
		if len(of) == len(cases) {
			out = append(out, GeometricMean(configuration, of))
		}
	}
	return out
}

func (r *Survivors) look(t *group, series []Series) error {
	series = slices.DeleteFunc(slices.Clone(series), func(l Series) bool { return len(l.Values) == 0 || t.dropped[l.Configuration] })
	if len(series) == 0 {
		t.over = true
		return nil
	}
	placed, err := r.Elimination.Look(series)
	if err != nil {
		return err
	}
	t.leader, t.over = placed[0].Configuration, true
	for _, p := range placed {
		t.placed[p.Configuration] = p
		switch {
		case p.Behind == nil:
		case p.Configuration == r.Shipped:
			t.dropped[p.Configuration] = r.loses(p)
			t.over = t.over && (p.Level || r.loses(p))
		case p.Dropped:
			t.dropped[p.Configuration] = true
		case !p.Level:
			t.over = false
		}
	}
	return nil
}

// loses says whether a configuration is surely slower than the leader by more than Gain.
func (r *Survivors) loses(p Ranking) bool {
	return p.Behind != nil && p.Behind.Low > math.Log1p(r.Gain)
}

// Over says whether every group has its answer: what is left of it is as good as its leader.
func (r *Survivors) Over() bool {
	return !slices.ContainsFunc(r.groups, func(t group) bool { return !t.over })
}

// Wants says whether a configuration is still measured in a case: for that case, or for all together.
func (r *Survivors) Wants(group, configuration int) bool {
	return !r.groups[group].dropped[configuration] || !r.groups[len(r.groups)-1].dropped[configuration]
}

// Place is where a configuration was placed last in a group, and whether it leads it; false where it was never.
func (r *Survivors) Place(group, configuration int) (p Ranking, leads, ok bool) {
	t := r.groups[group]
	p, ok = t.placed[configuration]
	return p, ok && t.leader == configuration, ok
}

// Standing is where a configuration stands in a group.
func (r *Survivors) Standing(group, configuration int) result.TunedStanding {
	p, leads, ok := r.Place(group, configuration)
	switch {
	case !ok:
		return result.TunedUnmeasured
	case leads:
		return result.TunedBest
	case p.Dropped && configuration != r.Shipped || r.loses(p):
		return result.TunedSlower
	case p.Level:
		return result.TunedLevel
	}
	return result.TunedInconclusive
}
