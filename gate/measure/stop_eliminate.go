package measure

import (
	"github.com/org/perfgate/gate/rule"
)

// Eliminate drops the configurations of a kernel that are significantly slower than another, until those that are left are as good as the fastest.
func Eliminate(r rule.Elimination) StopRule { return eliminating{rule.NewSurvivors(r)} }

type eliminating struct{ *rule.Survivors }

func (e eliminating) Look(rounds int, cases []*Case) (over bool, err error) {
	groups := grouped(cases, func(c *Case) string { return c.Subject.Name })
	all := make([][]rule.Series, len(groups))
	for i, group := range groups {
		for _, c := range group {
			if c.Method == nil || !c.IsOpen() {
				continue
			}
			if l, complete := rule.SeriesOf(c.Variant, c.Processes, rounds, *c.Method); complete {
				all[i] = append(all[i], l)
			}
		}
	}
	if err := e.Survivors.Look(all); err != nil {
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
