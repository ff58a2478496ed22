package measure

import (
	"github.com/org/perfgate/gate/rule"
)

// Eliminate drops the configurations of a kernel that are significantly slower than another, until those that are left are as good as the fastest.
func Eliminate(r rule.Elimination) StopRule { return eliminating{rule.NewSurvivors(r)} }

type eliminating struct{ *rule.Survivors }

func (e eliminating) Look(rounds int, cases []*Case) (over bool, err error) {
	if err := e.Survivors.Look(rounds, plain(cases)); err != nil {
		return false, err
	}
	for i, c := range cases {
		for _, t := range turnsIn([]*Case{c}, letterHead) {
			t.v.isDropped = !e.Wants(i, t.v.Variant.Variant)
		}
	}
	return e.Over() || rounds >= e.Last(), nil
}
