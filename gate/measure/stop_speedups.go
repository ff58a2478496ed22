package measure

import (
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// speedups compares both sides with each competitor of a case until that has its answer: whether head reaches its minimum speedup, or, where there is
// none, the first look.
type speedups struct{ policy result.Policy }

func (s speedups) looks() []int { return rule.CompetitorLooks(s.policy.Competitors) }

func (s speedups) LooksAt(rounds int) bool { return slices.Contains(s.looks(), rounds) }

func (s speedups) Last() int { return slices.Max(s.looks()) }

func (s speedups) Look(rounds int, cases []*Case) (over bool, err error) {
	look := 1 + slices.Index(s.looks(), rounds)
	for _, c := range cases {
		if !c.IsOpen() {
			continue
		}
		for _, v := range c.competitors() {
			if !v.isWanted() || !rule.InRounds(v.Variant.Variant, c.Processes, rounds) {
				continue
			}
			if v.head, v.base, err = rule.LookAtCompetitor(v.head, c.Processes, look, rule.TimingOf(*c.Method), s.policy); err != nil {
				return false, fmt.Errorf("compare %s with %s: %w", c.Subject.Name, v.Name, err)
			}
		}
	}
	return false, nil
}
