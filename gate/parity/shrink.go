package parity

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/oracle"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// failed records a failure and looks for a smaller case that fails as well. A question that cannot be asked, for want of a
// runner for example, does not take back what is known.
func (c *check) failed(ctx context.Context, fuzz plan.FuzzCase, code result.Code, message string, r reply) error {
	if code == result.CodeWrongOutput && !byBase(r) && !c.variation.varied && c.hasReference() {
		constant, err := c.referenceIsConstant(ctx, fuzz)
		if err := c.passOver(ctx, err); err != nil {
			return err
		}
		if constant {
			c.rejectReference()
			return nil
		}
	}
	s := &shrinker{check: c, ctx: ctx, deadline: time.Now().Add(shrinkLimit), best: failing{fuzz, code, message, r}}
	// A case that hangs would take the whole limit for each that still does.
	if code != result.CodeHung && !c.subject.Replay && !c.opt.NoShrink {
		s.run()
	}
	if err := c.passOver(ctx, s.err); err != nil {
		return err
	}
	b := s.best
	also, err := c.baseToo(ctx, b)
	if err := c.passOver(ctx, err); err != nil {
		return err
	}
	b.message += also
	c.out.Status = result.ParityFailed
	c.out.Failure = c.failure(b.fuzz, b.code, b.message)
	if first := fuzz.Case.Name(); first != b.fuzz.Case.Name() || fuzz.Values != b.fuzz.Values {
		c.out.Failure.First = first + ", " + fuzz.Values + " inputs"
	}
	if w := b.reply.Worst; w != nil {
		c.out.Failure.ULPs = max(w.ULPs, 0)
		c.out.Failure.Pattern = oracle.PatternWords(b.reply.Pattern, w.Dims)
	}
	c.warnings()
	return c.save(b.fuzz)
}

// passOver turns an error of ours about a failure that is known without the answer into a warning, unless the check was ended.
func (c *check) passOver(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	c.warn("not all could be asked about the failure: " + err.Error())
	return nil
}

func (c *check) failure(fuzz plan.FuzzCase, code result.Code, message string) *result.ParityFailure {
	return &result.ParityFailure{
		Case: fuzz.Case.Name(), Values: fuzz.Values, Seed: c.seedOf(fuzz), Code: code, Message: message, Repro: c.repro(fuzz),
	}
}

// failing is a case that is known to fail, and how.
type failing struct {
	fuzz    plan.FuzzCase
	code    result.Code
	message string
	reply   reply
}

type shrinker struct {
	check    *check
	ctx      context.Context
	deadline time.Time
	best     failing
	err      error // ours; ends the shrinking
}

// run shrinks parameters, each as far as it goes, until none shrinks any more; then it looks for simpler inputs. What it finds
// fails as the first case did or in another way: wrong is wrong.
func (s *shrinker) run() {
	for shrunk := true; shrunk; {
		shrunk = false
		for i := range s.best.fuzz.Case.Params {
			for s.smaller(i) {
				shrunk = true
			}
		}
	}
	for _, values := range []string{"zeros", "constant", "normal"} {
		if values == s.best.fuzz.Values || s.try(s.best.fuzz.Case, values) {
			return
		}
	}
}

// smaller finds one smaller value of a parameter for which the case still fails.
func (s *shrinker) smaller(i int) bool {
	from := s.best.fuzz.Case.From()
	if from == nil || i >= len(from.Params) {
		return false
	}
	now := s.best.fuzz.Case.Params[i].Value
	for _, v := range candidates(from.Params[i], now) {
		c := s.best.fuzz.Case.With(i, v)
		if from.Parity.Where.Holds(c.Int) && s.try(c, s.best.fuzz.Values) {
			return true
		}
	}
	return false
}

// candidates are smaller values, the smallest first, then by halves of the distance, so that a threshold is found in a
// number of tries that grows with the logarithm only.
func candidates(p config.Param, now config.Value) []config.Value {
	if now.IsDtype() {
		return nil
	}
	var out []int64
	for _, v := range p.Values {
		if v.Int < now.Int {
			out = append(out, v.Int)
		}
	}
	if p.Fuzz != nil {
		step := max(p.Fuzz.MultipleOf, 1)
		first, _ := p.Fuzz.First()
		last, _ := p.Fuzz.Last()
		if now.Int > last { // measured outside of the range
			out = append(out, last)
		}
		for distance := now.Int - first; distance > 0; distance /= 2 {
			if v := now.Int - distance; p.Fuzz.Contains(v - v%step) {
				out = append(out, v-v%step)
			}
		}
		out = append(out, now.Int-step)
	}
	slices.Sort(out)
	var values []config.Value
	for _, v := range slices.Compact(out) {
		listed := slices.ContainsFunc(p.Values, func(l config.Value) bool { return l.Int == v })
		if v < now.Int && (listed || p.Fuzz != nil && p.Fuzz.Contains(v)) {
			values = append(values, config.IntValue(v))
		}
	}
	return values
}

// try checks one case, and keeps it where it fails. A kernel that is not the same twice may pass now: then it is not kept.
func (s *shrinker) try(c plan.Case, values string) bool {
	if s.err != nil || s.ctx.Err() != nil || time.Now().After(s.deadline) {
		return false
	}
	origin := s.best.fuzz.Origin
	fuzz := plan.FuzzCase{Case: c, Values: values, Seed: plan.InputSeed(origin, c, values), Origin: origin}
	if s.err = s.check.revive(s.ctx); s.err != nil {
		return false
	}
	f, side, err := s.check.examine(s.ctx, fuzz, true)
	if err == nil {
		if f.code != "" {
			s.best = failing{fuzz, f.code, f.message, f.reply}
		}
		return f.code != ""
	}
	var fault *kernels.RunnerError
	switch {
	case !errors.As(err, &fault):
		s.err = err
		return false
	case side != result.SideHead || fault.Code.SparesKernel():
		return false
	}
	s.best = failing{fuzz: fuzz, code: fault.Code, message: fault.Brief()}
	return true
}

// revive starts head's runner again where the last case ended it.
func (c *check) revive(ctx context.Context) error {
	var fault *kernels.RunnerError
	if err := c.head.Call(ctx, "reset", "", nil, nil, c.opt.CaseLimit); err == nil || !errors.As(err, &fault) {
		return err
	}
	c.head.Close()
	c.specOf = ""
	head, err := c.opt.Start(ctx, c.subject.Head)
	if err != nil {
		return err
	}
	c.head = head
	return nil
}
