package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// finding finds the cases of benchmarks, which only they know: by a first run of each side, that nothing is decided by. From then on
// the number of cases is fixed, and the plan can be cut into parts.
type finding struct {
	opt      Question
	workshop *workshop
	runners  *runners
	planned  int                 // cases, before those of benchmarks are found
	found    map[string][]string // rows, by kernel
	untimed  map[string][]result.Case
	unseen   []string // what was not checked of kernels, since not all that they asked for was seen
}

// find completes what is asked and what was built by the cases of benchmarks. It is a config.Errors where there are none of those that
// the configuration picks, or too many.
func (s *session) find(ctx context.Context, v *Values) (err error) {
	a, b := &v.Asked, &v.Builds
	if !a.Plan.HasUnknown() {
		return nil
	}
	f := &finding{
		opt: s.opt.Question, workshop: s.workshop, runners: s.runners, planned: a.Plan.K,
		found: map[string][]string{}, untimed: map[string][]result.Case{},
	}
	if b.Kernels, err = through(b.Kernels, func(k Kernel) (Kernel, *result.Kernel, error) { return f.kernel(ctx, k, &b.Account) }); err != nil {
		return err
	}
	b.noteNotChecked(f.unseen...)
	a.Plan = a.Plan.Found(f.found)
	a.Frame.Notes = append(a.Frame.Notes, f.unusedTolerances(a.Plan)...)
	if len(f.opt.Cases) > 0 {
		untimed := func(kernel, pattern string) bool { // it means a row that there is and that is not timed
			return slices.ContainsFunc(f.untimed[kernel], func(c result.Case) bool { return result.CaseMatches(pattern, kernel, c.Name) })
		}
		if a.Plan, err = a.Plan.Cases(f.opt.Cases, untimed); err != nil {
			return result.Usagef("--case: %w", err)
		}
		for kernel, rows := range f.untimed {
			f.untimed[kernel] = slices.DeleteFunc(rows, func(c result.Case) bool { return !f.opt.asksFor(kernel, c.Name) })
		}
	}
	a.Frame.Policy.Cases = max(1, a.Plan.K)
	if s := f.opt.Shard; s != nil {
		if a.Plan, err = a.Plan.Shard(*s); err != nil {
			return err
		}
		if s.Index > 1 { // the first part speaks for what is not timed
			f.untimed = nil
		}
	}
	var on []Kernel
	for _, p := range a.Plan.Kernels { // with the cases that the plan has now
		if i := slices.IndexFunc(b.On, func(k Kernel) bool { return k.Name() == p.Kernel.Name }); i >= 0 {
			b.On[i].Plan = p
			on = append(on, b.On[i])
		}
	}
	b.On = on
	b.Kernels, err = through(b.Kernels, func(k Kernel) (Kernel, *result.Kernel, error) {
		if len(k.Plan.Measured) == 0 { // what was asked for of it cannot be timed
			return k, k.end(result.KernelCompared, &result.Reason{Kind: result.ReasonNoCommonCase}), nil
		}
		return k, nil, nil
	})
	b.Untimed = f.untimed
	return err
}

// unusedTolerances says which tolerances are of no case, where rows of benchmarks could have been meant: others were refused before.
func (f *finding) unusedTolerances(p *plan.Plan) (notes []string) {
	if len(f.opt.Only)+len(f.opt.Cases) > 0 || f.opt.Shard != nil && f.opt.Shard.Index > 1 {
		return nil // it may be of what this run leaves out
	}
	for _, t := range f.opt.Trusted.Config.Tolerances {
		if !p.HasCase(t.Cases) {
			notes = append(notes, fmt.Sprintf("tolerances: no timed case matches %q", t.Cases))
		}
	}
	return notes
}

