package measure

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/stats"
)

// StopRule says when rounds are enough.
type StopRule interface {
	// LooksAt says whether cases are looked at after so many complete rounds.
	LooksAt(rounds int) bool
	// Last is after how many there is no further look.
	Last() int
	// Look looks at all cases after so many. One that is decided is measured no more; over ends the measuring of all.
	Look(rounds int, cases []*Case) (over bool, err error)
}

// Each decides every case by itself, as the gate does.
func Each(p result.Policy) StopRule { return each{p} }

type each struct{ policy result.Policy }

func (e each) looks() []int { return rule.ScheduleOf(e.policy).Looks() }

func (e each) LooksAt(rounds int) bool { return slices.Contains(e.looks(), rounds) }

func (e each) Last() int { return rule.LastLook(e.policy) }

func (e each) Look(rounds int, cases []*Case) (bool, error) {
	number := 1 + slices.Index(e.looks(), rounds)
	for _, c := range cases {
		if c.Verdict != result.Undecided {
			continue
		}
		p := e.policy.Of(c.Subject.Name, c.Method.LaunchNS)
		err := c.look(number, p)
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
		stand, err := t.Course.Look(roundsOf(open))
		if err != nil {
			return false, fmt.Errorf("compare: %w", err)
		}
		over = stand.Over
	}
	for _, c := range open {
		p := t.policy.Of(c.Subject.Name, c.Method.LaunchNS)
		if err := c.look(len(c.Looks)+1, p); err != nil {
			return false, err
		}
		if over {
			c.decide(p, true)
		}
	}
	return over, nil
}

// roundsOf are the rounds of cases, and how each was timed.
func roundsOf(cases []*Case) (rounds [][]stats.Round, timings []rule.Timing) {
	for _, c := range cases {
		rounds, timings = append(rounds, rule.Rounds(c.sides())), append(timings, rule.TimingOf(*c.Method))
	}
	return rounds, timings
}

// Count ends after so many rounds and decides nothing.
type Count int

// LooksAt is true after the last.
func (n Count) LooksAt(rounds int) bool { return rounds == int(n) }

// Last is all of them.
func (n Count) Last() int { return int(n) }

// Look gives up cases whose clock and ours disagree.
func (n Count) Look(_ int, cases []*Case) (over bool, err error) {
	for _, c := range cases {
		c.doubt()
	}
	return true, nil
}

// look compares the sides of a case.
func (c *Case) look(number int, p result.Policy) error {
	comparison, err := rule.CompareProcesses(c.sides(), number, *c.Method, p)
	if err != nil {
		return fmt.Errorf("compare %s: %w", c.Subject.Name, err)
	}
	c.Comparison = &comparison
	c.Looks = append(c.Looks, result.Look{
		Rounds: comparison.Rounds, Theta: comparison.Theta, Low: comparison.Low, High: comparison.High, Verdict: c.Verdict,
	})
	return nil
}

// decide gives a case the verdict of its look. last says that no further one comes.
func (c *Case) decide(p result.Policy, last bool) {
	c.Verdict = rule.Decide(*c.Comparison, p, last)
	c.Comparison.Verdict = c.Verdict
	if c.Verdict != result.Undecided {
		c.doubt()
	}
	c.Looks[len(c.Looks)-1].Verdict = c.Verdict
}

// Series has the log values of a configuration's processes in complete rounds, two in each, and how they were timed.
func (c *Case) Series() rule.Series {
	l := rule.Series{Configuration: c.Configuration, Timing: rule.TimingOf(*c.Method), Values: make([][2]float64, len(c.Processes)/2)}
	for i, p := range c.Processes[:2*len(l.Values)] {
		l.Values[i/2][i%2] = math.Log(p.ValueNS)
	}
	return l
}

// Drop ends the measuring of a configuration.
func (c *Case) Drop() { c.Verdict = result.Regression }
