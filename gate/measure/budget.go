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

var errBudget = errors.New("the time budget is exhausted")

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
	needed := perRound * s.fours(s.opt.Stop.Last())
	for _, c := range s.open() {
		for _, v := range c.competitors() {
			c.answer(v).BudgetGone = c.wants(v)
		}
		c.dropPartialRound(complete)
		if c.Verdict != result.Undecided {
			continue
		}
		c.Verdict = result.Inconclusive
		c.BudgetGone, c.BudgetNeededS, c.Reason = true, needed, &result.Reason{Kind: result.ReasonBudgetSpent}
	}
}

// giveUpIncomplete gives up open cases: fewer processes than planned might not settle them, and rounds need the time.
func (s *session) giveUpIncomplete() {
	for _, c := range s.open() {
		c.giveUp(fmt.Sprintf("the time budget for head only, %s, is exhausted", s.opt.Budget.Round(time.Millisecond)))
	}
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

func (c *Case) giveUp(why string) { c.Verdict, c.Reason = result.Error, result.Message(why) }

// neededOfTwo is how long two rounds of all cases take by what was done of them when the budget was gone, s; 0 where they are complete, or nothing was
// done.
func (s *session) neededOfTwo() float64 {
	done, all := 0, 0
	for _, c := range s.cases {
		done, all = done+len(c.Processes), all+len(c.variants)
	}
	if done == 0 || len(s.rounds) >= 2 {
		return 0
	}
	return s.opt.Budget.Seconds() * float64(4*all) / float64(done)
}

// fours is how many rounds of four processes so many rounds are.
func (s *session) fours(rounds int) float64 {
	if !s.design.base {
		return float64(rounds)
	}
	return float64(s.orders.Processes(rounds)) / 4
}

// roundSeconds estimates what a round of four processes takes: by rounds that were complete, or by what calibration planned.
func (s *session) roundSeconds() float64 {
	if complete := len(s.rounds); complete > 0 {
		return s.opt.Budget.Seconds() / s.fours(complete)
	}
	processes, samples := s.plannedRound()
	return max(s.opt.Budget.Seconds(), processes+beyondSamples*samples)
}

// beyondSamples is how many times as long as its samples a case takes in a process, with filling and checking: about as much again.
const beyondSamples = 2

// refuse ends a plan whose first look takes longer than the budget, before anything is timed for nothing. It goes by samples and the start and warm-up of
// processes alone, which is the least; how many cases the budget holds is what likely fits.
func (s *session) refuse() bool {
	open, first := s.open(), 1
	for first < s.opt.Stop.Last() && !s.opt.Stop.LooksAt(first) {
		first++
	}
	processes, samples := s.plannedRound()
	round := s.opt.Budget.Seconds() / s.fours(first)
	if !s.design.base || processes+samples <= round {
		return false
	}
	holds := 0
	if each := beyondSamples * samples / float64(len(open)); round > processes {
		holds = min(int((round-processes)/each), len(open)-1)
	}
	s.gone = true
	s.cutShort()
	for _, c := range open {
		c.BudgetNeededS = (processes + beyondSamples*samples) * s.fours(s.opt.Stop.Last())
		c.Reason = &result.Reason{Kind: result.ReasonBudgetShort, Count: holds}
	}
	return true
}

// plannedRound is what a round of four processes of all open cases takes, by calibration: the start and the warm-up of its processes, s, and all samples, s. Processes that
// start ahead start while others measure.
func (s *session) plannedRound() (processes, samples float64) {
	each := s.warmUp.NS / 1e9
	if s.starts > 0 && s.opt.StartAhead == nil {
		each += s.phases[result.PhaseStart] / float64(s.starts)
	}
	for _, l := range []letter{letterBase, letterHead} {
		processes += 2 * each * float64(len(wants(s.openIn(l))))
	}
	for _, c := range s.open() {
		sides := 2
		for _, v := range c.competitors() {
			if v.Library != "" { // it has processes of its own
				sides++
			}
		}
		samples += 2 * float64(sides) * c.spanNS / 1e9
	}
	return processes, samples
}

// dropPartialRound removes what the interrupted round measured.
func (c *Case) dropPartialRound(complete int) {
	c.Processes = slices.DeleteFunc(c.Processes, func(p result.Process) bool { return p.Round >= complete })
}
