package rule

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// Elimination compares the variants of a kernel that were measured in the same rounds, case by case and over all cases, and drops those that are
// significantly slower than another. With the chance Confidence, the fastest variant of every case and of all cases together is never dropped, over
// all looks: it could only be by a false claim that one of the others is faster, and each such claim has its share of the chance of error.
type Elimination struct {
	Confidence float64
	Gain       float64 // two variants that significantly differ by less are as good as each other: 0.015 is 1.5 %
	Variants   int
	Cases      int
	// Shipped is never dropped before it significantly loses more than Gain, or significantly less. The zero value is none.
	Shipped result.Variant
}

// eliminationLooks are the rounds after which variants are compared.
var eliminationLooks = []int{2, 3, 4, 6, 8, 12, 16, 24, 32}

// LooksAt says whether variants are compared after so many rounds.
func (r Elimination) LooksAt(rounds int) bool { return slices.Contains(eliminationLooks, rounds) }

// Last is the number of rounds after which nothing more is measured.
func (r Elimination) Last() int { return eliminationLooks[len(eliminationLooks)-1] }

// Series is what was measured of one variant: its log values, two a round, and how they were timed.
type Series struct {
	Variant result.Variant
	Values  [][2]float64
	Timing  Timing
}

// SeriesOf is the series of a variant in the first so many rounds; false where they are not complete.
func SeriesOf(v result.Variant, processes []result.Process, rounds int, m result.Method) (s Series, ok bool) {
	s = Series{Variant: v, Timing: TimingOf(m), Values: make([][2]float64, rounds)}
	n := 0
	for _, p := range processes {
		if p.Variant != v || p.Round >= rounds {
			continue
		}
		if n/2 != p.Round || !isTime(p) {
			return s, false
		}
		s.Values[n/2][n%2] = math.Log(p.ValueNS)
		n++
	}
	return s, n == 2*rounds
}

func (l Series) mean() float64 {
	sum := 0.0
	for _, v := range l.Values {
		sum += v[0] + v[1]
	}
	return sum / float64(2*len(l.Values))
}

