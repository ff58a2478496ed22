package rule

import (
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// Speedups compares both sides with each competitor of a case until that has its answer: whether head reaches its minimum speedup, or, where there is
// none, the first look. The competitors of a case are those that it has ToCompetitor of.
type Speedups struct {
	Looks
	policy result.Policy
}

// NewSpeedups looks after the rounds of CompetitorLooks.
func NewSpeedups(p result.Policy) Speedups { return Speedups{CompetitorLooks(p.Competitors), p} }

// Look compares with each competitor that has no answer yet and is in all rounds.
func (s Speedups) Look(rounds int, cases []*result.Case) (over bool, err error) {
	number := s.number(rounds)
	for _, c := range cases {
		if c.Verdict == result.Error {
			continue
		}
		processes := c.For(result.PurposeRounds)
		for _, q := range c.Comparisons {
			if !s.asks(q) || !InRounds(q.To, processes, rounds) {
				continue
			}
			head, base, err := LookAtCompetitor(q, processes, number, TimingOf(*c.Method), s.policy)
			if err != nil {
				return false, fmt.Errorf("compare %s with %s: %w", c.Name, q.To.Name, err)
			}
			c.SetComparison(head.Of, head.To, &head)
			if base.HasNumbers() {
				c.SetComparison(base.Of, base.To, &base)
			}
		}
	}
	return false, nil
}

// asks says whether a comparison is head's with a competitor that has no answer yet.
func (s Speedups) asks(q result.Comparison) bool {
	return q.Of == result.VariantHead && q.To.Role == result.RoleCompetitor && CompetitorWanted(q, s.policy)
}

// Wants is true of a competitor that has no answer yet, and with it of the sides.
func (s Speedups) Wants(c *result.Case, v result.Variant) bool {
	return slices.ContainsFunc(c.Comparisons, func(q result.Comparison) bool { return s.asks(q) && (v.Role != result.RoleCompetitor || v == q.To) })
}
