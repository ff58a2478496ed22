package run

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// Dropped is what base's configuration has of a kernel and head's, which rules the run, has no more. It is not compared, and a run that says nothing
// of it would look as if it had been.
type Dropped struct {
	Kernel string
	Whole  bool // head's configuration does not have the kernel
	Cases  []plan.Case
}

// holdsDrops says whether what head's configuration drops is to be said. Where a user with write access approves it, or base's rules, nothing is.
func (o Question) holdsDrops() bool {
	return o.Trusted.Trust == repo.TrustWorktree && o.Trusted.Base != nil && o.Base.Tree != "" && !o.MayDrop && !o.recording
}

// dropped finds what head's configuration drops of that which was asked for. Of benchmarks the first run of base says it.
func dropped(o Question) ([]Dropped, error) {
	if !o.holdsDrops() || o.Shard != nil && o.Shard.Index > 1 { // the first part speaks for what is not timed
		return nil, nil
	}
	var out []Dropped
	for _, k := range o.Trusted.Base.Kernels {
		if len(o.Only) > 0 && !slices.Contains(o.Only, k.Name) {
			continue
		}
		before, err := plan.Measured(k)
		if err != nil {
			return nil, err
		}
		now, has := o.Trusted.Config.Kernel(k.Name)
		switch {
		case has && now.IsSelfTimed() && k.IsSelfTimed():
			continue
		case has && k.IsSelfTimed(): // an adapter takes its place; which rows it had only a run of it would tell
			before = append(before, plan.RowCase(k, "*"))
		}
		d := Dropped{Kernel: k.Name, Whole: !has, Cases: before}
		if has {
			if d.Cases, err = without(before, now); err != nil {
				return nil, err
			}
		}
		d.Cases = slices.DeleteFunc(d.Cases, func(c plan.Case) bool { return !o.asksFor(k.Name, c.Name()) })
		if len(d.Cases) > 0 || d.Whole && o.asksFor(k.Name, k.Name) {
			out = append(out, d)
		}
	}
	return out, nil
}

// without are the cases that a kernel does not measure.
func without(cases []plan.Case, k config.Kernel) ([]plan.Case, error) {
	measured, err := plan.Measured(k)
	return slices.DeleteFunc(cases, func(c plan.Case) bool {
		return slices.ContainsFunc(measured, func(m plan.Case) bool { return m.Name() == c.Name() })
	}), err
}

// asksFor says whether a case was asked for: all are, where no pattern names some.
func (o Question) asksFor(kernel, name string) bool {
	return len(o.Cases) == 0 || slices.ContainsFunc(o.Cases, func(pattern string) bool { return result.CaseMatches(pattern, kernel, name) })
}

// records are a dropped kernel and its cases as the result has them.
func (d Dropped) records(res *result.Result) {
	why := &result.Reason{Kind: result.ReasonDropped}
	if d.Whole {
		res.Kernels = append(res.Kernels, result.Kernel{
			Name: d.Kernel, Status: result.KernelError, Reason: why, Skipped: true, Parity: result.Parity{Status: result.ParitySkipped, Reason: why},
		})
	}
	for _, p := range d.Cases {
		c := newCase(p)
		c.Verdict, c.Reason = result.Skipped, why
		res.Cases = append(res.Cases, c)
	}
}

// withDropped are kernels of a precheck with those that head's configuration drops, or of which it drops cases: a run would not compare them either.
func withDropped(kernels []result.PrecheckKernel, all []Dropped) []result.PrecheckKernel {
	why := &result.Reason{Kind: result.ReasonDropped}
	for _, d := range all {
		i := slices.IndexFunc(kernels, func(k result.PrecheckKernel) bool { return k.Name == d.Kernel })
		if i < 0 {
			i, kernels = len(kernels), append(kernels, result.PrecheckKernel{Kernel: result.Kernel{Name: d.Kernel}, Same: true})
		}
		k := &kernels[i]
		k.Status, k.Reason = result.KernelError, cmp.Or(k.Reason, why)
	}
	return kernels
}

// before is the benchmark of a kernel as base's configuration has it, where that is compared with what head's drops.
func (o Question) before(k Kernel) (config.Kernel, bool) {
	if !o.holdsDrops() {
		return config.Kernel{}, false
	}
	before, has := o.Trusted.Base.Kernel(k.Name())
	return before, has && before.IsSelfTimed()
}

// drops says whether a row of a benchmark, which head's configuration does not pick, is one that base's picks and base's benchmark has.
func (o Question) drops(k Kernel, row benchmark.Pair) bool {
	before, has := o.before(k)
	return has && !row.Case.Competitor && row.State != benchmark.New && row.State != benchmark.Left && before.Takes(row.Name)
}

