package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// An account shows the terms that changed most, and none that changed by less than a hundredth of base's time.
const (
	mostTerms = 3
	leastTerm = 0.01
)

// account says where the time of both sides goes, in shares of base's time: the terms that changed most, and the whole.
func account(e *result.CaseEvidence) []Text {
	changed := slices.DeleteFunc(slices.Clone(e.Account), func(t result.Term) bool { return math.Abs(t.Head-t.Base) < leastTerm })
	slices.SortStableFunc(changed, func(a, b result.Term) int { return cmp.Compare(math.Abs(b.Head-b.Base), math.Abs(a.Head-a.Base)) })
	if len(changed) == 0 {
		return nil
	}
	t := Say("of base's time: ")
	for _, term := range changed[:min(len(changed), mostTerms)] {
		t = append(t, words(Visible(term.Name)+" "+Percent(term.Base)+" → "+Percent(term.Head)+", "))
	}
	return []Text{append(t, words("in all 100 % → "+Percent(math.Exp(e.Log))))}
}