// kernel runs both sides of a benchmark once. A kernel that has no case to time ends here.
func (f *finding) kernel(ctx context.Context, k Kernel, a *Account) (Kernel, *result.Kernel, error) {
	if !k.Plan.IsUnknown() {
		return k, nil, nil
	}
	p := newProgram(k, f.runners, f.opt)
	k.Benchmark = &result.Benchmark{Format: p.Format.Traits().Name, Time: k.Plan.Kernel.Bench.Time, OurClock: p.Format.Traits().OurClock}
	p.Observe = true
	if !k.isNew() {
		switch fault, err := f.firstRun(ctx, p, &k, result.SideBase, benchmark.Ask{Wanted: f.opt.wanted(k)}); {
		case err != nil:
			return k, nil, err
		case fault != nil && k.Base.notStarted(k, fault):
			return k, k.end(result.KernelError, noBuildReason(result.SideBase, k.Base.Record)), nil
		case fault != nil:
			return k, k.end(result.KernelError, &result.Reason{Kind: result.ReasonBenchmarkFails, Side: result.SideBase, Message: fault.Brief()}), nil
		}
	}
	ask := benchmark.Ask{Wanted: benchmark.Picks(k.Plan.Kernel.Cases)}
	if p.Format.Traits().Lists && len(ask.Wanted) == 0 { // it may pick some by itself, so it is asked for base's
		for _, c := range k.First.Base.Set.Cases {
			ask.Cases = append(ask.Cases, c.Name)
		}
	}
	fault, err := f.firstRun(ctx, p, &k, result.SideHead, ask)
	a.RunnersS += (k.First.Base.Lived + k.First.Head.Lived).Seconds()
	if err != nil {
		return k, nil, err
	}
	if fault != nil {
		f.workshop.uses.hidden = true
		return f.headFails(k, fault)
	}
	p.Observe = false
	ended, err := f.elsewhere(k)
	if err == nil && ended == nil {
		err = recheck(ctx, p, &k, f.opt.wanted(k))
	}
	if err == nil && ended == nil {
		err = f.removed(ctx, &k)
	}
	if err != nil || ended != nil {
		return k, ended, err
	}
	for _, text := range slices.Concat(k.First.Base.Set.Notes, k.First.Head.Set.Notes) { // what it says itself
		a.note("%s: %s", k.Name(), firstLine(text))
	}
	return f.rows(k, a)
}

// firstRun lists the rows of a side. A fault is the benchmark's.
func (f *finding) firstRun(ctx context.Context, p *measure.Program, k *Kernel, side result.Side, ask benchmark.Ask) (fault *kernels.RunnerError, err error) {
	f.opt.Progress(Progress{Stage: StageBuild, What: fmt.Sprintf("%s (first run of %s)", k.Name(), side)})
	run, err := p.List(ctx, side, ask)
	if side == result.SideBase {
		k.First.Base = run
	} else {
		k.First.Head = run
	}
	if errors.As(err, &fault) {
		return fault, nil
	}
	runs := k.build(side).Runs
	f.workshop.ranIn(runs, run.Asked)
	f.workshop.uses.add(k.Name(), run.Launched, run.Asked, runs.Tree)
	return nil, err
}

// recheck runs base again where head lacks cases of it or measures others by their name, and gives those to base that differ then as well: a
// benchmark that has other cases each time is no fault of head.
func recheck(ctx context.Context, p *measure.Program, k *Kernel, wanted []string) error {
	differ := func(run measure.ProgramRun, row benchmark.Case) string {
		if !k.takes(row) || row.Skipped {
			return ""
		}
		return run.Differs(row)
	}
	if !slices.ContainsFunc(k.First.Base.Set.Cases, func(c benchmark.Case) bool { return differ(k.First.Head, c) != "" }) {
		return nil
	}
	again, err := p.List(ctx, result.SideBase, benchmark.Ask{Wanted: wanted})
	var fault *kernels.RunnerError
	if err != nil && !errors.As(err, &fault) {
		return err
	}
	for i, c := range k.First.Base.Set.Cases {
		if why := differ(again, c); why != "" && differ(k.First.Head, c) != "" {
			k.First.Base.Set.Cases[i].Failed = why
		}
	}
	return nil
}

// headFails makes the cases of base head's failures: it cannot run any of them. Without a base the kernel cannot be measured.
func (f *finding) headFails(k Kernel, fault *kernels.RunnerError) (Kernel, *result.Kernel, error) {
	if k.Head.notStarted(k, fault) {
		return k, k.end(result.KernelFailed, noBuildReason(result.SideHead, k.Head.Record)), nil
	}
	why := result.Reason{Kind: result.ReasonBenchmarkFails, Side: result.SideHead, Message: fault.Brief()}
	if k.isNew() {
		return k, k.end(result.KernelError, &why), nil
	}
	for _, c := range k.First.Base.Set.Cases {
		if k.takes(c) && f.room() > 0 {
			f.leave(k, result.Case{Name: c.Name, Verdict: result.Error, ErrorSide: result.SideHead, Reason: &why})
		}
	}
	f.found[k.Name()] = nil
	return k, k.end(result.KernelFailed, &why), nil
}

// takes says whether a row is one of those that the configuration picks, and not a library's.
func (k Kernel) takes(c benchmark.Case) bool { return !c.Competitor && k.Plan.Kernel.Takes(c.Name) }

// room is how many more cases the result can hold.
func (f *finding) room() int {
	room := config.MaxCases - f.planned
	for _, rows := range f.found {
		room -= len(rows)
	}
	for _, rows := range f.untimed {
		room -= len(rows)
	}
	return room
}

// leave keeps a row that is not timed. row has what there is to say of it.
func (f *finding) leave(k Kernel, row result.Case) {
	planned := newCase(plan.RowCase(k.Plan.Kernel, row.Name))
	row.Name, row.Kernel, row.Params = planned.Name, planned.Kernel, planned.Params
	f.untimed[k.Name()] = append(f.untimed[k.Name()], row)
}

