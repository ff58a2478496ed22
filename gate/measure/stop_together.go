package measure

import (
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// Together takes looks at all cases at once, as a search wants them, and decides them all at the same one. Until then each stays in the rounds. A
// case that cannot be measured on head ends it as well: what is left of the candidate is not worth the time.
func Together(c rule.Course, p result.Policy) StopRule { return together{c, p} }

type together struct {
	rule.Course
	policy result.Policy
}

func (t together) Look(_ int, cases []*Case) (over bool, err error) {
	open := slices.DeleteFunc(slices.Clone(cases), func(c *Case) bool { return !c.IsOpen() })
	over = len(open) < len(cases)
	if !over {
		stand, err := t.Course.Look(rule.RoundsOf(plain(open)))
		if err != nil {
			return false, fmt.Errorf("compare: %w", err)
		}
		over = stand.Over
	}
	for _, c := range open {
		p := c.policy(t.policy)
		if err := c.look(p); err != nil {
			return false, err
		}
		if over {
			c.decide(p, true)
		}
	}
	return over, nil
}