// wanted are the patterns that base's first run is asked for: those of both configurations, or none where either takes all rows.
func (o Question) wanted(k Kernel) []string {
	now := benchmark.Picks(k.Plan.Kernel.Cases)
	before, has := o.before(k)
	if !has || len(now) == 0 {
		return now
	}
	earlier := benchmark.Picks(before.Cases)
	if len(earlier) == 0 {
		return nil
	}
	return append(slices.Clone(now), slices.DeleteFunc(earlier, func(p string) bool { return slices.Contains(now, p) })...)
}

// ownBase builds base's benchmark with base's own files, where both sides run head's or head's command: only that says which cases head removes.
// It has no record where base runs its own anyway, or has none.
func (w *workshop) ownBase(ctx context.Context, k Kernel, laid laidBenchmark, a *Account) (Build, error) {
	own, known := w.ownOf(k.Plan.Kernel)
	switch {
	case k.isNew() || !laid.baseHas || k.OwnBenchmarks || w.Trusted.Trust != repo.TrustWorktree || w.recording:
		return Build{}, nil
	case laid.base.Tree != w.Base.Tree:
		return w.benchSide(ctx, k, result.SideBase, laid.ownBase, Build{}, a)
	case known && own.IsSelfTimed() && !sameCommand(*own.Bench, *k.Plan.Kernel.Bench):
		return k.Base, nil
	}
	return Build{}, nil
}

func sameCommand(a, b config.Bench) bool {
	return a.Format == b.Format && a.Command == b.Command && a.Script == b.Script && slices.Equal(a.Args, b.Args)
}

// removed finds the rows that base's own benchmark has and head's, which both sides run, has no more.
func (f *finding) removed(ctx context.Context, k *Kernel) error {
	if k.OwnBase.Record == nil {
		return nil
	}
	rows, err := f.rowsRemoved(ctx, *k)
	if fault, ok := errors.AsType[*kernels.RunnerError](err); ok {
		k.Uncompared = append(k.Uncompared, result.Uncompared{Reason: result.Reason{Kind: result.ReasonCasesUnknown, Message: fault.Brief()}, Approved: f.opt.MayDrop})
		return nil
	}
	if err != nil {
		return err
	}
	before, asked := f.opt.before(*k)
	var approved []string
	for _, row := range rows[:min(len(rows), f.room())] {
		switch {
		case !k.Plan.Kernel.Takes(row) && asked && before.Takes(row):
			f.leave(*k, result.Case{Name: row, Verdict: result.Skipped, Reason: &result.Reason{Kind: result.ReasonDropped}})
		case !k.Plan.Kernel.Takes(row):
		case !f.opt.MayDrop && k.First.Head.Has(row):
			k.First.Base.Set.Cases = append(k.First.Base.Set.Cases, benchmark.Case{Name: row, Failed: "head's benchmark has it only on head, and base's has it on base"})
		case k.First.Head.Has(row):
		case f.opt.MayDrop:
			approved = append(approved, row)
		default:
			f.leave(*k, result.Case{Name: row, Verdict: result.Error, ErrorSide: result.SideHead, Reason: &result.Reason{Kind: result.ReasonCaseRemoved}})
		}
	}
	if len(approved) > 0 {
		k.Uncompared = append(k.Uncompared, newUncompared(result.Reason{Kind: result.ReasonCasesRemoved}, approved, false, true))
	}
	return nil
}

// rowsRemoved runs base's own benchmark, and again where head lacks rows of it: one that has other rows each time is no fault of head.
func (f *finding) rowsRemoved(ctx context.Context, k Kernel) ([]string, error) {
	own := k
	own.Base, own.First = k.OwnBase, measure.ProgramRuns{}
	if own.Base.Record.Failed {
		return nil, &kernels.RunnerError{Message: "does not build"}
	}
	if c, ok := f.opt.ownOf(k.Plan.Kernel); ok && c.IsSelfTimed() && c.Bench.Format == k.Plan.Kernel.Bench.Format {
		own.Plan.Kernel.Bench = c.Bench
	}
	p := newProgram(own, f.runners, f.opt)
	var rows []string
	for range 2 {
		run, err := p.List(ctx, result.SideBase, benchmark.Ask{Wanted: f.opt.wanted(k)})
		if err != nil {
			return nil, err
		}
		missing := run.Lacks(k.First.Base)
		if rows != nil {
			missing = slices.DeleteFunc(missing, func(row string) bool { return !slices.Contains(rows, row) })
		}
		if rows = missing; len(rows) == 0 {
			return nil, nil
		}
	}
	return rows, nil
}
