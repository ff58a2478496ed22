package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
)

// ErrNothingToTune says that there is nothing to tune.
var ErrNothingToTune = errors.New("it has no key tune, which lists what to try, such as tune: {BLOCK: [64, 128, 256]}")

// Tune builds every configuration of a kernel's parameters, checks each by the reference of the kernel as it is shipped, and measures those that are right in
// the same rounds until it is known which are the fastest. With check, the shipped one has to be among them. Faults of the kernel as it is shipped are in
// fault, with what its build printed; the error is ours, the machine's or the context's.
func Tune(ctx context.Context, opt Options, kernel string, check bool) (res *result.Result, fault AdapterFault, err error) {
	if k, known := opt.Trusted.Config.Kernel(kernel); known && len(k.Tune) == 0 {
		return nil, fault, ErrNothingToTune
	}
	var t *tuning
	res, fault, err = withHeadKernel(ctx, opt, kernel, "the kernel as it is shipped", func(ctx context.Context, s *session, k Kernel, v *Values) (AdapterFault, error) {
		t = &tuning{session: s, kernel: k, out: &v.Measured}
		return AdapterFault{}, t.run(ctx, v.Asked)
	})
	if res == nil {
		return nil, fault, err
	}
	k := &res.Kernels[0]
	res.Kind, res.Use = result.KindTune, map[string]map[string]string{}
	k.Configurations = t.configurations()
	if err := rule.DecideTune(res, check, t.neededS); err != nil {
		return nil, fault, err
	}
	for _, c := range append(res.Cases, result.Case{Name: "*", Comparisons: k.Comparisons}) {
		if best, measured := result.Fastest(c.Comparisons); measured {
			res.Use[c.Name] = t.values(best)
		}
	}
	return res, fault, nil
}

// tuning is a kernel whose parameters are turned.
type tuning struct {
	*session
	kernel  Kernel
	tried   []tried // the first is what is shipped
	out     *Measured
	neededS float64 // of the budget, where it was gone before a comparison
}

// tried is a variant of the kernel.
type tried struct {
	result.Configuration // without a name: as it is shipped
	Library              kernels.Library
}

func (t tried) variant() result.Variant {
	if t.Name == "" {
		return result.VariantHead
	}
	return result.ConfigurationNamed(t.Name)
}

// configurations are what was tried besides what is shipped.
func (t *tuning) configurations() (out []result.Configuration) {
	for _, one := range t.tried[1:] {
		out = append(out, one.Configuration)
	}
	return out
}

// values are those of a variant by parameter, none of what is shipped.
func (t *tuning) values(v result.Variant) map[string]string {
	out := map[string]string{}
	for _, one := range t.tried {
		if one.variant() == v {
			for _, p := range one.Values {
				out[p.Name] = p.Value
			}
		}
	}
	return out
}

// measured are the variants that are left to be measured.
func (t *tuning) measured() []tried {
	return slices.DeleteFunc(slices.Clone(t.tried), func(one tried) bool { return !one.IsMeasured() })
}

func (t *tuning) run(ctx context.Context, asked Asked) error {
	if err := t.build(ctx); err != nil {
		return err
	}
	if err := t.check(ctx, t.checker(checkTimed)); err != nil {
		return err
	}
	return t.eliminate(ctx, asked)
}

// check checks every configuration by the reference of the shipped one, in the cases that parity draws and in those that are timed. A configuration that is
// wrong could be the fastest, and drop those that are right: so all are checked before any is timed.
func (t *tuning) check(ctx context.Context, c *checker) error {
	k := t.kernel
	if k.Parity.Status != result.ParityPassed {
		t.out.note("nothing says that the configurations compute the same: parity of the kernel is %s", k.Parity.Status)
		return nil
	}
	var left []*tried
	for i := range t.tried[1:] {
		if one := &t.tried[i+1]; one.IsMeasured() {
			left = append(left, one)
		}
	}
	cases := slices.Concat(plan.Fuzz(k.Plan.Kernel, t.opt.Seed, k.Plan.Kernel.Parity.Cases), plan.Once(k.Plan.Measured, t.opt.Seed))
	most := checksAtOnce(t.device)
	with, leave, err := t.runners.apart(len(left), most)
	if err != nil {
		return err
	}
	defer leave()
	done := counted(t.opt.Progress, Progress{Stage: StageParity, What: k.Name() + ", every configuration", Total: len(left) * len(cases)})
	outs := make([]result.Parity, len(left))
	if err := child.Each(len(left), most, func(at int, alone []int) (spoiled bool, err error) {
		if outs[at].Status == "" {
			defer done(len(cases), 0)
		}
		from := t.runners
		if alone == nil {
			from = with(at)
		}
		outs[at], err = t.parity(ctx, c, left[at], cases, from)
		return isOfOthers(outs[at]), err
	}); err != nil {
		return err
	}
	for at, out := range outs {
		left[at].Parity, left[at].Reason = &out, result.Message(wrongBy(out))
	}
	return nil
}

