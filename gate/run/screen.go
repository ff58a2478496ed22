package run

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// screening compares head alone with the stored records.
type screening struct {
	*measuring
	used    bool // records are compared with
	history baseline.History
	summary *result.Baseline // nil where records have no part in this run
}

// openScreening looks up the records of base's ancestors, and says what keeps them from being compared with. A store that cannot be read never stops
// side-by-side rounds, and is never silent.
func (m *measuring) openScreening(ctx context.Context) (*screening, error) {
	s := &screening{measuring: m}
	if !m.records.count() {
		return s, nil
	}
	stored, b := m.records.stored, &result.Baseline{Mode: m.records.mode}
	// Mode stored is asked in any case, to say of every case that there is nothing to compare with.
	s.summary, s.used = b, b.Mode == config.BaselineStored
	if stored.Store == nil {
		b.Reason = []result.Reason{{Kind: result.ReasonMessage, Message: stored.Reason}}
	} else {
		b.Store = stored.Store.String()
		h, err := m.records.history(ctx)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			b.Reason = []result.Reason{{Kind: result.ReasonStoreUnreadable, Message: firstLine(err.Error())}}
		} else {
			s.take(h)
		}
	}
	if b.Mode == paired {
		s.used, b.Reason = false, []result.Reason{{Kind: result.ReasonPaired}}
	}
	return s, nil
}

// take fills in the summary.
func (s *screening) take(h baseline.History) {
	b := s.summary
	b.Records = h.Keys
	for _, p := range h.Problems {
		b.PassedOver = append(b.PassedOver, p.String())
	}
	switch {
	case len(h.Found) > 0:
		nearest := h.Found[0]
		s.history, s.used = h, true
		b.Commit, b.Distance = nearest.Record.Commit, nearest.Distance
		if changes := baseline.Changes(nearest.Record, s.records.state()); len(changes) > 0 {
			b.Reason = []result.Reason{{Kind: result.ReasonMachineChanged, Names: changes}}
		}
	case len(h.Problems) > 0:
		b.Reason = []result.Reason{{Kind: result.ReasonNoneUsable}}
	case h.Keys > 0:
		b.Reason = []result.Reason{{Kind: result.ReasonNoAncestor, Count: h.Keys}}
	default:
		b.Reason = []result.Reason{{Kind: result.ReasonNoRecord}}
	}
}

// screen settles what the stored records can settle; what stays open is for rounds. Mode stored has no other word than theirs:
// a case without one was not measured.
func (s *screening) screen(ctx context.Context, out *Measured) error {
	out.Baseline = s.summary
	if !s.used {
		return nil
	}
	if err := s.measureAlone(ctx, out, s.processes(s.findBases(out), out)); err != nil {
		return err
	}
	always := s.records.mode == config.BaselineStored
	for _, c := range out.cases() {
		if !c.isOpen() {
			continue
		}
		switch stored, by := c.Record.Stored, c.Record.To(result.RoleRecord); {
		case always && by == nil:
			why := result.Reason{Kind: result.ReasonMessage}
			if len(s.summary.Reason) > 0 {
				why = s.summary.Reason[0]
			} else if stored.Reason != nil {
				why = *stored.Reason
			}
			why.Alone = true
			c.settle(result.Error, why)
		case always, by != nil && by.Verdict == result.Same:
			s.summary.Settled++
			c.settle(by.Verdict, result.Reason{Kind: result.ReasonByRecords, Count: stored.Sessions})
		}
	}
	return nil
}

// settle ends a case with the records' word.
func (c *Case) settle(verdict result.Verdict, why result.Reason) {
	r, alone := &c.Record, c.Record.For(result.PurposeScreening)
	r.Verdict, r.Reason = verdict, &why
	if c.Base != nil && len(alone) > 0 {
		method := c.Base.Case.Method
		r.Method, r.Head = &method, rule.Summarize(alone, 0, 0, false)
		r.Head.FlopRoof, r.Head.ByteRoof = 0, 0 // which roof is the case's is not known
	}
}

