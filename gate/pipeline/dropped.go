package pipeline

import (
	"cmp"
	"slices"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// Dropped is what base's configuration has of a kernel and head's, which rules the run, has no more. It is not compared, and a run that says nothing
// of it would look as if it had been.
type Dropped struct {
	Kernel string
	Whole  bool // head's configuration does not have the kernel
	Cases  []plan.Case
}

// holdsDrops says whether what head's configuration drops is to be said. Where a writer vouches for it, or base's rules, nothing is.
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

// withDropped are touched kernels with those that head's configuration drops, or of which it drops cases: a run would not compare them either.
func withDropped(kernels []result.TouchedKernel, all []Dropped) []result.TouchedKernel {
	why := &result.Reason{Kind: result.ReasonDropped}
	for _, d := range all {
		i := slices.IndexFunc(kernels, func(k result.TouchedKernel) bool { return k.Name == d.Kernel })
		if i < 0 {
			kernels = append(kernels, result.TouchedKernel{Name: d.Kernel, Same: true, Unchecked: why})
		} else {
			kernels[i].Unchecked = cmp.Or(kernels[i].Unchecked, why)
		}
	}
	return kernels
}

// before is the benchmark of a kernel as base's configuration has it, where that is held against what head's drops.
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
