package measure

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// Track is a case of a race: every setting is measured on it, as the first of them is timed.
type Track struct {
	Subject  Subject  // its Head is the library of no setting but the first
	Settings []string // libraries; "" of a setting that is not measured
}

// Raced is what a race found. Lanes are by track, and by setting.
type Raced struct {
	Lanes   [][]*Case // nil where there is no library. Verdict Error: it failed, and Reason says how
	Rounds  int       // complete
	Over    bool      // the look said so; else the budget was gone
	WarmUp  result.WarmUp
	Seconds float64 // spent inside runners
	// NeededS is what two rounds would take, where the budget was gone before: no comparison is made of fewer. 0 where that is not known.
	NeededS float64
	Notes   []string
}

// Lane is what a race measured of a case, complete rounds alone.
func (c *Case) Lane(setting int) rule.Lane {
	l := rule.Lane{Setting: setting, Timing: rule.TimingOf(*c.Method), Values: make([][2]float64, len(c.Processes)/2)}
	for i, p := range c.Processes[:2*len(l.Values)] {
		l.Values[i/2][i%2] = math.Log(p.ValueNS)
	}
	return l
}

// Drop ends the measuring of a lane.
func (c *Case) Drop() { c.Verdict = result.Regression }

// IsRacing says whether a lane is still measured.
func (c *Case) IsRacing() bool { return c.Verdict == result.Undecided }

// Race measures all settings of all tracks in the same rounds: each in two fresh processes a round, in an order by lot and then in the reverse,
// so that what drifts is the same for all. Settings of subjects that share are measured in the same two. After each complete round look may drop
// lanes, and says whether the race is over. A setting whose code does something wrong loses its lane. The error is ours, the machine's or the
// context's.
func Race(ctx context.Context, tracks []Track, opt Options, look func(Raced) (over bool, err error)) (Raced, error) {
	s := &session{opt: opt, alone: true, rng: rand.New(rand.NewPCG(opt.Seed, 0x72616365))}
	defer s.leaveNone()
	for _, t := range tracks {
		c := s.add(t.Subject)
		c.planned, c.rivals = 1, nil
	}
	if err := s.calibrateAlone(ctx, false); err != nil {
		return Raced{}, err
	}
	timed := s.cases
	s.cases = nil
	out := Raced{WarmUp: s.warmUp}
	for i, t := range tracks {
		out.Lanes = append(out.Lanes, s.lanes(timed[i], t.Settings))
	}
	err := s.race(ctx, &out, look)
	out.Seconds, out.Notes = s.runners.Seconds(), s.notes
	return out, err
}

// lanes are a case once for each setting, timed as it was calibrated. Where that failed, all have.
func (s *session) lanes(calibrated *Case, settings []string) []*Case {
	out := make([]*Case, len(settings))
	for i, library := range settings {
		if library == "" {
			continue
		}
		c := *calibrated
		c.Subject.Head, c.planned, c.Processes = library, math.MaxInt, nil
		out[i] = &c
		s.cases = append(s.cases, &c)
	}
	return out
}

func (s *session) race(ctx context.Context, out *Raced, look func(Raced) (bool, error)) error {
	budget, cancel := s.begin(ctx)
	defer cancel()
	for len(s.open()) > 0 {
		voided, err := s.raceRound(budget)
		if isGone(budget, ctx) {
			out.NeededS = s.neededOfTwo()
			for _, c := range s.cases {
				c.dropPartialRound(len(s.rounds))
			}
			return nil
		}
		if err != nil {
			return err
		}
		if voided {
			continue
		}
		out.Rounds = len(s.rounds)
		if out.Over, err = look(*out); err != nil || out.Over {
			return err
		}
	}
	out.Over = true
	return nil
}

// neededOfTwo is how long two rounds of all lanes take by what was done of them when the budget was gone, s; 0 where they are complete, or nothing was done.
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

// raceRound measures every open lane in one process, and in another in the reverse order. It counts only when complete, and not when it was
// voided.
func (s *session) raceRound(ctx context.Context) (voided bool, err error) {
	r := result.Round{Index: len(s.rounds)}
	open, turns := s.open(), s.aloneTurns()
	s.rng.Shuffle(len(turns), func(i, j int) { turns[i], turns[j] = turns[j], turns[i] })
	firstHalf := len(turns)
	for i := range turns {
		turns[i].cases = s.shuffled(turns[i].cases)
	}
	for _, t := range slices.Backward(slices.Clone(turns)) {
		back := slices.Clone(t.cases)
		slices.Reverse(back)
		turns = append(turns, turn{t.side, back})
	}
	for i, t := range turns {
		racing := t.racing()
		if len(racing) == 0 {
			continue
		}
		if err := s.process(ctx, r.Index, i/firstHalf, turn{t.side, racing}, s.wantedRacing(turns[i+1:])); err != nil {
			return false, err
		}
		if r.Voided = s.health(); r.Voided != "" {
			return true, s.void(ctx, r, open)
		}
	}
	s.rounds, s.ran = append(s.rounds, r), append(s.ran, r)
	return false, nil
}

// racing are the lanes of a turn that nothing has ended since it was drawn.
func (t turn) racing() []*Case {
	return slices.DeleteFunc(slices.Clone(t.cases), func(c *Case) bool { return !c.IsRacing() })
}

// wantedRacing are the next processes of a round.
func (s *session) wantedRacing(turns []turn) []wanted {
	var out []wanted
	for _, t := range turns[:min(len(turns), s.mostAhead())] {
		if racing := t.racing(); len(racing) > 0 {
			out = append(out, want(t.side, racing))
		}
	}
	return out
}