// parity checks one configuration by the reference of the shipped one.
func (t *tuning) parity(ctx context.Context, c *checker, one *tried, cases []plan.FuzzCase, with *runners) (result.Parity, error) {
	k := t.kernel
	subject := parity.Subject{
		Kernel: k.Name(), Head: one.Library.Path, Base: k.Head.Library.Path, Judge: k.Head.Library.Path, Cases: cases, Tolerances: tolerances(k.Plan.Kernel.Parity),
	}
	opt := c.quiet()
	opt.Start, opt.Scratch, opt.NoShrink, opt.Repro = t.launcher(with).start, with.scratch, true, ""
	out, err := parity.Run(ctx, subject, opt)
	if err != nil {
		return out, fmt.Errorf("parity of %s with %s: %w", k.Name(), one.Name, err)
	}
	return out, nil
}

// eliminate measures what is left until it is known which are the fastest.
func (t *tuning) eliminate(ctx context.Context, asked Asked) error {
	m, k := t.measuring(asked), t.kernel
	e := rule.EliminationOf(asked.Frame.Policy, t.configurations(), len(k.Plan.Measured))
	var built []kernels.Library
	for _, one := range t.measured() {
		built = append(built, one.Library)
	}
	share, err := t.canShareProcess(built)
	if err != nil {
		return err
	}
	t.out.On = []Kernel{timed(k)}
	found, err := m.timeCases(ctx, t.out, func(_ *Kernel, c *Case) (measure.Subject, bool) {
		s := m.subject(k, c.Plan)
		how := measure.Variant{Waits: startsAhead(k, k.Plan.Kernel.Adapter, built...), Shares: s.Variants[1].Shares && share}
		s.Variants = nil
		for _, one := range t.measured() {
			s.Variants = append(s.Variants, how.As(one.variant(), one.Library.Path))
		}
		return s, true
	}, func(_ *Kernel, c *Case, found *measure.Case) {
		c.measured(found, t.device.multiprocessors())
		for i := range c.Record.Processes {
			c.Record.Processes[i].Raw = nil // of that many processes they would fill the file
		}
	}, withoutTimingCheck, func(o *measure.Options) {
		l := t.launcher(t.runners)
		o.Design, o.Stop, o.Start = measure.Mirrored, rule.NewSurvivors(e), l.start
		if o.StartAhead != nil {
			o.StartAhead = l.open
		}
	})
	t.out.Rounds, t.out.WarmUp, t.neededS = found.Rounds, found.WarmUp, found.NeededS
	return err
}

// canShareProcess says whether one process may measure all configurations: on a GPU, where a process costs more than what it measures, unless the dynamic loader
// would give libraries of one process a variable in common.
func (t *tuning) canShareProcess(built []kernels.Library) (bool, error) {
	if !t.device.shares() {
		return false, nil
	}
	for _, lib := range built {
		if unique, err := kernels.HasUnique(lib.Path); unique || err != nil {
			return false, err
		}
	}
	return true, nil
}

// launcher starts runners of the configurations. The shipped one says what is right, for itself as well.
func (t *tuning) launcher(with *runners) launcher {
	l := with.of(t.kernel)
	l.bases = append(l.bases, t.kernel.Head.Library.Path)
	for _, one := range t.measured() {
		l.heads = append(l.heads, one.Library.Path)
	}
	return l
}
