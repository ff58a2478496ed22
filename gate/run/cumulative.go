package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
)

// ratchet compares every case with its best-known level. Of one beyond the limit the report warns. A case that may
// fail for it is measured side by side with a build of that level: only that can fail a run for what was lost bit by bit. Where that
// cannot be done, the case has the reason.
func (s *screening) ratchet(ctx context.Context, out *Measured) error {
	past := history.Of(s.runners.device.machine.Key, s.history, nil)
	began, wanted := time.Now(), false
	traded := rule.TradeCandidates(out.decided(), s.policy, s.opt.Shard != nil)
	libraries, sides := map[*Case]string{}, map[string]Side{} // of best-known levels: those that rounds are for, and laid out by their commits
	for t, c := range out.cases() {
		of := past.Case(c.Plan.Name())
		if of == nil {
			continue
		}
		s.tellPast(ctx, t, &c.Record, of)
		if !s.compareWithBest(t, c, of, slices.Contains(traded, c.Record.Name)) {
			continue
		}
		wanted = true
		lib, why, err := s.buildBest(ctx, *t, c, sides, &out.Account)
		switch {
		case err != nil:
			return err
		case why != nil:
			c.bestKnown(result.Comparison{Reason: why})
		case lib.Fingerprint == t.Base.Library.Fingerprint: // its rounds have been run already
			same := *c.Record.Compared()
			same.Verdict = rule.Decide(same, s.cumulativePolicy().OfCase(c.Record), true)
			c.bestKnown(same)
		default:
			libraries[c] = lib.Path
		}
	}
	if !wanted {
		return nil
	}
	if err := s.bestKnownRounds(ctx, out, libraries); err != nil {
		return err
	}
	s.summary.BestKnownS = time.Since(began).Seconds()
	return nil
}

// decided are the cases that rounds have decided, and those that are identical.
func (m *Measured) decided() []result.Case {
	var out []result.Case
	for _, c := range m.cases() {
		out = append(out, c.Record)
	}
	for _, p := range m.Identical {
		c := newCase(p)
		c.Verdict = result.Same
		out = append(out, c)
	}
	return out
}

// tellPast gives a case its past, and says whether its waiver is needed still. Of one that begins a new epoch the report has it in any case.
func (s *screening) tellPast(ctx context.Context, t *Kernel, c *result.Case, of *history.Case) {
	if c.Past = of.Past(s.policy.OfCase(*c).Tolerance); s.workshop.leftOut[t.Name()].epoch() != nil {
		c.Past = of.Course()
	}
	if c.Stored != nil && s.policy.WaiverOf(c.Name) != nil {
		unwaived := s.policy
		unwaived.Waivers = nil
		c.Stored.WithinBest = of.IsWithin(unwaived.OfCase(*c).Tolerance, result.WaiverSessions)
	}
	if tag := s.records.stored.Tag; c.Past != nil && tag != nil {
		c.Past.Since = tag(ctx, c.Past.BestCommit)
	}
}

// compareWithBest compares head with the best-known level, and says whether rounds with that level's build are wanted: where it may be over the limit, and of every
// case that a trade would let pass.
func (s *screening) compareWithBest(t *Kernel, c *Case, past *history.Case, traded bool) (wanted bool) {
	stored := c.Record.Stored
	if stored == nil {
		return false
	}
	best, known := past.Best()
	if m := c.Record.Method; known && m != nil && !past.TimedAs(*m) {
		stored.TimedOtherwise = best.Records
		return false
	}
	lost, low, ok := past.Over(c.session(), s.records.now(c.Plan, t.Base.Library.Fingerprint))
	if !ok {
		return false
	}
	stored.BestCommit, stored.BestRecords, stored.CumulativeShift, stored.CumulativeLow, stored.CumulativeLimit = best.Commit, best.Records, lost, low, s.cumulativePolicy().OfCase(c.Record).Tolerance
	if traded {
		stored.CumulativeLimit = s.policy.Suite.Worst
		return s.records.mode == config.BaselineAuto
	}
	return c.Record.IsCumulativeRegression() && s.records.mode == config.BaselineAuto && rule.MayFailCumulatively(c.Record.Verdict)
}