// GeometricMean is the series of a variant over all its cases: the mean of their log values, which is the geometric mean of their times.
func GeometricMean(cases []Series) Series {
	out := Series{Variant: cases[0].Variant, Values: make([][2]float64, len(cases[0].Values))}
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

// compare compares a series with the leader, whose place is base's: a ratio of 1.2 is 20 % slower.
func (r Elimination) compare(l, leader Series, look int) (result.Comparison, error) {
	if l.Variant == leader.Variant {
		one := result.Comparison{Verdict: result.Same, Tolerance: r.Gain, Rounds: len(l.Values), Look: look, Ratio: 1, RatioLow: 1, RatioHigh: 1}
		return one.Between(l.Variant, l.Variant), nil
	}
	rounds := make([]stats.Round, len(l.Values))
	for i := range rounds {
		rounds[i] = stats.Round{Base: leader.Values[i][:], Head: l.Values[i][:]}
	}
	c, err := Compare(rounds, look, coarsest([]Timing{l.Timing, leader.Timing}), r.policy())
	if err != nil {
		return c, err
	}
	gain := math.Log1p(r.Gain)
	switch {
	case c.Low > gain && l.Variant == r.Shipped:
		c.Verdict = result.Regression
	case c.Low > 0 && l.Variant != r.Shipped:
		c.Verdict = result.Slower
	case c.High < gain:
		c.Verdict = result.Same
	default:
		c.Verdict = result.Inconclusive
	}
	return c.Between(l.Variant, leader.Variant), nil
}

// policy shares the chance of error between the variants, the cases and all of them together, and the looks.
func (r Elimination) policy() result.Policy {
	p := Default()
	p.Confidence, p.Tolerance, p.PlannedLooks = r.Confidence, r.Gain, len(eliminationLooks)
	p.Cases = max(1, r.Variants-1) * (r.Cases + 1)
	return p
}

// Survivors is an elimination on its way. Groups are the cases, and behind them all of them together.
type Survivors struct {
	Elimination
	groups []group
}

// group has the last comparison of each variant with what was the leader then.
type group struct {
	last   map[result.Variant]result.Comparison
	leader result.Variant // the zero value before there is one
	over   bool
}

// NewSurvivors begins an elimination.
func NewSurvivors(r Elimination) *Survivors {
	out := &Survivors{Elimination: r}
	for range r.Cases + 1 {
		out.groups = append(out.groups, group{last: map[result.Variant]result.Comparison{}})
	}
	return out
}

// Look looks at the series of each case, all of as many rounds; a variant without one is not measured there. One that is dropped stays so.
func (r *Survivors) Look(cases [][]Series) error {
	of := map[result.Variant][]Series{}
	for i, series := range cases {
		if err := r.look(&r.groups[i], series); err != nil {
			return err
		}
		for _, l := range series {
			of[l.Variant] = append(of[l.Variant], l)
		}
	}
	var together []Series
	for _, l := range cases[0] {
		if all := of[l.Variant]; len(all) == len(cases) {
			together = append(together, GeometricMean(all))
		}
	}
	return r.look(&r.groups[len(cases)], together)
}

func (r *Survivors) look(t *group, series []Series) error {
	t.over = true
	series = slices.DeleteFunc(slices.Clone(series), func(l Series) bool { return t.dropped(l.Variant) })
	if len(series) == 0 {
		return nil
	}
	leader := slices.MinFunc(series, func(a, b Series) int { return cmp.Compare(a.mean(), b.mean()) })
	rounds := len(leader.Values)
	look := len(slices.DeleteFunc(slices.Clone(eliminationLooks), func(n int) bool { return n > rounds }))
	if look == 0 {
		return fmt.Errorf("elimination: %d rounds, and the first look is after %d", rounds, eliminationLooks[0])
	}
	t.leader = leader.Variant
	for _, l := range series {
		if len(l.Values) != rounds {
			return fmt.Errorf("elimination: %s has %d rounds, the leader has %d", l.Variant, len(l.Values), rounds)
		}
		c, err := r.compare(l, leader, look)
		if err != nil {
			return err
		}
		t.last[l.Variant] = c
		t.over = t.over && c.Verdict != result.Inconclusive
	}
	return nil
}

func (t group) dropped(v result.Variant) bool {
	verdict := t.last[v].Verdict
	return verdict == result.Slower || verdict == result.Regression
}

// Over says whether every group has its answer: what is left of it is as good as its leader.
func (r *Survivors) Over() bool {
	return !slices.ContainsFunc(r.groups, func(t group) bool { return !t.over })
}

// Wants says whether a variant is still measured in a case: for that case, or for all together.
func (r *Survivors) Wants(group int, v result.Variant) bool {
	return !r.groups[group].dropped(v) || !r.groups[len(r.groups)-1].dropped(v)
}

// Standings are the comparisons of variants in a group with its leader, of one that was dropped with the leader of that time: the leader first, which is
// compared with itself, then those that may be as fast, the slower ones, and those that were never compared.
func (r *Survivors) Standings(group int, variants []result.Variant) []result.Comparison {
	t := r.groups[group]
	var out []result.Comparison
	for _, v := range variants {
		c, compared := t.last[v]
		if !compared {
			c = result.Comparison{Verdict: result.Unmeasured}.Between(v, cmp.Or(t.leader, v))
		}
		out = append(out, c)
	}
	SortStandings(out)
	return out
}

// SortStandings orders comparisons with leaders for people.
func SortStandings(all []result.Comparison) {
	ranks := map[result.Verdict]int{result.Same: 1, result.Inconclusive: 2, result.Slower: 3, result.Regression: 3, result.Unmeasured: 4}
	rank := func(c result.Comparison) int {
		if c.IsOfFastest() {
			return 0
		}
		return ranks[c.Verdict]
	}
	slices.SortStableFunc(all, func(a, b result.Comparison) int { return cmp.Or(rank(a)-rank(b), cmp.Compare(a.Ratio, b.Ratio)) })
}

// Eliminate takes the looks of an elimination again, from the processes of its cases.
func Eliminate(r Elimination, cases []result.Case, variants []result.Variant) (*Survivors, error) {
	s := NewSurvivors(r)
	for _, rounds := range eliminationLooks {
		var all [][]Series
		any := false
		for i, c := range cases {
			var series []Series
			for _, v := range variants {
				if c.Method == nil || !s.Wants(i, v) {
					continue
				}
				if l, complete := SeriesOf(v, c.Processes, rounds, *c.Method); complete {
					series, any = append(series, l), true
				}
			}
			all = append(all, series)
		}
		if !any {
			break
		}
		if err := s.Look(all); err != nil {
			return nil, err
		}
	}
	return s, nil
}
