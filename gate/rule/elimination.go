package rule

import (
	"cmp"
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
	Variants   []result.Variant
	Cases      int
	// Shipped is never dropped before it significantly loses more than Gain, or significantly less. The zero value is none.
	Shipped result.Variant
}

// EliminationOf is the one that tune makes of the kernel as it is shipped and of its configurations, as far as they are measured.
func EliminationOf(p result.Policy, all []result.Configuration, cases int) Elimination {
	e := Elimination{Confidence: p.Confidence, Gain: p.Tolerance, Cases: cases, Shipped: result.VariantHead, Variants: []result.Variant{result.VariantHead}}
	for _, one := range all {
		if one.IsMeasured() {
			e.Variants = append(e.Variants, result.ConfigurationNamed(one.Name))
		}
	}
	return e
}

// eliminationLooks are the rounds after which variants are compared.
var eliminationLooks = Looks{2, 3, 4, 6, 8, 12, 16, 24, 32}

// policy shares the chance of error between the variants, the cases and all of them together, and the looks.
func (r Elimination) policy() result.Policy {
	p := Default()
	p.Confidence, p.Tolerance, p.PlannedLooks = r.Confidence, r.Gain, len(eliminationLooks)
	p.Cases = max(1, len(r.Variants)-1) * (r.Cases + 1)
	return p
}

// series is what was measured of one variant, each round's log values in the place of head.
type series struct {
	variant result.Variant
	rounds  []stats.Round
	timing  Timing
}

func (s series) mean() float64 {
	var all []float64
	for _, r := range s.rounds {
		all = append(all, r.Head...)
	}
	return stats.Mean(all)
}

// compare compares a series with the leader, whose place is base's: a ratio of 1.2 is 20 % slower.
func (r Elimination) compare(s, leader series, look int) (result.Comparison, error) {
	if s.variant == leader.variant {
		one := result.Comparison{Verdict: result.Same, Tolerance: r.Gain, Rounds: len(s.rounds), Look: look, Ratio: 1, RatioLow: 1, RatioHigh: 1}
		return one.Between(s.variant, s.variant), nil
	}
	rounds := make([]stats.Round, len(s.rounds))
	for i := range rounds {
		rounds[i] = stats.Round{Base: leader.rounds[i].Head, Head: s.rounds[i].Head}
	}
	c, err := Compare(rounds, look, coarsest([]Timing{s.timing, leader.timing}), r.policy())
	if err != nil {
		return c, err
	}
	gain := math.Log1p(r.Gain)
	switch {
	case c.Low > gain && s.variant == r.Shipped:
		c.Verdict = result.Regression
	case c.Low > 0 && s.variant != r.Shipped:
		c.Verdict = result.Slower
	case c.High < gain:
		c.Verdict = result.Same
	default:
		c.Verdict = result.Inconclusive
	}
	return c.Between(s.variant, leader.variant), nil
}

// Survivors is an elimination on its way. Groups are the cases, and behind them all of them together.
type Survivors struct {
	Looks
	Elimination
	groups []group
}

// group has the last comparison of each variant with what was the leader then.
type group struct {
	name   string // of the case, once it was looked at
	last   map[result.Variant]result.Comparison
	leader result.Variant // the zero value before there is one
	over   bool
}

// NewSurvivors begins an elimination.
func NewSurvivors(r Elimination) *Survivors {
	out := &Survivors{Looks: eliminationLooks, Elimination: r}
	for range r.Cases + 1 {
		out.groups = append(out.groups, group{last: map[result.Variant]result.Comparison{}})
	}
	return out
}

// eliminateAgain takes the looks of an elimination again, from the processes of its cases.
func eliminateAgain(r Elimination, cases []result.Case) (*Survivors, error) {
	s := NewSurvivors(r)
	var all []*result.Case
	for i := range cases {
		all = append(all, &cases[i])
	}
	return s, retake(s, all...)
}

// Look looks at the first so many rounds of each case. A variant whose rounds are not complete is not measured there any more; one that is dropped stays so.
func (r *Survivors) Look(rounds int, cases []*result.Case) (over bool, err error) {
	look := r.number(rounds)
	of := map[result.Variant][]series{}
	for i, c := range cases {
		measured := r.measured(*c, rounds)
		r.groups[i].name = c.Name
		if err := r.look(&r.groups[i], measured, look); err != nil {
			return false, err
		}
		for _, s := range measured {
			of[s.variant] = append(of[s.variant], s)
		}
	}
	var together []series
	for _, v := range r.Variants {
		if len(of[v]) < len(cases) {
			continue
		}
		all := series{variant: v}
		var each [][]stats.Round
		var timings []Timing
		for _, s := range of[v] {
			each, timings = append(each, s.rounds), append(timings, s.timing)
		}
		if all.rounds, err = meanRounds(each); err != nil {
			return false, err
		}
		all.timing = coarsest(timings)
		together = append(together, all)
	}
	err = r.look(&r.groups[len(cases)], together, look)
	return r.Over() || rounds >= r.Last(), err
}

// measured are the variants that are complete in the first so many rounds of a case.
func (r *Survivors) measured(c result.Case, rounds int) (out []series) {
	for _, v := range r.Variants {
		if c.Method == nil || !InRounds(v, c.Processes, rounds) {
			continue
		}
		own := slices.DeleteFunc(slices.Clone(c.Processes), func(p result.Process) bool { return p.Variant != v || p.Round >= rounds })
		out = append(out, series{v, arrange(v, own), TimingOf(*c.Method)})
	}
	return out
}

func (r *Survivors) look(t *group, all []series, look int) error {
	t.over = true
	all = slices.DeleteFunc(slices.Clone(all), func(s series) bool { return t.dropped(s.variant) })
	if len(all) == 0 {
		return nil
	}
	leader := slices.MinFunc(all, func(a, b series) int { return cmp.Compare(a.mean(), b.mean()) })
	t.leader = leader.variant
	for _, s := range all {
		c, err := r.compare(s, leader, look)
		if err != nil {
			return err
		}
		t.last[s.variant] = c
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
func (r *Survivors) Wants(c *result.Case, v result.Variant) bool {
	i := slices.IndexFunc(r.groups, func(t group) bool { return t.name == c.Name })
	return i < 0 || !r.groups[i].dropped(v) || !r.groups[len(r.groups)-1].dropped(v)
}

// Standings are the comparisons of all variants in a group with its leader, of one that was dropped with the leader of that time: the leader first, which is
// compared with itself, then those that may be as fast, the slower ones, and those that are not measured to the end. failed says why some are not.
func (r *Survivors) Standings(group int, failed map[result.Variant]*result.Reason) []result.Comparison {
	t := r.groups[group]
	var out []result.Comparison
	for _, v := range r.Variants {
		c, compared := t.last[v]
		if why := failed[v]; why != nil || !compared {
			c = result.Comparison{Verdict: result.Unmeasured, Reason: why}.Between(v, cmp.Or(t.leader, v))
		}
		out = append(out, c)
	}
	ranks := map[result.Verdict]int{result.Same: 1, result.Inconclusive: 2, result.Slower: 3, result.Regression: 3, result.Unmeasured: 4}
	rank := func(c result.Comparison) int {
		if c.IsOfFastest() {
			return 0
		}
		return ranks[c.Verdict]
	}
	slices.SortStableFunc(out, func(a, b result.Comparison) int { return cmp.Or(rank(a)-rank(b), cmp.Compare(a.Ratio, b.Ratio)) })
	return out
}
