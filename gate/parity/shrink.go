package parity

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/org/perfgate/gate/config"
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
		c.out.Failure.Pattern = PatternWords(b.reply.Pattern, w.Dims)
		c.out.Failure.Map = MapOf(b.reply)
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

// run shrinks parameters until none shrinks any more; then it looks for simpler inputs. What it finds fails as the first case did or
// in another way: wrong is wrong. Halves come first, since they get far in few tries. A fault that only some sizes have hides
// between them, so then every small size and every edge is tried.
func (s *shrinker) run() {
	for s.all(halves) || s.all(smallSizes) {
	}
	for _, values := range []string{"zeros", "constant", "normal"} {
		if !s.check.rules().Tries(values) {
			continue
		}
		if values == s.best.fuzz.Values || s.try(s.best.fuzz.Case, values) {
			return
		}
	}
}

// all shrinks each parameter as far as the candidates that a way of shrinking offers go, and says whether one shrank.
func (s *shrinker) all(offer func(p config.Param, now int64) []int64) bool {
	shrunk := false
	for i := range s.best.fuzz.Case.Params {
		for s.smaller(i, offer) {
			shrunk = true
		}
	}
	return shrunk
}

// smaller finds one smaller value of a parameter for which the case still fails.
func (s *shrinker) smaller(i int, offer func(p config.Param, now int64) []int64) bool {
	from := s.best.fuzz.Case.From()
	now := s.best.fuzz.Case.Params[i].Value
	if from == nil || i >= len(from.Params) || now.IsDtype() {
		return false
	}
	for _, v := range below(from.Params[i], now.Int, offer) {
		c := s.best.fuzz.Case.With(i, config.IntValue(v))
		if c.Allowed() && s.try(c, s.best.fuzz.Values) {
			return true
		}
	}
	return false
}

// below are those candidates that the parameter takes and that are smaller than now, the smallest first.
func below(p config.Param, now int64, offer func(p config.Param, now int64) []int64) []int64 {
	listed := func(v int64) bool {
		return slices.ContainsFunc(p.Values, func(l config.Value) bool { return !l.IsDtype() && l.Int == v })
	}
	out := slices.DeleteFunc(offer(p, now), func(v int64) bool {
		return v >= now || !listed(v) && (p.Fuzz == nil || !p.Fuzz.Contains(v))
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// halves are the listed values, and those that halve the distance to the smallest: a threshold is found in a number of tries that
// grows with its logarithm only.
func halves(p config.Param, now int64) []int64 {
	var out []int64
	for _, v := range p.Values {
		out = append(out, v.Int)
	}
	if p.Fuzz == nil {
		return out
	}
	step := max(p.Fuzz.MultipleOf, 1)
	first, _ := p.Fuzz.First()
	last, _ := p.Fuzz.Last() // now may have been measured outside of the range
	out = append(out, last, now-step)
	for distance := now - first; distance > 0; distance /= 2 {
		v := now - distance
		out = append(out, v-v%step)
	}
	return out
}

// manySmall is how many of the smallest sizes are tried one by one.
const manySmall = 32

// smallSizes are the smallest values of a range, and where kernels go wrong above them: powers of two and the first tiles, and
// what lies beside them.
func smallSizes(p config.Param, _ int64) []int64 {
	if p.Fuzz == nil {
		return nil
	}
	step := max(p.Fuzz.MultipleOf, 1)
	first, _ := p.Fuzz.First()
	last, _ := p.Fuzz.Last()
	var out []int64
	for i := int64(0); i < manySmall && first+i*step <= last; i++ {
		out = append(out, first+i*step)
	}
	around := func(v int64) {
		v -= v % step
		out = append(out, v-step, v, v+step)
	}
	for power := int64(1); power <= last/2; power *= 2 {
		around(2 * power)
	}
	for tile := int64(1); tile <= 4 && p.Fuzz.Near > 0; tile++ {
		around(tile * p.Fuzz.Near)
	}
	return out
}

// try checks one case, and keeps it where it fails. A kernel that is not the same twice may pass now: then it is not kept.
func (s *shrinker) try(c plan.Case, values string) bool {
	if s.err != nil || s.ctx.Err() != nil || time.Now().After(s.deadline) {
		return false
	}
	origin := s.best.fuzz.Origin
	fuzz := plan.FuzzCase{Case: c, Values: values, Seed: plan.InputSeed(origin, c, values), Origin: origin}
	if s.err = s.check.readyForNext(s.ctx, s.best.code); s.err != nil {
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

// readyForNext makes head's runner ready for another case after one that failed with a code. Where a setup or a launch raised, an interpreter is no
// longer what it was: a module that was imported by half fails again, in another way.
func (c *check) readyForNext(ctx context.Context, after result.Code) error {
	if kernels.IsHosted(c.subject.Head) && (after == result.CodeSetupFailed || after == result.CodeLaunchFailed) {
		return c.restart(ctx)
	}
	return c.revive(ctx)
}

// revive starts head's runner again where the last case ended it.
func (c *check) revive(ctx context.Context) error {
	var fault *kernels.RunnerError
	if err := c.head.Call(ctx, "reset", "", nil, nil, c.caseLimit()); err == nil || !errors.As(err, &fault) {
		return err
	}
	return c.restart(ctx)
}

func (c *check) restart(ctx context.Context) error {
	c.head.Close()
	c.specOf = ""
	head, err := c.opt.Start(ctx, c.subject.Head)
	if err != nil {
		return err
	}
	c.head = head
	return nil
}
