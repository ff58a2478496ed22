package run

import (
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
)

// measuring times what both sides have and what is not the same code anyway.
type measuring struct {
	opt      Question
	ask      RoundOptions
	policy   result.Policy
	workshop *workshop
	runners  *runners
	records  *records
	turns    *turns
	opened   map[string]runner // by kernel
}

func (s *session) measuring(asked Asked) *measuring {
	return &measuring{opt: s.opt.Question, ask: s.opt.Rounds, policy: asked.Frame.Policy, workshop: s.workshop, runners: s.runners, records: s.records, turns: s.turns, opened: map[string]runner{}}
}

// runner is what runs a kernel, the same for all of its cases: what it measures in one process is told by that.
func (m *measuring) runner(k Kernel) runner {
	if m.opened[k.Name()] == nil {
		m.opened[k.Name()] = m.runners.runnerOf(k, m.opt)
	}
	return m.opened[k.Name()]
}

// measure is the stage that times what parity found nothing wrong with.
func (s *session) measure(ctx context.Context, v *Values) (err error) {
	v.Measured, err = s.measuring(v.Asked).measure(ctx, v.Checked)
	return err
}

// measure lets the records settle what they can, times the rest in rounds, and compares all of it with the best-known levels.
func (m *measuring) measure(ctx context.Context, c Checked) (out Measured, err error) {
	out.Kernels, err = through(c.Kernels, func(k Kernel) (Kernel, *result.Kernel, error) { return m.toTime(ctx, k, &out) })
	if err != nil {
		return out, err
	}
	s, err := m.openScreening(ctx)
	if err != nil {
		return out, err
	}
	if err := s.screen(ctx, &out); err != nil {
		return out, err
	}
	if err := m.otherMeanings(ctx, &out); err != nil {
		return out, err
	}
	out.Kernels, err = through(out.Kernels, func(t Kernel) (Kernel, *result.Kernel, error) { return m.withBase(ctx, t, &out.Account) })
	if err != nil {
		return out, err
	}
	if err := m.rounds(ctx, &out, s); err != nil {
		return out, err
	}
	return out, s.ratchet(ctx, &out)
}

// toTime opens the cases of a kernel, unless that is new or the same on both sides.
func (m *measuring) toTime(ctx context.Context, k Kernel, out *Measured) (_ Kernel, ended *result.Kernel, err error) {
	if k.isNew() && (k.Absent.Is(result.ReasonEpoch) || m.asksSpeedupOfNew(k)) {
		t := timed(k)
		for i := range t.Cases {
			t.Cases[i].Record.Verdict, t.Cases[i].Record.Reason = result.New, k.Absent
		}
		return t, nil, nil
	}
	if k.isNew() {
		return k, k.last(), nil
	}
	if k.baseWaits() && k.Base.Library.Fingerprint == k.Head.Library.Fingerprint { // it may prove that nothing differs
		if k, ended, err = m.workshop.withBase(ctx, k, &out.Account); err != nil || ended != nil {
			return k, ended, err
		}
	}
	if ended, err = m.identical(ctx, &k, &out.Account); ended != nil && ended.Status == result.KernelIdentical {
		out.Identical = append(out.Identical, k.Plan.Measured...)
	}
	return timed(k), ended, err
}

// timed is a kernel with all of its cases open.
func timed(k Kernel) Kernel {
	for _, p := range k.Plan.Measured {
		k.Cases = append(k.Cases, Case{Plan: p, Record: newCase(p)})
	}
	return k
}

// otherMeanings times head alone in cases that mean something else on base and cannot be compared with it, so that the report has their level.
func (m *measuring) otherMeanings(ctx context.Context, out *Measured) error {
	_, err := m.timeCases(ctx, out, func(t *Kernel, c *Case) (one measure.Subject, wanted bool) {
		if wanted = t.isNew() && !m.asksSpeedupOfNew(*t); wanted {
			one = m.subject(*t, c.Plan)
		}
		return one, wanted
	}, func(t *Kernel, c *Case, found *measure.Case) { c.measuredNew(t, found) }, within(m.budgetLeft(out.Baseline)), headOnly(baseline.FurtherProcesses))
	return err
}