// rows settles which rows are timed, and what becomes of the others.
func (f *finding) rows(k Kernel, a *Account) (Kernel, *result.Kernel, error) {
	for _, c := range k.First.Head.Set.Cases {
		if !c.Skipped && !c.Competitor {
			k.Benchmark.Offered++
		}
	}
	base := k.First.Base.Set
	if k.isNew() && (f.opt.Base.Tree == "" || k.Absent.Is(result.ReasonEpoch)) {
		base = k.First.Head.Set // head alone is measured
	}
	pairs := benchmark.Match(base, k.First.Head.Set)
	rows := f.sort(k, pairs)
	if room := f.room() - len(rows.timed); !rows.picked || room < 0 {
		return k, nil, f.pick(k, pairs, config.MaxCases-room)
	}
	for _, name := range rows.dropped[:min(len(rows.dropped), f.room()-len(rows.timed))] {
		f.leave(k, result.Case{Name: name, Verdict: result.Skipped, Reason: &result.Reason{Kind: result.ReasonDropped}})
	}
	if len(rows.leftOut) > 0 {
		a.note("%s: the benchmark itself leaves out on both sides: %s", k.Name(), few(rows.leftOut))
	}
	if len(rows.otherWork) > 0 {
		a.note("%s: head's benchmark says that a launch moves or computes another amount than base's: %s; "+
			"unless head needs less for the same, it is not the same work that is compared", k.Name(), few(rows.otherWork))
	}
	k, err := f.withLines(k, pairs, rows.timed)
	if err != nil {
		return k, nil, err
	}
	f.found[k.Name()] = nil
	for _, row := range rows.timed {
		f.found[k.Name()] = append(f.found[k.Name()], row.Name)
		k.Plan.Measured = append(k.Plan.Measured, plan.RowCase(k.Plan.Kernel, row.Name))
	}
	switch {
	case len(rows.timed) > 0:
		return k, nil, nil
	case k.isNew():
		return k, k.last(), nil
	case len(f.untimed[k.Name()]) == 0:
		return k, k.end(result.KernelError, &result.Reason{Kind: result.ReasonAllLeftOut}), nil
	}
	return k, k.end(result.KernelCompared, &result.Reason{Kind: result.ReasonNoCommonCase}), nil
}

// sortedRows are the rows of a benchmark by what becomes of them; those that are not timed and are cases all the same are kept already.
type sortedRows struct {
	timed   []benchmark.Case
	leftOut []string // by the benchmark itself, on both sides
	dropped []string // by head's configuration
	picked  bool     // the configuration picks some row at all

	otherWork []string // that a launch does, as the sides say: of timed ones
}

// sort goes through the rows of both sides.
func (f *finding) sort(k Kernel, pairs []benchmark.Pair) (out sortedRows) {
	for _, p := range pairs {
		if !k.takes(p.Case) {
			if f.opt.drops(k, p) {
				out.dropped = append(out.dropped, p.Name)
			}
			continue
		}
		out.picked = true
		switch p.State {
		case benchmark.Common:
			out.timed = append(out.timed, p.Case)
			if p.Work {
				out.otherWork = append(out.otherWork, p.Name)
			}
		case benchmark.New:
			f.leave(k, result.Case{Name: p.Name, Verdict: result.New, Reason: &result.Reason{Kind: result.ReasonNotInBase}})
		case benchmark.Lost, benchmark.Failing, benchmark.Changed:
			f.leave(k, result.Case{Name: p.Name, Verdict: result.Error, ErrorSide: result.SideHead, Reason: result.Message(p.Reason)})
		case benchmark.Coarse:
			f.leave(k, result.Case{
				Name: p.Name, Verdict: result.Error, ErrorCode: result.CodeCoarseClock, Reason: result.Message(fmt.Sprintf("%s (%q in cases leaves it out)", p.Reason, "!"+p.Name)),
			})
		case benchmark.Broken:
			f.leave(k, result.Case{Name: p.Name, Verdict: result.Error, ErrorSide: result.SideBase, Reason: result.Message(fmt.Sprintf("%s (%q in cases leaves it out)", p.Reason, "!"+p.Name))})
		case benchmark.Left:
			out.leftOut = append(out.leftOut, p.Name)
		}
	}
	return out
}

// pick says that cases have to be picked, or others. n are those that the run has now.
func (f *finding) pick(k Kernel, pairs []benchmark.Pair, n int) error {
	var has []string
	for _, p := range pairs {
		has = append(has, p.Name)
	}
	c := f.opt.Trusted.Config
	if n > config.MaxCases {
		return c.CasesError(k.Name(), "with this benchmark the run has %d cases, and a result holds at most %d: pick some with cases, such as %q; it has %s", n, config.MaxCases, has[0], few(has))
	}
	return c.CasesError(k.Name(), "cases picks none of the %d cases that the benchmark has: %s", len(has), few(has))
}

// few names the first of many.
func few(names []string) string {
	const most = 8
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
