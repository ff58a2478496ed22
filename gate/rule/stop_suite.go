package rule

import (
	"slices"

	"github.com/org/perfgate/gate/result"
)

// SuiteLooks keeps the weighted cases in all rounds until they have their last word together, at the looks of the gate.
type SuiteLooks struct {
	Looks
	policy result.Policy
	equal  []result.Case
	added  []string // names of cases that base does not have: they are timed, and of no suite
	isPart bool
	wanted bool
}

// NewSuiteLooks has the cases of a suite whose sides are the same code, and the names of those that base does not have; isPart says that other cases of the
// suite are measured elsewhere: the last word is then said by all parts together, and not here.
func NewSuiteLooks(p result.Policy, equal []result.Case, added []string, isPart bool) *SuiteLooks {
	return &SuiteLooks{Looks: ScheduleOf(p).Looks(), policy: p, equal: equal, added: added, isPart: isPart}
}

// Look finds out whether further rounds may change what the cases say together; looks before this one had no last word.
func (l *SuiteLooks) Look(rounds int, cases []*result.Case) (over bool, err error) {
	all := slices.Clone(l.equal)
	for _, c := range cases {
		if !slices.Contains(l.added, c.Name) {
			all = append(all, before(c, rounds))
		}
	}
	v := &result.SuiteValue{}
	s, err := newSuite(all, l.policy, v)
	l.wanted = l.policy.Suite.Tolerance > 0 && err == nil && len(s.timed) > 0 && rounds < l.Last()
	if l.wanted && !l.isPart {
		over, err := s.look(v, l.number(rounds), rounds, false)
		l.wanted = err == nil && !over
	}
	return false, nil
}

// Wants is true of the sides of a weighted case.
func (l *SuiteLooks) Wants(c *result.Case, v result.Variant) bool {
	return l.wanted && v.Role != result.RoleCompetitor && l.policy.Suite.WeightOf(*c) > 0 && !slices.Contains(l.added, c.Name)
}
