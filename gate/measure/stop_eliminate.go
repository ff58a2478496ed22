package measure

import (
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// Eliminate drops the configurations of a kernel that are significantly slower than another, until those that are left are as good as the fastest.
func Eliminate(r rule.Elimination) StopRule { return eliminating{rule.NewSurvivors(r)} }

type eliminating struct{ *rule.Survivors }

func (e eliminating) Look(rounds int, cases []*Case) (over bool, err error) {
	groups := grouped(cases, func(c *Case) string { return c.Subject.Name })
	all := make([]result.Case, len(groups))
	for i, group := range groups {
		for _, c := range group {
			if c.IsOpen() {
				all[i].Method, all[i].Processes = c.Method, append(all[i].Processes, c.Processes...)
			}
		}
	}
	if err := e.Survivors.Look(rounds, all); err != nil {
		return false, err
	}
	for i, group := range groups {
		for _, c := range group {
			if c.IsOpen() && !e.Wants(i, c.Variant) {
				c.Drop()
			}
		}
	}
	return e.Over() || rounds >= e.Last(), nil
}
