package measure

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/org/perfgate/gate/result"
)

// AloneSubject is a case whose head is measured without a base beside it.
type AloneSubject struct {
	Subject
	Method    *result.Method // of a record; nil calibrates on head, and so all subjects
	WarmUpNS  float64        // that goes with Method
	Processes int            // fresh processes to measure it in
}

// RunAlone measures head in fresh processes, four to a round, and each rival of a case in as many. A case has all of them, or none: then its verdict is error, and Reason
// says what of the code, the machine or the budget was in the way. Rounds will find out whose fault it is. The error is ours, the
// machine's or the context's.
func RunAlone(ctx context.Context, subjects []AloneSubject, opt Options) (Outcome, error) {
	s := &session{opt: opt, alone: true, rng: rand.New(rand.NewPCG(opt.Seed, 0x616c6f6e65))}
	defer s.leaveNone()
	most, known := 0, true
	for _, a := range subjects {
		c := s.add(a.Subject)
		c.Method, c.planned = a.Method, a.Processes
		most, known = max(most, a.Processes), known && a.Method != nil
	}
	if known {
		for _, a := range subjects { // of several records the longest
			s.warmUp = result.WarmUp{NS: max(s.warmUp.NS, a.WarmUpNS), Held: true}
		}
	}
	if err := s.calibrateAlone(ctx, known); err != nil {
		return s.outcome(), err
	}
	err := s.turns(ctx, most)
	for _, c := range s.cases {
		if c.Verdict == result.Error {
			c.Processes, c.rivals = nil, nil
		}
	}
	return s.outcome(), err
}

// calibrateAlone looks at every case once on head, where its method is not known or rivals are held against its tensors, and freezes how it is
// timed.
func (s *session) calibrateAlone(ctx context.Context, known bool) error {
	if known && len(s.rivalSides()) == 0 {
		return nil
	}
	head := map[*Case]probe{}
	if err := s.probeSide(ctx, result.SideHead, head, s.ofSide(result.SideHead)); err != nil {
		return err
	}
	rivals, err := s.probeRivals(ctx, head)
	if err == nil && !known {
		s.freeze(head, head, rivals)
	}
	return err
}

// turns measures every case in as many processes as it is planned for.
func (s *session) turns(ctx context.Context, most int) error {
	budget, cancel := s.begin(ctx)
	defer cancel()
	for n := range most {
		err := s.turn(budget, n, n+1 < most)
		if isGone(budget, ctx) {
			// Fewer processes than planned might not settle a case, and rounds need the time.
			s.giveUp(s.open(), fmt.Sprintf("the %s of the budget that head alone may take were gone", s.opt.Budget.Round(time.Millisecond)))
			break
		}
		if err != nil {
			return err
		}
	}
	s.doubtAlone()
	return nil
}

// turn measures every open case once, in fresh processes, in an order by lot. again says whether another turn follows.
func (s *session) turn(ctx context.Context, n int, again bool) error {
	turns := s.aloneTurns()
	s.rng.Shuffle(len(turns), func(i, j int) { turns[i], turns[j] = turns[j], turns[i] })
	for i, t := range turns {
		var then []wanted
		for _, later := range turns[i+1:] {
			then = append(then, want(later.side, later.cases))
		}
		if again && len(turns) == 1 {
			then = wants(t.side, t.cases)
		}
		if err := s.process(ctx, n/4, n%4, turn{t.side, s.shuffled(t.cases)}, then); err != nil {
			return err
		}
		if disturbed := s.health(); disturbed != "" {
			s.giveUp(t.cases, "the machine was disturbed: "+disturbed)
		}
	}
	return nil
}

// aloneTurns are the processes that measure every open case once, and every rival of it.
func (s *session) aloneTurns() []turn {
	var out []turn
	benchmarks, cases := byBenchmark(s.open())
	for _, b := range benchmarks {
		out = append(out, turn{result.SideHead, b.cases})
	}
	for _, group := range byProcess(cases, result.SideHead) {
		out = append(out, turn{result.SideHead, group})
	}
	for _, side := range s.rivalSides() {
		for _, group := range byProcess(s.openOn(side), side) {
			out = append(out, turn{side, group})
		}
	}
	return out
}

func (s *session) giveUp(cases []*Case, why string) {
	for _, c := range cases {
		c.Verdict, c.Reason = result.Error, why
	}
}

// doubtAlone gives up cases whose clock and ours disagree.
func (s *session) doubtAlone() {
	for _, c := range s.cases {
		if c.Verdict == result.Error {
			continue
		}
		head := c.audits[result.SideHead]
		if ns := hiddenAlone(head, *c.Method); ns > 0 {
			c.fail(result.SideHead, disagrees(ns, average(head, audit.claimedOf)))
		}
	}
}
