package measure

import (
	"errors"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/stats"
)

// Each decides every case by itself, as the gate does.
func Each(p result.Policy) StopRule { return each{p} }

type each struct{ policy result.Policy }

func (e each) looks() []int { return rule.ScheduleOf(e.policy).Looks() }

func (e each) LooksAt(rounds int) bool { return slices.Contains(e.looks(), rounds) }

func (e each) Last() int { return rule.LastLook(e.policy) }

func (e each) Look(rounds int, cases []*Case) (bool, error) {
	for _, c := range cases {
		if c.Verdict != result.Undecided {
			continue
		}
		p := c.policy(e.policy)
		err := c.look(p)
		if errors.Is(err, stats.ErrConstant) {
			c.fail(result.SideBase, &kernels.RunnerError{Code: result.CodeCoarseClock, Message: "every process says exactly the same time: its clock is too coarse to " +
				"show a change, or it measures nothing. Let it time more work at once, or write times as they are"})
			continue
		}
		if err != nil {
			return false, err
		}
		c.decide(p, rounds == e.Last())
	}
	return false, nil
}
