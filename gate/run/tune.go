package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/stats"
)

// ErrNothingToTune says that there is nothing to tune.
var ErrNothingToTune = errors.New("it has no key tune, which lists what to try, such as tune: {BLOCK: [64, 128, 256]}")

// Tune builds every configuration of a kernel's parameters, checks each by the reference of the kernel as it is shipped, and measures those that are right in
// the same rounds until it is known which are the fastest. Faults of the kernel as it is shipped are in fault, with what its build printed; the
// error is ours, the machine's or the context's.
func Tune(ctx context.Context, opt Options, kernel string) (found *result.Tuned, fault AdapterFault, err error) {
	if k, known := opt.Trusted.Config.Kernel(kernel); known && len(k.Tune) == 0 {
		return nil, fault, ErrNothingToTune
	}
	fault, around, err := withHeadKernel(ctx, opt, kernel, shipped, func(ctx context.Context, s *session, k Kernel, asked Asked) (_ AdapterFault, err error) {
		found, err = s.tune(ctx, k, asked)
		return AdapterFault{}, err
	})
	if found != nil {
		found.Machine, found.Seconds = around.Machine, around.TotalS
	}
	return found, fault, err
}

// shipped is what people call the kernel without any value set.
const shipped = "the kernel as it is shipped"

// tuning is a kernel whose parameters are turned.
type tuning struct {
	*session
	kernel    Kernel
	found     *result.Tuned
	libraries []string          // by configuration; "" of one that is not measured
	built     []kernels.Library // those that are, in any order
	survivors *rule.Survivors
	account   Account
}

func (s *session) tune(ctx context.Context, k Kernel, asked Asked) (*result.Tuned, error) {
	gate := s.opt.Trusted.Config.Gate
	t := &tuning{session: s, kernel: k, found: &result.Tuned{
		Schema: result.TunedSchema, Tool: asked.Frame.Tool, Started: asked.Frame.Started, Repro: asked.Frame.Repro, Seed: asked.Frame.Seed, Kernel: k.Name(),
		Confidence: gate.Confidence, Gain: gate.Tolerance, Use: map[string]map[string]string{},
	}}
	if err := t.build(ctx); err != nil {
		return nil, err
	}
	if err := t.check(ctx, s.checker(checkTimed)); err != nil {
		return nil, err
	}
	err := t.eliminate(ctx, asked)
	t.found.Notes = append(t.found.Notes, t.account.Notes...)
	return t.found, err
}

// check checks every configuration by the reference of the shipped one, in the cases that parity draws and in those that are timed. A configuration that is
// wrong could be the fastest, and drop those that are right: so all are checked before any is timed.
func (t *tuning) check(ctx context.Context, c *checker) error {
	k := t.kernel
	if k.Parity.Status != result.ParityPassed {
		t.account.note("nothing says that the configurations compute the same: parity of the kernel is %s", k.Parity.Status)
		return nil
	}
	var left []int
	for i, library := range t.libraries {
		if library != "" && i != 0 {
			left = append(left, i)
		}
	}
	cases := slices.Concat(plan.Fuzz(k.Plan.Kernel, t.opt.Seed, k.Plan.Kernel.Parity.Cases), plan.Once(k.Plan.Measured, t.opt.Seed))
	most := checksAtOnce(t.device)
	done := counted(t.opt.Progress, Progress{Stage: StageParity, What: k.Name() + ", every configuration", Total: len(left) * len(cases)})
	outs := make([]result.Parity, len(left))
	if err := t.runners.beside(len(left), most, func(at int, with *runners) (err error) {
		defer done(len(cases), 0)
		outs[at], err = t.parity(ctx, c, left[at], cases, with)
		return err
	}); err != nil {
		return err
	}
	for at, out := range outs {
		if isOfOthers(out) {
			var err error
			if out, err = t.parity(ctx, c, left[at], cases, t.runners); err != nil { // again, alone
				return err
			}
		}
		t.judge(left[at], out)
	}
	return nil
}

