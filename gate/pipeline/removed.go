package pipeline

import (
	"context"
	"errors"
	"slices"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/program"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// ownBase builds base's benchmark with base's own files, where both sides run head's or head's command: only that says which cases head removes.
// It has no record where base runs its own anyway, or has none.
func (w *workshop) ownBase(ctx context.Context, k Kernel, laid laidBenchmark, a *Account) (Build, error) {
	own, known := w.ofBase(k.Plan.Kernel)
	switch {
	case k.isNew() || !laid.baseHas || k.OwnBenchmarks || w.trusted.Trust != repo.TrustWorktree || w.opt.recording:
		return Build{}, nil
	case laid.base.Tree != w.base.Tree:
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
	var fault *kernels.RunnerError
	if errors.As(err, &fault) {
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
			k.First.Base.Set.Cases = append(k.First.Base.Set.Cases, benchmark.Case{Name: row, Failed: "head's benchmark has it on head alone, and base's own has it on base"})
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
	own.Base, own.First = k.OwnBase, program.Runs{}
	if own.Base.Record.Failed {
		return nil, &kernels.RunnerError{Message: "does not build"}
	}
	if c, ok := ownOf(f.opt.Trusted, k.Plan.Kernel); ok && c.IsSelfTimed() && c.Bench.Format == k.Plan.Kernel.Bench.Format {
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
