package measure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/org/perfgate/gate/result"
)

func (s *session) remaining() time.Duration { return s.opt.Budget - time.Since(s.began) }

var errBudget = errors.New("the budget is gone")

// begin starts the budget. What happened to the machine while calibrating is no process's fault.
func (s *session) begin(ctx context.Context) (budget context.Context, cancel context.CancelFunc) {
	s.health()
	s.began = time.Now()
	return context.WithTimeoutCause(ctx, s.opt.Budget, errBudget)
}

// isGone says whether it was the budget that ended something, and not what the session was given to run in.
func isGone(budget, session context.Context) bool {
	return errors.Is(context.Cause(budget), errBudget) && session.Err() == nil
}

// cutShort gives what is still open its last word: without all its looks a case is not decided.
func (s *session) cutShort() {
	complete := len(s.rounds)
	perRound := s.roundSeconds()
	for _, c := range s.open() {
		c.competitorsCutShort()
		c.dropPartialRound(complete)
		if c.Verdict != result.Undecided {
			continue
		}
		c.Verdict = result.Inconclusive
		c.BudgetGone = true
		c.BudgetNeeded = perRound * float64(s.opt.Stop.Last())
		rounds := "rounds"
		if complete == 1 {
			rounds = "round"
		}
		c.Reason = fmt.Sprintf("the budget of %s was gone after %d complete %s", s.opt.Budget, complete, rounds)
	}
}

// giveUpIncomplete gives up open cases: fewer processes than planned might not settle them, and rounds need the time.
func (s *session) giveUpIncomplete() {
	s.giveUp(s.open(), fmt.Sprintf("the %s of the budget that head alone may take were gone", s.opt.Budget.Round(time.Millisecond)))
	for _, c := range s.cases {
		c.doubt()
	}
}

// dropIncomplete leaves what complete rounds measured.
func (s *session) dropIncomplete() {
	s.needed = s.neededOfTwo()
	for _, c := range s.cases {
		c.dropPartialRound(len(s.rounds))
	}
}

func (s *session) giveUp(cases []*Case, why string) {
	for _, c := range cases {
		c.Verdict, c.Reason = result.Error, why
	}
}

// neededOfTwo is how long two rounds of all cases take by what was done of them when the budget was gone, s; 0 where they are complete, or nothing was
// done.
func (s *session) neededOfTwo() float64 {
	done := 0
	for _, c := range s.cases {
		done += len(c.Processes)
	}
	if done == 0 || len(s.rounds) >= 2 {
		return 0
	}
	return s.opt.Budget.Seconds() * float64(4*len(s.cases)) / float64(done)
}

// roundSeconds estimates what a round takes. Before one was complete there is only what calibration planned: the samples,
// and about as much again for starting, filling and checking.
func (s *session) roundSeconds() float64 {
	if complete := len(s.rounds); complete > 0 {
		return s.opt.Budget.Seconds() / float64(complete)
	}
	planned := s.warmUp.NS
	for _, c := range s.open() {
		planned += 2 * c.Method.LimitNS / slownessLimit
	}
	return max(s.opt.Budget.Seconds(), float64(2*(2+s.orders.Competitors))*planned/1e9)
}

// dropPartialRound removes what the interrupted round measured.
func (c *Case) dropPartialRound(complete int) {
	late := func(p result.Process) bool { return p.Round >= complete }
	c.Processes = slices.DeleteFunc(c.Processes, late)
	for _, b := range c.competitors {
		b.processes = slices.DeleteFunc(b.processes, late)
	}
}