// parity checks one configuration by the reference of the shipped one.
func (t *tuning) parity(ctx context.Context, c *checker, configuration int, cases []plan.FuzzCase, with *runners) (result.Parity, error) {
	k, text := t.kernel, t.found.Configurations[configuration].Text
	subject := parity.Subject{
		Kernel: k.Name(), Head: t.libraries[configuration], Base: k.Head.Library.Path, Judge: k.Head.Library.Path, Cases: cases, Tolerances: tolerances(k.Plan.Kernel.Parity),
	}
	opt := c.quiet()
	opt.Start, opt.Scratch, opt.NoShrink, opt.Repro = t.launcher(with).start, with.scratch, true, ""
	out, err := parity.Run(ctx, subject, opt)
	if err != nil {
		return out, fmt.Errorf("parity of %s with %s: %w", k.Name(), text, err)
	}
	return out, nil
}

// judge takes a configuration that is wrong, or that could not be checked, out of what is measured.
func (t *tuning) judge(configuration int, out result.Parity) {
	one := &t.found.Configurations[configuration]
	switch out.Status {
	case result.ParityPassed:
		return
	case result.ParityFailed:
		one.Reason = result.Message(out.Failure.Case + ": " + out.Failure.Message)
	default:
		one.Reason = result.Message("whether it computes the same could not be checked: " + result.MessageOf(out.Reason))
	}
	one.Status, t.libraries[configuration] = result.TunedWrong, ""
}

// eliminate measures all configurations until it is known which are the fastest.
func (t *tuning) eliminate(ctx context.Context, asked Asked) error {
	m := t.measuring(asked)
	share, err := t.canShareProcess()
	if err != nil {
		return err
	}
	var subjects []measure.Subject
	for _, c := range t.kernel.Plan.Measured {
		s := comparedWith(m.subject(t.kernel, c), "")
		s.Waits, s.Shares = startsAhead(t.kernel, t.kernel.Plan.Kernel.Adapter, t.built...), s.Shares && share
		s.Configurations = t.libraries
		subjects = append(subjects, s)
	}
	t.survivors = rule.NewSurvivors(rule.Elimination{Confidence: t.found.Confidence, Gain: t.found.Gain, Configurations: len(nonEmpty(slices.Clone(t.libraries)...)), Cases: len(subjects)}, 0)
	found, err := m.runRounds(ctx, []Kernel{t.kernel}, subjects, &t.account, withoutTimingCheck, func(o *measure.Options) {
		l := t.launcher(t.runners)
		o.Design, o.Stop, o.Start = measure.Mirrored, elimination{t}, l.start
		if o.StartAhead != nil {
			o.StartAhead = l.open
		}
	})
	if err != nil {
		return err
	}
	for _, r := range found.Rounds {
		if r.Voided == "" {
			t.found.Rounds++
		}
	}
	t.found.Over, t.found.BudgetNeededS = !found.BudgetGone && t.survivors.Over(), found.NeededS
	t.place(t.series(found.Cases))
	return nil
}