// withBase builds the base of a kernel that rounds are for.
func (m *measuring) withBase(ctx context.Context, k Kernel, a *Account) (Kernel, *result.Kernel, error) {
	if !slices.ContainsFunc(k.Cases, Case.isOpen) {
		return k, nil, nil
	}
	return m.workshop.withBase(ctx, k, a)
}

// rounds time what is open.
func (m *measuring) rounds(ctx context.Context, out *Measured, s *screening) error {
	began := time.Now()
	found, err := m.timeCases(ctx, out, func(t *Kernel, c *Case) (one measure.Subject, wanted bool) {
		k := *t
		if k.isNew() {
			k.Base = k.Head // rounds have two sides: in base's place stands head's code, of which nothing is kept
		}
		if wanted = c.isOpen() || m.asksSpeedupOfNew(*t); wanted {
			t.settleCompetitors(result.CompetitorMeasured, nil)
			k.Competitors = t.Competitors
			one = m.subject(k, c.Plan)
		}
		return one, wanted
	}, func(t *Kernel, c *Case, found *measure.Case) {
		if t.isNew() {
			c.measuredNew(t, found)
			return
		}
		c.measured(found, m.runners.device.multiprocessors())
		s.movedCompetitors(*t, c)
	}, within(m.budgetLeft(out.Baseline)), m.keepSuite(out))
	if err != nil {
		return err
	}
	out.Rounds, out.WarmUp = found.Rounds, found.WarmUp
	s.afterRounds(out, time.Since(began))
	return nil
}

// asksSpeedupOfNew says whether a kernel that base does not have is asked how many times as fast as a competitor it is, which is tested without a base as well.
func (m *measuring) asksSpeedupOfNew(k Kernel) bool {
	return k.isNew() && m.ask.Course == nil && m.records.mode != config.BaselineStored && slices.ContainsFunc(k.Competitors, func(r Competitor) bool {
		isRequired := func(g result.Goal) bool { return g.Required && g.Over == r.Record.Name && r.Config.Adapter != "" }
		return (r.Record.MinSpeedup > 0 || slices.ContainsFunc(m.policy.Goals, isRequired)) && (r.works() || r.Record.Status == result.CompetitorNoRounds)
	})
}

// measuredNew puts what was measured of head into a case that base does not have.
func (c *Case) measuredNew(t *Kernel, found *measure.Case) {
	r, base := &c.Record, result.VariantBase
	if c.measuredAlone(found); r.Verdict == result.New {
		r.Reason = t.Absent
	}
	r.Processes = slices.DeleteFunc(slices.Clone(r.Processes), func(p result.Process) bool { return p.Variant == base })
	r.Comparisons = slices.DeleteFunc(slices.Clone(r.Comparisons), func(q result.Comparison) bool { return q.Of == base || q.To == base })
}

// keepSuite keeps the weighted cases in all rounds until the suite is decided.
func (m *measuring) keepSuite(out *Measured) func(*measure.Options) {
	return func(o *measure.Options) {
		if m.policy.Suite.Tolerance == 0 {
			return
		}
		var equal []result.Case
		for _, p := range out.Identical {
			c := newCase(p)
			c.Verdict = result.Same
			equal = append(equal, c)
		}
		var added []string
		for _, k := range out.Kernels.On {
			if !k.isNew() {
				continue
			}
			for _, c := range k.Cases {
				added = append(added, c.Record.Name)
			}
		}
		o.Also = []rule.StopRule{rule.NewSuiteLooks(m.policy, equal, added, m.opt.Shard != nil)}
	}
}

