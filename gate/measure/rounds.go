package measure

import (
	"context"
	"fmt"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// round measures every open case in four fresh processes, A B B A or B A A B. It counts only when complete, and
// not when it was voided.
func (s *session) round(ctx context.Context) (voided bool, err error) {
	start := time.Now()
	r := result.Round{Index: len(s.rounds)}
	if s.opt.Renew != nil && r.Index%2 == 0 {
		s.opt.Renew()
	}
	r.Order = s.orders.Of(r.Index, func() bool { return s.rng.IntN(2) == 1 })
	open := s.open()
	for position, letter := range r.Order {
		side := result.SideBase
		if letter == 'B' {
			side = result.SideHead
		}
		if err := s.process(ctx, r.Index, position, side, s.open()); err != nil {
			return false, err
		}
		if r.Voided = s.health(); r.Voided != "" {
			break
		}
	}
	r.Seconds = time.Since(start).Seconds()
	if r.Voided != "" {
		return true, s.void(ctx, r, open)
	}
	for _, c := range open {
		if c.Verdict == result.Undecided {
			r.Cases = append(r.Cases, c.Subject.Name)
		}
	}
	s.rounds, s.ran = append(s.rounds, r), append(s.ran, r)
	return false, nil
}

// process is one letter of a round: fresh processes, one a library, that measure cases in an order by lot.
func (s *session) process(ctx context.Context, round, position int, side result.Side, cases []*Case) error {
	if err := s.judgeMany(ctx); err != nil {
		return err
	}
	s.rng.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
	cases, err := s.timeBenchmarks(ctx, round, position, side, cases)
	if err != nil {
		return err
	}
	warmed := map[Runner]bool{}
	return s.eachLibrary(ctx, side, cases, func(r Runner, c *Case) error {
		s.progress(c, round, position)
		if !warmed[r] {
			warmed[r] = true
			if err := warm(ctx, r, s.warmUp.NS); err != nil {
				return err
			}
		}
		p, err := s.timeOpen(ctx, r, c, side)
		if err != nil {
			return err
		}
		p.Round, p.Position, p.Side = round, position, side
		c.Processes = append(c.Processes, p)
		return s.audit(ctx, r, c, p)
	})
}

// audit looks at a process from outside, in the first round. One that says itself that it is far slower is not worth the time.
func (s *session) audit(ctx context.Context, r Runner, c *Case, p result.Process) error {
	if s.opt.NoAudit || !audited(*c.Method, p.Round, p.Position) || p.Stopped != "" && p.ValueNS > slownessLimit/2*c.Method.LaunchNS {
		return nil
	}
	a, ok, err := watch(ctx, r, c.Subject, *c.Method, s.opt.Seed)
	if err != nil || !ok {
		return err
	}
	if c.audits == nil {
		c.audits = map[result.Side][]audit{}
	}
	c.audits[p.Side] = append(c.audits[p.Side], a)
	return nil
}

func (s *session) progress(c *Case, round, position int) {
	if s.opt.Progress == nil {
		return
	}
	s.opt.Progress(Progress{
		Case: c.Subject.Name, Round: round + 1, Process: position, Open: len(s.open()), Last: c.Comparison, Remaining: s.remaining(),
	})
}

// look decides the open cases if the number of complete rounds calls for it.
func (s *session) look() error {
	number := 0
	for i, r := range rule.Looks {
		if r == len(s.rounds) {
			number = i + 1
		}
	}
	if number == 0 {
		return nil
	}
	last := number == len(rule.Looks)
	for _, c := range s.open() {
		rounds := rule.Rounds(c.Processes)
		comparison, err := rule.Compare(rounds, number, rule.TimingOf(*c.Method), s.opt.Policy)
		if err != nil {
			return fmt.Errorf("compare %s: %w", c.Subject.Name, err)
		}
		c.Comparison = &comparison
		c.Verdict = rule.Decide(comparison, s.opt.Policy, last)
		c.doubt()
		c.Looks = append(c.Looks, result.Look{
			Rounds: comparison.Rounds, Theta: comparison.Theta, Low: comparison.Low, High: comparison.High, Verdict: c.Verdict,
		})
	}
	return nil
}

// doubt takes back a verdict that head's own clock was bent for. A regression stays one.
func (c *Case) doubt() {
	if c.Verdict == result.Undecided || c.Verdict == result.Regression {
		return
	}
	if ns, claimed := hidden(c.audits[result.SideBase], c.audits[result.SideHead], c.Method.Clock); ns > 0 {
		c.fail(result.SideHead, disagrees(ns, claimed))
	}
}

// maxVoided is how many rounds may be voided before the machine is given up.
const maxVoided = 8

// voidPause is how long the machine gets to recover after the first voided round; after each further one twice as
// long, at most maxPause: a hot GPU cools in seconds, and who computes beside us may soon be done. Tests shorten it.
var voidPause = time.Second

const maxPause = 30 * time.Second

func (s *session) health() string {
	if s.opt.Health == nil {
		return ""
	}
	return s.opt.Health()
}

// void forgets what a round measured on the cases that were open when it began, and waits a moment. Their errors too:
// memory that a foreign process took is not the fault of a kernel.
func (s *session) void(ctx context.Context, r result.Round, open []*Case) error {
	for _, c := range open {
		c.dropPartialRound(len(s.rounds))
		if c.Verdict == result.Error {
			c.Verdict, c.ErrorSide, c.Reason = result.Undecided, "", ""
		}
		r.Cases = append(r.Cases, c.Subject.Name)
	}
	s.ran = append(s.ran, r)
	voided := len(s.ran) - len(s.rounds)
	if voided > maxVoided {
		return fmt.Errorf("%d rounds were voided, the last by this: %s", voided, r.Voided)
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(min(maxPause, voidPause<<(voided-1))):
		s.health() // what went on meanwhile disturbed nothing
		return nil
	}
}
