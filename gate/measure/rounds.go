package measure

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// roundsUntilOver runs rounds until the stop rule, or the budget, ends them. A look that is due is taken in any case.
func (s *session) roundsUntilOver(ctx context.Context) error {
	budget, cancel := s.begin(ctx)
	defer cancel()
	for len(s.open()) > 0 {
		voided, err := s.round(budget)
		if isGone(budget, ctx) {
			s.gone = true
			s.design.cut(s)
			if s.design.whole { // some cases are complete
				return s.judge(ctx)
			}
			return nil
		}
		if err != nil {
			return err
		}
		if voided {
			continue
		}
		if over, err := s.look(ctx); err != nil || over {
			return err
		}
	}
	return nil
}

// round measures every open case in fresh processes, as the design has it. It counts only when complete, and not when it was voided.
func (s *session) round(ctx context.Context) (voided bool, err error) {
	start := time.Now().UTC()
	r := result.Round{Index: len(s.rounds), Began: &start}
	open := s.open()
	before := snapshot(open)
	var positions []position
	r.Order, positions = s.draw(r.Index)
	for i, p := range positions {
		if s.design.whole { // its cases are drawn when their turn comes
			p.turns = shuffled(s.rng, p.turns)
		}
		if err := s.process(ctx, p, s.after(positions[i+1:])); err != nil {
			return false, err
		}
		r.Voided = s.health()
		if r.Voided != "" && s.design.whole {
			for _, t := range p.turns {
				t.giveUp("the machine was disturbed: " + r.Voided)
			}
			r.Voided = ""
		}
		if r.Voided != "" {
			break
		}
	}
	if failed := failedOnHead(open); s.design.base && r.Voided == "" && len(failed) > 0 {
		if err := s.askBase(ctx, r.Index, failed); err != nil {
			return false, err
		}
		r.Voided = s.health()
	}
	r.Seconds = time.Since(start).Seconds()
	if r.Voided != "" {
		return true, s.void(ctx, r, open, before)
	}
	for _, c := range open {
		if c.Verdict != result.Error {
			r.Cases = append(r.Cases, c.Subject.Name)
		}
	}
	s.rounds, s.ran = append(s.rounds, r), append(s.ran, r)
	return false, nil
}

// process measures the cases of a position in fresh processes. then are those that are wanted after them.
func (s *session) process(ctx context.Context, at position, then []wanted) error {
	if err := s.judgeMany(ctx); err != nil {
		return err
	}
	all := func(r *running, g benchmarkCases) error {
		s.progress(g[0].Case, at)
		return g.time(ctx, r, at, !s.design.base || g[0].v.letter == letterBase)
	}
	each := func(r *running, t turn) error {
		s.progress(t.Case, at)
		start := time.Now()
		if err := r.warm(ctx, s.warmUp.NS); err != nil {
			return err
		}
		s.spend(result.PhaseWarm, start)
		p, err := s.timeOpen(ctx, r, t)
		if err == nil && s.checksMore(t, p) {
			p.TimingCheck, err = s.checkMore(ctx, r.Process, t.Case)
		}
		if err != nil {
			return err
		}
		t.add(p, at)
		return nil
	}
	return s.eachProcess(ctx, at.stillMeasured(), then, do{each, all})
}

// add gives a case the process of a turn.
func (t turn) add(p result.Process, at position) {
	p.Round, p.Position, p.Variant = at.round, at.place, t.v.Variant.Variant
	t.Processes = append(t.Processes, p)
}

func (s *session) progress(c *Case, at position) {
	if s.opt.Progress == nil {
		return
	}
	s.opt.Progress(Progress{
		Case: c.Subject.Name, Round: at.round + 1, Process: at.place, Open: len(s.openIn(letterHead)), Last: c.compared(), Remaining: s.remaining(),
	})
}

// look lets the stop rules have their looks if the number of complete rounds calls for one.
func (s *session) look(ctx context.Context) (over bool, err error) {
	rounds := len(s.rounds)
	if !s.looksAt(rounds) {
		return false, nil
	}
	if err := s.judge(ctx); err != nil {
		return false, err
	}
	for _, stop := range s.stops {
		if !stop.LooksAt(rounds) {
			continue
		}
		open := s.undecided()
		ends, err := stop.Look(rounds, s.results())
		if over = over || ends; err != nil {
			return over, err
		}
		for _, c := range open {
			if c.Verdict != result.Undecided || s.design.whole {
				c.doubt()
			}
		}
	}
	return over, nil
}

// undecided are the cases without a verdict.
func (s *session) undecided() []*Case {
	return slices.DeleteFunc(slices.Clone(s.cases), func(c *Case) bool { return c.Verdict != result.Undecided })
}

// results are all cases as stop rules see them.
func (s *session) results() (out []*result.Case) {
	for _, c := range s.cases {
		out = append(out, &c.Case)
	}
	return out
}

func (s *session) looksAt(rounds int) bool {
	return slices.ContainsFunc(s.stops, func(stop rule.StopRule) bool { return stop.LooksAt(rounds) })
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

// snapshot are cases as they stand.
func snapshot(cases []*Case) []Case {
	out := make([]Case, len(cases))
	for i, c := range cases {
		out[i] = *c
		out[i].variants = slices.Clone(c.variants)
	}
	return out
}

// restore makes a case what it was, but for who was pardoned.
func (c *Case) restore(before Case) {
	variants := c.variants
	*c = before
	for i, v := range before.variants {
		v.pardoned = variants[i].pardoned
		variants[i] = v
	}
	c.variants = variants
}

// void forgets what a round measured, and waits a moment. Its errors too: memory that a foreign process took is not the fault of a kernel.
func (s *session) void(ctx context.Context, r result.Round, open []*Case, before []Case) error {
	s.pool.Drop()
	for i, c := range open {
		if !c.judged {
			c.restore(before[i])
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