// measured puts what rounds found into a case.
func (c *Case) measured(m *measure.Case, sms int) {
	r := &c.Record
	r.Verdict, r.Reason, r.ErrorSide, r.ErrorCode, r.BudgetGone, r.BudgetNeededS = m.Verdict, m.Reason, m.ErrorSide, m.ErrorCode, m.BudgetGone, m.BudgetNeededS
	r.Method, r.Flops, r.Bytes, r.Looks, r.Base, r.Head, r.Competitors = m.Method, m.Flops, m.Bytes, m.Looks, m.Base, m.Head, m.Competitors
	if len(m.BaseLaunches)+len(m.HeadLaunches) > 0 { // else neither could be recorded
		r.Launched = &result.Launched{Base: shapes(m.BaseLaunches, sms), Head: shapes(m.HeadLaunches, sms)}
	}
	r.SetProcesses(result.PurposeRounds, m.Processes)
	for _, q := range m.Comparisons {
		r.SetComparison(q.Of, q.To, &q)
	}
}

// cases are all cases, each with its kernel.
func (m *Measured) cases() func(yield func(*Kernel, *Case) bool) {
	return func(yield func(*Kernel, *Case) bool) {
		for i := range m.On {
			for j := range m.On[i].Cases {
				if !yield(&m.On[i], &m.On[i].Cases[j]) {
					return
				}
			}
		}
	}
}

// budgetLeft is what rounds may take: head alone and earlier rounds are within the same budget.
func (m *measuring) budgetLeft(b *result.Baseline) time.Duration {
	left := m.opt.Trusted.Config.Gate.Budget
	if b != nil {
		left -= time.Duration((b.ScreenS + b.RoundsS) * float64(time.Second))
	}
	return left
}

// subject is a case as rounds take it. Records say how it was timed before.
func (m *measuring) subject(k Kernel, c plan.Case) measure.Subject {
	s := m.runner(k).subject(k, c)
	s.Like = m.records.method(c)
	return s
}

// mostAhead is how many processes may wait while one measures: of interpreters so many that one is ready in time, as far as there are processors
// for their imports beside the one that launches. Torch, CUDA and Triton's own name take 3.5 s, and measuring a few cases less than one.
func mostAhead(ks []Kernel) int {
	if !slices.ContainsFunc(ks, Kernel.interprets) {
		return 1
	}
	return max(1, min(5, runtime.NumCPU()/3))
}

// interprets says whether processes of a kernel or of its competitors are interpreters that can import ahead.
func (k Kernel) interprets() bool {
	_, script := k.Plan.Kernel.Format().(benchmark.Ahead)
	return script || k.Plan.Kernel.IsInterpreted() || slices.ContainsFunc(k.Competitors, func(r Competitor) bool { return r.Config.IsInterpreted() })
}

// startsAhead says whether the processes of libraries of an adapter, a kernel's or a competitor's, can start while others measure. Of interpreters only
// the packages are imported then. That is too much beside a clock of the host.
func startsAhead(k Kernel, adapter string, libraries ...kernels.Library) bool {
	if !config.IsPython(adapter) {
		return true
	}
	return !k.Plan.Kernel.Host && !slices.ContainsFunc(libraries, func(l kernels.Library) bool { return !l.Ahead })
}

// shapes are launches as the result has them. sms is how many multiprocessors the GPU has.
func shapes(launches []kernels.LaunchShape, sms int) []result.LaunchShape {
	var out []result.LaunchShape
	for _, l := range launches {
		s := result.LaunchShape{
			Function: l.Kernel, Grid: l.Grid[:], Block: l.Block[:], Registers: l.Registers, SharedBytes: l.SharedBytes,
			DynamicSharedBytes: l.DynamicSharedBytes, BlocksPerSM: l.BlocksPerSM,
		}
		if fit := sms * l.BlocksPerSM; fit > 0 {
			s.Waves = float64(l.Grid[0]) * float64(l.Grid[1]) * float64(l.Grid[2]) / float64(fit)
		}
		out = append(out, s)
	}
	return out
}

// session is what a case's processes of head are as a session of records.
func (c *Case) session() baseline.Session {
	if alone := c.Record.For(result.PurposeScreening); len(alone) > 0 {
		return baseline.SessionOf(alone)
	}
	return baseline.SessionOf(c.Record.Of(result.VariantHead))
}
