package rule

import (
	"fmt"

	"github.com/org/perfgate/gate/result"
)

// Together takes looks at all cases at once, as a search wants them, and decides them all at the same one. Until then each stays in the rounds. A
// case that cannot be measured on head ends it as well: what is left of the candidate is not worth the time.
type Together struct {
	Course
	Policy result.Policy
}

// Look compares the mean of all cases, and each by itself.
func (t Together) Look(rounds int, cases []*result.Case) (over bool, err error) {
	var open []*result.Case
	var now []result.Case
	for _, c := range cases {
		if c.Verdict == result.Undecided {
			open, now = append(open, c), append(now, before(c, rounds))
		}
	}
	over = len(open) < len(cases)
	if !over {
		stand, err := t.Course.Look(RoundsOf(now))
		if err != nil {
			return false, fmt.Errorf("compare: %w", err)
		}
		over = stand.Over
	}
	for _, c := range open {
		p := t.Policy.OfCase(*c)
		if err := look(c, result.VariantBase, rounds, t.number(rounds), p); err != nil {
			return false, err
		}
		if over {
			decide(c, result.VariantBase, p, true)
		}
	}
	return over, nil
}

// Wants is true of the sides of all cases until they are decided.
func (t Together) Wants(c *result.Case, v result.Variant) bool {
	return c.Verdict == result.Undecided && v.Role != result.RoleCompetitor
}