// findBases finds the base of every case, and returns those that head can be compared with.
func (s *screening) findBases(out *Measured) []*baseline.Base {
	var known []*baseline.Base
	for t, c := range out.cases() {
		if !c.isOpen() {
			continue
		}
		stored := &result.Stored{}
		c.Record.Stored = stored
		c.Base, stored.Reason = s.history.Base(s.records.now(c.Plan, t.Base.Library.Fingerprint))
		rounds, _ := t.asksRounds()
		switch { // what rounds follow for in any case is not screened
		case s.records.mode == config.BaselineStored:
			t.settleCompetitors(result.CompetitorFailed, &result.Reason{Kind: result.ReasonRecordsAlone})
		case rounds:
			stored.Reason = &result.Reason{Kind: result.ReasonBesideCompetitors}
			continue
		case s.policy.Suite.WeightOf(c.Record) > 0:
			stored.Reason = &result.Reason{Kind: result.ReasonInSuite}
			continue
		}
		if c.Base == nil {
			continue
		}
		learnt := c.Base.Learnt
		stored.Commit, stored.Distance = c.Base.Found.Record.Commit, c.Base.Found.Distance
		stored.Sessions, stored.LearntSessions = len(c.Base.Sessions), learnt.Sessions
		if !learnt.Known() {
			stored.Reason = &result.Reason{Kind: result.ReasonScatterUnknown, Count: baseline.MinSessions}
			continue
		}
		stored.SessionSD, stored.Steady = math.Sqrt(learnt.Var), string(learnt.Steady)
		known = append(known, c.Base)
	}
	return known
}

// processes is how many processes of head alone are worth their time: none where rounds start processes anyway.
func (s *screening) processes(known []*baseline.Base, out *Measured) int {
	if s.records.mode == config.BaselineStored {
		return baseline.ScreenProcesses
	}
	cases := 0
	for _, c := range out.cases() {
		if c.isOpen() {
			cases++
		}
	}
	if len(known) < cases {
		return 0
	}
	n := baseline.Plan(known, s.policy)
	for _, c := range out.cases() {
		if n == 0 && c.isOpen() {
			c.Record.Stored.Reason = &result.Reason{Kind: result.ReasonScatterLarge, Share: math.Sqrt(c.Base.Learnt.Var)}
		}
	}
	return n
}

// screenShare is the part of the budget that head alone may take where rounds may have to follow: the most processes that it
// starts are a sixteenth of what all rounds would.
const screenShare = 4

// measureAlone times head alone and lets the records speak.
func (s *screening) measureAlone(ctx context.Context, out *Measured, processes int) error {
	budget := s.opt.Trusted.Config.Gate.Budget
	if s.records.mode != config.BaselineStored {
		budget /= screenShare
	}
	start := time.Now()
	found, err := s.timeCases(ctx, out, func(t *Kernel, c *Case) (one measure.Subject, known bool) {
		if known = c.Base != nil && c.Base.Learnt.Known() && processes > 0; known {
			one = s.subject(*t, c.Plan)
			one.Method, one.WarmUpNS = &c.Base.Case.Method, c.Base.Found.Record.WarmUp.NS
		}
		return one, known
	}, func(_ *Kernel, c *Case, found *measure.Case) { c.compareAlone(found, s.policy) }, within(budget), headOnly(processes))
	if err != nil {
		return fmt.Errorf("head only: %w", err)
	}
	if s.summary.Screened = len(found.Cases); s.summary.Screened > 0 {
		s.summary.ScreenS = time.Since(start).Seconds()
	}
	return nil
}

// compareAlone compares what was measured of head with base's records.
func (c *Case) compareAlone(a *measure.Case, p result.Policy) {
	stored := c.Record.Stored
	if a.Verdict == result.Error {
		stored.Reason = a.Reason
		return
	}
	c.Record.SetProcesses(result.PurposeScreening, a.Of(result.VariantHead))
	by, err := c.Base.Screen(c.session(), p)
	if err != nil {
		stored.Reason = result.Message(err.Error())
		return
	}
	by.Comparison.Verdict = by.Verdict
	c.Record.SetComparison(result.VariantHead, result.Variant{Role: result.RoleRecord, Name: stored.Commit}, &by.Comparison)
	stored.CanaryShift, stored.Widened = by.CanaryShift, by.Widened
	stored.MedianRatio, stored.MedianLow, stored.MedianHigh = by.MedianRatio.Estimate, by.MedianRatio.Low, by.MedianRatio.High
}

// afterRounds completes what the result says of records: the minutes of both comparisons, and what equal code saved.
func (s *screening) afterRounds(out *Measured, spent time.Duration) {
	b := s.summary
	if b == nil {
		return
	}
	if len(out.Rounds) > 0 {
		b.RoundsS = spent.Seconds()
	}
	b.Identical, b.SavedS = len(out.Identical), s.saved(out.Identical)
}

// saved is the least that rounds of cases would have taken, in seconds, by their nearest records: for each kernel the warm-up and the
// samples of the processes of a first look. 0 where there is no record to tell.
func (s *screening) saved(cases []plan.Case) float64 {
	var ns float64
	for i, c := range cases {
		for _, f := range s.records.found.Found {
			kept := f.Record.Case(c.Name())
			if kept == nil {
				continue
			}
			ns += kept.Method.LaunchNS * float64(kept.Method.Launches*kept.Method.Samples)
			if i == 0 || cases[i-1].Kernel != c.Kernel {
				ns += f.Record.WarmUp.NS
			}
			break
		}
	}
	return rule.MinProcesses * ns / 1e9
}
