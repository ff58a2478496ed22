package measure

import (
	"fmt"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/stats"
)

// lookTogether takes one look at all cases, and ends the measuring of all of them at once. Until then each stays in the rounds, and has no verdict.
// A case that cannot be measured on head ends it as well: what is left of the candidate is not worth the time.
func (s *session) lookTogether(course rule.Course) error {
	open := s.open()
	if !course.LooksAt(len(s.rounds)) || len(open) == 0 {
		return nil
	}
	over := len(open) < len(s.cases)
	if !over {
		stand, err := course.Look(roundsOf(open))
		if err != nil {
			return fmt.Errorf("compare: %w", err)
		}
		over = stand.Over
	}
	for _, c := range open {
		comparison, err := rule.CompareProcesses(c.Processes, len(c.Looks)+1, *c.Method, s.opt.Policy)
		if err != nil {
			return fmt.Errorf("compare %s: %w", c.Subject.Name, err)
		}
		c.Comparison = &comparison
		if over {
			c.Verdict = rule.Decide(comparison, s.opt.Policy, true)
			c.doubt()
		}
		c.Looks = append(c.Looks, result.Look{
			Rounds: comparison.Rounds, Theta: comparison.Theta, Low: comparison.Low, High: comparison.High, Verdict: c.Verdict,
		})
	}
	return nil
}

// roundsOf are the rounds of cases, and how each was timed.
func roundsOf(cases []*Case) (rounds [][]stats.Round, timings []rule.Timing) {
	for _, c := range cases {
		rounds, timings = append(rounds, rule.Rounds(c.Processes)), append(timings, rule.TimingOf(*c.Method))
	}
	return rounds, timings
}

// lastLook is after how many rounds the last look is taken.
func (s *session) lastLook() int {
	if s.opt.Course != nil {
		return s.opt.Course.Last()
	}
	return rule.Looks[len(rule.Looks)-1]
}