// canShareProcess says whether one process may measure all configurations: on a GPU, where a process costs more than what it measures, unless the dynamic loader
// would give libraries of one process a variable in common.
func (t *tuning) canShareProcess() (bool, error) {
	if !t.device.shares() {
		return false, nil
	}
	for _, lib := range t.built {
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
	l.heads = append(l.heads, nonEmpty(slices.Clone(t.libraries)...)...)
	return l
}

// elimination is the stop rule that drops the configurations that are significantly slower.
type elimination struct{ *tuning }

func (e elimination) LooksAt(rounds int) bool { return e.survivors.LooksAt(rounds) }

func (e elimination) Last() int { return e.survivors.Last() }

func (e elimination) Look(rounds int, cases []*measure.Case) (over bool, err error) {
	all := e.series(cases)
	if err := e.survivors.Look(seriesOf(all)); err != nil {
		return false, err
	}
	for i, series := range all {
		for configuration, c := range series {
			if c != nil && c.IsOpen() && !e.survivors.Wants(i, configuration) {
				c.Drop()
			}
		}
	}
	return e.survivors.Over() || rounds >= e.survivors.Last(), nil
}

// series are the cases of each subject by configuration, nil of one that is not measured.
func (t *tuning) series(cases []*measure.Case) [][]*measure.Case {
	out := make([][]*measure.Case, len(t.kernel.Plan.Measured))
	for i := range out {
		out[i] = make([]*measure.Case, len(t.libraries))
	}
	for at, c := range cases { // as many of each subject
		out[at*len(out)/len(cases)][c.Configuration] = c
	}
	return out
}

// seriesOf are the values of what is still measured, by case and by configuration.
func seriesOf(all [][]*measure.Case) [][]rule.Series {
	out := make([][]rule.Series, len(all))
	for i, series := range all {
		for configuration, c := range series {
			l := rule.Series{Configuration: configuration}
			if c != nil && c.Method != nil && c.IsOpen() {
				l = c.Series()
			}
			out[i] = append(out[i], l)
		}
	}
	return out
}

// place puts what rounds found into the result.
func (t *tuning) place(cases [][]*measure.Case) {
	var all []float64
	for i, series := range cases {
		one := t.placed(i, func(configuration int) (ns float64, rounds int, why string) { return factsOf(series[configuration]) })
		one.Name = t.kernel.Plan.Measured[i].Name()
		if one.Best < 0 {
			one.Reason = result.Message("no configuration was measured")
		}
		t.found.Cases = append(t.found.Cases, one)
		if one.Best >= 0 {
			t.found.Use[one.Name] = t.found.Configurations[one.Best].Values
		}
	}
	together := t.placed(len(cases), func(configuration int) (float64, int, string) {
		all = all[:0]
		fewest := math.MaxInt
		for i, series := range cases {
			ns, rounds, why := factsOf(series[configuration])
			switch {
			case why != "":
				return 0, 0, t.kernel.Plan.Measured[i].Name() + ": " + why
			case rounds == 0:
				return 0, 0, ""
			}
			all, fewest = append(all, math.Log(ns)), min(fewest, rounds)
		}
		return math.Exp(stats.Mean(all)), fewest, ""
	})
	t.found.All = &together
	if together.Best >= 0 {
		t.found.Use["*"] = t.found.Configurations[together.Best].Values
	}
}

// factsOf are the median and the complete rounds of a configuration in a case, or why it ended.
func factsOf(c *measure.Case) (ns float64, rounds int, why string) {
	switch {
	case c == nil:
		return 0, 0, ""
	case c.Verdict == result.Error:
		return 0, 0, c.Reason
	}
	if s := c.Summary(result.VariantHead); s != nil {
		return s.MedianNS, len(c.Processes) / 2, ""
	}
	return 0, 0, ""
}

// placed are the configurations in a case, or over all, the best first.
func (t *tuning) placed(group int, facts func(configuration int) (float64, int, string)) result.TunedCase {
	out := result.TunedCase{Best: -1, Among: []int{}, Configurations: []result.TunedInCase{}}
	for configuration, library := range t.libraries {
		if library == "" {
			continue
		}
		ns, rounds, why := facts(configuration)
		one := result.TunedInCase{Configuration: configuration, Standing: t.survivors.Standing(group, configuration), MedianNS: ns, Rounds: rounds, Reason: result.Message(why)}
		if why != "" {
			one.Standing = result.TunedUnmeasured
		}
		switch one.Standing {
		case result.TunedBest:
			out.Best, one.Ratio, one.Low, one.High = configuration, 1, 1, 1
			out.Among = append([]int{configuration}, out.Among...)
		case result.TunedLevel, result.TunedInconclusive:
			out.Among = append(out.Among, configuration)
		}
		if p, _, ok := t.survivors.Place(group, configuration); ok && p.Behind != nil {
			one.Ratio, one.Low, one.High = p.Behind.Ratio, p.Behind.RatioLow, p.Behind.RatioHigh
		}
		out.Configurations = append(out.Configurations, one)
	}
	slices.SortStableFunc(out.Configurations, func(a, b result.TunedInCase) int { return cmp.Or(slower(a)-slower(b), cmp.Compare(a.Ratio, b.Ratio)) })
	return out
}

// slower orders configurations for people: the best, those that may be as fast, the slower ones, those without a time.
func slower(s result.TunedInCase) int {
	return slices.Index([]result.TunedStanding{result.TunedBest, result.TunedLevel, result.TunedInconclusive, result.TunedSlower, result.TunedUnmeasured}, s.Standing)
}
