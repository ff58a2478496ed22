package measure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/stats"
)

// round measures every open case in four fresh processes, A B B A or B A A B. It counts only when complete, and
// not when it was voided.
func (s *session) round(ctx context.Context) (voided bool, err error) {
	start := time.Now().UTC()
	r := result.Round{Index: len(s.rounds), Order: s.order(len(s.rounds)), Began: &start}
	open := s.open()
	for _, c := range open {
		c.beginRound()
	}
	turns := s.turnsOf(r.Order, open)
	for position, t := range turns {
		if err := s.process(ctx, r.Index, position, t, s.after(turns[position+1:])); err != nil {
			return false, err
		}
		if r.Voided = s.health(); r.Voided != "" {
			break
		}
	}
	if failed := failedOnHead(open); r.Voided == "" && len(failed) > 0 {
		if err := s.askBase(ctx, r.Index, failed); err != nil {
			return false, err
		}
		r.Voided = s.health()
	}
	r.Seconds = time.Since(start).Seconds()
	if r.Voided != "" {
		return true, s.void(ctx, r, open)
	}
	for _, c := range open {
		if c.Verdict != result.Error {
			r.Cases = append(r.Cases, c.Subject.Name)
		}
	}
	s.rounds, s.ran = append(s.rounds, r), append(s.ran, r)
	return false, nil
}

func (s *session) order(round int) string {
	return s.orders.Of(round, func() bool { return s.rng.IntN(2) == 1 })
}

// turn is one letter of a round: a side, and cases in an order by lot.
type turn struct {
	side  result.Side
	cases []*Case
}

func (s *session) turnsOf(order string, cases []*Case) []turn {
	var turns []turn
	for _, letter := range order {
		turns = append(turns, turn{sideOf(letter), s.shuffled(cases)})
	}
	return turns
}

// sideOf is the side that a letter of an order stands for.
func sideOf(letter rune) result.Side {
	return map[rune]result.Side{'A': result.SideBase, 'B': result.SideHead, 'R': result.SideRival1, 'S': result.SideRival2, 'T': result.SideRival3}[letter]
}

func (s *session) shuffled(cases []*Case) []*Case {
	cases = slices.Clone(cases)
	s.rng.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
	return cases
}

// stillMeasured are the cases of a turn that are measured on its side, and that nothing has ended since it was drawn.
func (t turn) stillMeasured() []*Case {
	return slices.DeleteFunc(slices.Clone(t.cases), func(c *Case) bool { return !c.has(t.side) })
}

// after are the processes that are wanted next, in order, as far as they are known: those of the turns that are left of a round, then those of the
// next one, if it follows without a look.
func (s *session) after(turns []turn) []wanted {
	var out []wanted
	for _, t := range turns {
		left := t.stillMeasured()
		_, cases := byBenchmark(left)
		if len(cases) == 0 && len(left) > 0 {
			return out // benchmarks alone: no process waits beside them
		}
		out = append(out, wants(t.side, cases)...)
	}
	if len(out) < s.mostAhead() && !s.looksAt(len(s.rounds)+1) {
		out = append(out, s.ofRound(len(s.rounds)+1)...)
	}
	return out
}

// ofRound are the first processes of a round that is not drawn yet, where only their sides are open.
func (s *session) ofRound(round int) []wanted {
	var out []wanted
	for _, letter := range s.order(round) {
		next := s.ofSide(sideOf(letter))
		if len(next) == 0 {
			break
		}
		out = append(out, next...)
	}
	return out
}

// ofSide is the process of a side that is wanted next, where there is but one.
func (s *session) ofSide(side result.Side) []wanted {
	_, cases := byBenchmark(s.openOn(side))
	if all := wants(side, cases); len(all) == 1 {
		return all
	}
	return nil
}

// process is a turn in fresh processes that measure its cases. then are those that are wanted after them.
func (s *session) process(ctx context.Context, round, position int, t turn, then []wanted) error {
	if err := s.judgeMany(ctx); err != nil {
		return err
	}
	cases, err := s.timeBenchmarks(ctx, round, position, t.side, t.stillMeasured())
	if err != nil {
		return err
	}
	warmed := map[Runner]bool{}
	return s.eachProcess(ctx, t.side, cases, then, func(r Runner, c *Case) error {
		s.progress(c, round, position)
		if !warmed[r] {
			warmed[r] = true
			start := time.Now()
			if err := warm(ctx, r, s.warmUp.NS); err != nil {
				return err
			}
			s.spend(result.PhaseWarm, start)
		}
		p, err := s.timeOpen(ctx, r, c, t.side)
		if err != nil {
			return err
		}
		p.Round, p.Position, p.Side = round, position, t.side
		if b := c.rival(t.side); b != nil {
			b.Processes = append(b.Processes, p) // its code is the configuration's, which has no reason to bend its clock
			return nil
		}
		c.Processes = append(c.Processes, p)
		if err := s.audit(ctx, r, c, p); err != nil {
			c.Processes = c.Processes[:len(c.Processes)-1] // the case may get its turn once more
			return err
		}
		return nil
	})
}

// audit looks at a process from outside. One that says itself that it is far slower is not worth the time.
func (s *session) audit(ctx context.Context, r Runner, c *Case, p result.Process) error {
	if !s.audits(c, p) || p.Stopped != "" && p.ValueNS > slownessLimit/2*c.Method.LaunchNS {
		return nil
	}
	defer s.spend(result.PhaseAudit, time.Now())
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
	if s.opt.Course != nil {
		return s.lookTogether(*s.opt.Course)
	}
	number := 1 + slices.Index(rule.Looks[:], len(s.rounds))
	if number == 0 {
		return nil
	}
	last := number == len(rule.Looks)
	for _, c := range s.open() {
		if c.Verdict != result.Undecided {
			continue
		}
		comparison, err := rule.CompareProcesses(c.Processes, number, *c.Method, s.opt.Policy)
		if errors.Is(err, stats.ErrConstant) {
			c.fail(result.SideBase, &kernels.RunnerError{Code: result.CodeCoarseClock, Message: "every process says exactly the same time: its clock is too coarse to " +
				"show a change, or it measures nothing. Let it time more work at once, or write times as they are"})
			continue
		}
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
	ns, claimed := hidden(c.audits[result.SideBase], c.audits[result.SideHead], c.Method.Clock)
	if ns == 0 {
		if w := rule.Witnessed(c.Processes, c.Method.Launches); w.Sure {
			ns, claimed = w.NS, w.Claimed
		}
	}
	if ns > 0 {
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
	s.leaveNone()
	for _, c := range open {
		c.dropPartialRound(len(s.rounds))
		if c.Verdict == result.Error {
			c.Verdict, c.ErrorSide, c.ErrorCode, c.Reason = result.Undecided, "", "", ""
		}
		c.forgetVoided()
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