// cumulativePolicy has what each case may lose since its best-known level as its tolerance.
func (s *screening) cumulativePolicy() result.Policy {
	return rule.CumulativePolicy(s.policy, s.opt.Trusted.Config.CumulativeTolerance())
}

// buildBest lays out and builds a case's best-known level with head's configuration and adapter, as base is. why says what
// is in the way; the error is ours, the machine's or the context's.
func (s *screening) buildBest(ctx context.Context, k Kernel, c *Case, sides map[string]Side, a *Account) (lib kernels.Library, why *result.Reason, err error) {
	if k.Plan.Kernel.IsSelfTimed() {
		return lib, &result.Reason{Kind: result.ReasonNotRebuilt}, nil
	}
	commit := c.Record.Stored.BestCommit
	side, ok := sides[commit]
	if !ok {
		layOut := s.records.stored.LayOut
		if layOut == nil {
			return lib, &result.Reason{Kind: result.ReasonNoFiles}, nil
		}
		if side, err = layOut(ctx, commit); err != nil {
			if ctx.Err() != nil {
				return lib, nil, context.Cause(ctx)
			}
			return lib, &result.Reason{Kind: result.ReasonNoFiles, Message: firstLine(err.Error())}, nil
		}
		sides[commit] = side
	}
	defer s.records.stored.siblings.hold()() // they have the same tree
	var fault *kernels.BuildError
	if _, err = s.workshop.environment(ctx, k.Plan.Kernel, side, a); errors.As(err, &fault) {
		return lib, &result.Reason{Kind: result.ReasonBestNoBuild, Message: firstLine(fault.Error())}, nil
	} else if err != nil {
		return lib, nil, err
	}
	build, err := s.workshop.side(ctx, k, fmt.Sprintf("best known, %.12s", commit), side, a)
	if err == nil && build.Record.Failed {
		why = &result.Reason{Kind: result.ReasonBestNoBuild, Message: firstLine(build.Record.Output)}
	}
	return build.Library, why, err
}

// bestKnownRounds runs rounds of cases and the builds of their best-known levels, with what is left of the budget.
func (s *screening) bestKnownRounds(ctx context.Context, out *Measured, libraries map[*Case]string) error {
	left := s.budgetLeft(s.summary)
	if left <= 0 {
		for c := range libraries {
			c.bestKnown(result.Comparison{Reason: &result.Reason{Kind: result.ReasonBudgetSpent}})
		}
		return nil
	}
	said := out.Notes // the rounds before had the same to say
	_, err := s.timeCases(ctx, out, func(t *Kernel, c *Case) (one measure.Subject, wanted bool) {
		library, wanted := libraries[c]
		if wanted {
			one = s.subject(*t, c.Plan)
			one = comparedWith(one, one.Variants[0], c.bestVariant(), library)
			one.Tolerance = c.Record.Stored.CumulativeLimit
		}
		return one, wanted
	}, func(_ *Kernel, c *Case, found *measure.Case) {
		var q result.Comparison
		if compared := found.To(result.RoleBestKnown); compared != nil {
			q = *compared
		}
		if q.Verdict, q.Reason = found.Verdict, found.Reason; q.Reason.Is(result.ReasonMessage) {
			q.Reason = result.Message(firstLine(q.Reason.Message))
		}
		c.bestKnown(q)
		c.Record.SetProcesses(result.PurposeBestKnown, found.Processes)
	}, within(left), func(o *measure.Options) { o.Policy = s.cumulativePolicy() })
	if err != nil {
		return fmt.Errorf("compare with the best-known level: %w", err)
	}
	out.Notes = said
	return nil
}

// bestVariant is the build of a case's best-known level.
func (c *Case) bestVariant() result.Variant {
	return result.Variant{Role: result.RoleBestKnown, Name: c.Record.Stored.BestCommit}
}

// bestKnown gives a case its comparison with the best-known level.
func (c *Case) bestKnown(q result.Comparison) {
	q.Tolerance = c.Record.Stored.CumulativeLimit
	c.Record.SetComparison(result.VariantHead, c.bestVariant(), &q)
}
