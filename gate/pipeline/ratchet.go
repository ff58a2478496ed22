package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// crept is a case that is slower itself and lost more than allowed since its best-known level.
type crept struct {
	kernel *kernelRun
	name   string
	best   baseline.Best
}

func (c crept) record() *result.Case {
	for i := range c.kernel.cases {
		if c.kernel.cases[i].Name == c.name {
			return &c.kernel.cases[i]
		}
	}
	return nil // not reached: crept cases come from there
}

// ratchet measures crept cases side by side with builds of their best-known levels: only that can fail a run for what was
// lost bit by bit. Where it cannot be done, the warning says why.
func (r *run) ratchet(ctx context.Context) error {
	s := r.screening
	if s == nil || len(s.crept) == 0 {
		return nil
	}
	began := time.Now()
	defer func() { r.res.Baseline.CreepS = time.Since(began).Seconds() }()
	subjects, err := s.besideBest(ctx)
	if err != nil {
		return err
	}
	if err := s.creepRounds(ctx, subjects); err != nil {
		return err
	}
	for _, c := range s.crept {
		s.judgeCreep(c)
	}
	return nil
}

// besideBest builds the best-known level of every crept case and returns what there is to measure.
func (s *screening) besideBest(ctx context.Context) ([]measure.Subject, error) {
	sides := map[string]Side{}
	var subjects []measure.Subject
	for _, c := range s.crept {
		lib, why, err := s.buildBest(ctx, c, sides)
		if err != nil {
			return nil, err
		}
		rec := c.record()
		switch {
		case why != "":
			rec.Stored.BestReason = why
		case lib.Fingerprint == c.kernel.base.Fingerprint:
			// Its rounds have been run already.
			rec.Stored.BestCompared = rec.Compared
			rec.Stored.BestVerdict = gate.Decide(*rec.Compared, s.creepPolicy(), true)
		default:
			one := s.subjects[c.name]
			one.Base, one.Judge = lib.Path, "" // its outputs were judged beside base's
			subjects = append(subjects, one)
		}
	}
	return subjects, nil
}

// buildBest lays out and builds a case's best-known level with head's configuration and adapter, as base is. why says what
// is in the way; the error is ours, the machine's or the context's.
func (s *screening) buildBest(ctx context.Context, c crept, sides map[string]Side) (lib kernels.Library, why string, err error) {
	side, ok := sides[c.best.Commit]
	if !ok {
		if s.run.opt.Stored.LayOut == nil {
			return lib, "its files are not to be had here", nil
		}
		if side, err = s.run.opt.Stored.LayOut(ctx, c.best.Commit); err != nil {
			if ctx.Err() != nil {
				return lib, "", context.Cause(ctx)
			}
			return lib, "its files are not to be had: " + firstLine(err.Error()), nil
		}
		sides[c.best.Commit] = side
	}
	s.run.progress(Progress{Stage: StageBuild, What: fmt.Sprintf("%s (best known, %.12s)", c.kernel.record.Name, c.best.Commit)})
	build, lib, err := s.run.buildSide(ctx, c.kernel.plan.Kernel, side)
	if err != nil {
		return lib, "", err
	}
	if build.Failed {
		return lib, "it does not build with today's configuration: " + firstLine(build.Output), nil
	}
	return lib, "", nil
}

func (s *screening) creepPolicy() result.Policy {
	return gate.ForCreep(s.run.policy, s.run.config.Baseline.Creep)
}

// creepRounds runs rounds with what is left of the budget.
func (s *screening) creepRounds(ctx context.Context, subjects []measure.Subject) error {
	if len(subjects) == 0 {
		return nil
	}
	left := s.run.budgetLeft()
	if left <= 0 {
		for _, subject := range subjects {
			s.cases[subject.Name].BestReason = "the budget is spent"
		}
		return nil
	}
	out, err := measure.Run(ctx, subjects, s.run.measureOptions(s.creepPolicy(), left))
	if err != nil {
		return fmt.Errorf("measure beside the best-known level: %w", err)
	}
	s.run.res.Timings.RunnersS += out.RunnersSeconds
	for _, c := range out.Cases {
		stored := s.cases[c.Subject.Name]
		stored.BestVerdict, stored.BestCompared, stored.BestProcesses = c.Verdict, c.Comparison, c.Processes
		stored.BestReason = firstLine(c.Reason)
	}
	return nil
}

// judgeCreep warns where the rounds do not fail the run.
func (s *screening) judgeCreep(c crept) {
	rec, limit := c.record(), s.run.config.Baseline.Creep
	if rec.Stored.BestVerdict == result.Regression {
		return
	}
	s.warn(creepWarning(rec, c.best, rec.Stored.Creep, limit) + "; this change is slower itself, " + besideWords(rec.Stored))
}

// besideWords say what rounds against the best-known level came to, where they do not confirm what the records say.
func besideWords(stored *result.Stored) string {
	c := stored.BestCompared
	if stored.BestVerdict == "" || stored.BestVerdict == result.Error || c == nil {
		return "which was not measured beside a build of that commit: " + cmp.Or(stored.BestReason, "no round was complete")
	}
	return fmt.Sprintf("and measured beside a build of that commit it is between %+.1f %% and %+.1f %%, which does not surely exceed that",
		100*math.Expm1(c.Low), 100*math.Expm1(c.High))
}
