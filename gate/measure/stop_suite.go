package measure

import (
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// Suite keeps the weighted cases in all rounds until they have their last word together. equal are cases of the suite whose sides are the same code; isPart
// says that other cases of the suite are measured elsewhere, so that the last word is not this session's.
func Suite(p result.Policy, equal []result.Case, isPart bool) StopRule {
	return keeping{each{p}, equal, isPart}
}

type keeping struct {
	each
	equal  []result.Case
	isPart bool
}

func (k keeping) Look(rounds int, cases []*Case) (over bool, err error) {
	all := slices.Concat(k.equal, plain(cases))
	wanted := rule.SuiteWanted(all, k.policy, k.isPart) && rounds < k.Last()
	for i, c := range cases {
		c.kept = wanted && k.policy.Suite.WeightOf(all[len(k.equal)+i]) > 0
	}
	return false, nil
}
