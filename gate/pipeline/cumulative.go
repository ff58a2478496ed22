package pipeline

import (
	"context"
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

// cumulativeCase is a case that is slower itself and lost more than allowed since its best-known level.
type cumulativeCase struct {
	kernel *Timed
	*Case
	best history.Best
}

// ratchet holds every case against its best-known level. One beyond the limit has lost, of which the report warns. A case that may
// fail for it is measured side by side with a build of that level: only that can fail a run for what was lost bit by bit. Where that
// cannot be done, the case has the reason.
func (s *screening) ratchet(ctx context.Context, out *Measured) error {
	var all []cumulativeCase
	past := history.Of(s.runners.device.machine.Key, s.history, nil)
	for t, c := range out.cases() {
		of := past.Case(c.Plan.Name())
		if of == nil {
			continue
		}
		c.Record.Past = s.past(ctx, of)
		if best, over := s.compareWithBest(t, c, of); over {
			all = append(all, cumulativeCase{t, c, best})
		}
	}
	if len(all) == 0 {
		return nil
	}
	began := time.Now()
	beside, subjects, err := s.besideBest(ctx, all, &out.Account)
	if err == nil {
		err = s.bestKnownRounds(ctx, out, beside, subjects)
	}
	if err != nil {
		return err
	}
	s.summary.BestKnownS = time.Since(began).Seconds()
	return nil
}

// compareWithBest compares head with the best-known level, and says whether rounds beside that level's build are wanted.
func (s *screening) compareWithBest(t *Timed, c *Case, past *history.Case) (best history.Best, over bool) {
	stored := c.Record.Stored
	if stored == nil {
		return best, false
	}
	best, known := past.Best()
	if m := c.Record.Method; known && m != nil && !past.TimedAs(*m) {
		stored.TimedOtherwise = best.Records
		return best, false
	}
	lost, surely, ok := past.Over(c.session(), s.records.now(c.Plan, t.Base.Library.Fingerprint))
	if !ok {
		return best, false
	}
	stored.BestCommit, stored.BestRecords, stored.CumulativeShift, stored.CumulativeLow, stored.CumulativeLimit = best.Commit, best.Records, lost, surely, s.limit()
	return best, c.Record.IsCumulativeRegression() && s.records.mode == config.BaselineAuto && rule.MayFailCumulatively(c.Record.Verdict)
}

// past is what there is to say of a case before head. Its best-known level is named by a tag, where there is one.
func (s *screening) past(ctx context.Context, of *history.Case) *result.Past {
	past := of.Past(s.policy.Of(of.Name).Tolerance)
	if tag := s.records.stored.Tag; past != nil && tag != nil {
		past.Since = tag(ctx, past.BestCommit)
	}
	return past
}

// limit is what may be lost since the best-known level.
func (s *screening) limit() float64 { return s.opt.Trusted.Config.Baseline.CumulativeTolerance }

// besideBest builds the best-known level of every case and returns what there is to measure, and of which cases.
func (s *screening) besideBest(ctx context.Context, all []cumulativeCase, a *Account) (beside []cumulativeCase, subjects []measure.Subject, err error) {
	sides := map[string]Side{}
	for _, c := range all {
		lib, why, err := s.buildBest(ctx, c, sides, a)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case why != nil:
			c.bestKnown(result.Comparison{Reason: why})
		case lib.Fingerprint == c.kernel.Base.Library.Fingerprint:
			// Its rounds have been run already.
			same := *c.Record.Compared()
			same.Verdict = rule.Decide(same, s.cumulativePolicy(), true)
			c.bestKnown(same)
		default:
			beside, subjects = append(beside, c), append(subjects, comparedWith(s.subject(c.kernel.Kernel, c.Plan), lib.Path))
		}
	}
	return beside, subjects, nil
}

// buildBest lays out and builds a case's best-known level with head's configuration and adapter, as base is. why says what
// is in the way; the error is ours, the machine's or the context's.
func (s *screening) buildBest(ctx context.Context, c cumulativeCase, sides map[string]Side, a *Account) (lib kernels.Library, why *result.Reason, err error) {
	if c.kernel.Plan.Kernel.IsSelfTimed() {
		return lib, &result.Reason{Kind: result.ReasonNotRebuilt}, nil
	}
	side, ok := sides[c.best.Commit]
	if !ok {
		layOut := s.records.stored.LayOut
		if layOut == nil {
			return lib, &result.Reason{Kind: result.ReasonNoFiles}, nil
		}
		if side, err = layOut(ctx, c.best.Commit); err != nil {
			if ctx.Err() != nil {
				return lib, nil, context.Cause(ctx)
			}
			return lib, &result.Reason{Kind: result.ReasonNoFiles, Message: firstLine(err.Error())}, nil
		}
		sides[c.best.Commit] = side
	}
	build, err := s.workshop.side(ctx, c.kernel.Kernel, fmt.Sprintf("best known, %.12s", c.best.Commit), side, a)
	if err != nil {
		return lib, nil, err
	}
	if build.Record.Failed {
		return lib, &result.Reason{Kind: result.ReasonBestNoBuild, Message: firstLine(build.Record.Output)}, nil
	}
	return build.Library, nil, nil
}

func (s *screening) cumulativePolicy() result.Policy {
	return rule.CumulativePolicy(s.policy, s.limit())
}

// bestKnownRounds runs rounds with what is left of the budget.
func (s *screening) bestKnownRounds(ctx context.Context, out *Measured, beside []cumulativeCase, subjects []measure.Subject) error {
	if len(beside) == 0 {
		return nil
	}
	left := s.budgetLeft(s.summary)
	if left <= 0 {
		for _, c := range beside {
			c.bestKnown(result.Comparison{Reason: &result.Reason{Kind: result.ReasonBudgetSpent}})
		}
		return nil
	}
	said := out.Notes // the rounds before had the same to say
	found, err := s.runRounds(ctx, out.kernels(), subjects, &out.Account, within(left), func(o *measure.Options) { o.Policy = s.cumulativePolicy() })
	if err != nil {
		return fmt.Errorf("beside the best-known level: %w", err)
	}
	out.Notes = said
	for i, c := range found.Cases {
		var q result.Comparison
		if c.Comparison != nil {
			q = *c.Comparison
		}
		q.Verdict, q.Reason = c.Verdict, result.Message(firstLine(c.Reason))
		beside[i].bestKnown(q)
		beside[i].Record.SetProcesses(result.PurposeBestKnown, inPlaceOfBase(c.Processes, beside[i].variant()))
	}
	return nil
}

// variant is the build of the best-known level.
func (c cumulativeCase) variant() result.Variant {
	return result.Variant{Role: result.RoleBestKnown, Name: c.best.Commit}
}

// bestKnown gives a case its comparison with the best-known level.
func (c cumulativeCase) bestKnown(q result.Comparison) {
	q.Tolerance = c.Record.Stored.CumulativeLimit
	c.Record.SetComparison(result.VariantHead, c.variant(), &q)
}

// inPlaceOfBase are processes of rounds in which another variant had base's place.
func inPlaceOfBase(processes []result.Process, v result.Variant) []result.Process {
	out := slices.Clone(processes)
	for i := range out {
		if out[i].Variant == result.VariantBase {
			out[i].Variant = v
		}
	}
	return out
}
