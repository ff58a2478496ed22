package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// judged is a result as the rules see it.
type judged struct {
	result   *result.Result  // with our conclusion
	unproven []rule.Unproven // what only the measuring job can know
}

// judge decides the results of one measurement again, one of each part: under the configuration that may rule, over the cases that it
// plans. The error says what of them cannot be trusted.
func (r *rules) judge(ctx context.Context, parts []part) (judged, error) {
	for _, p := range parts {
		if err := r.isOfTheEvent(p.result); err != nil {
			return judged{}, err
		}
	}
	if err := r.choose(parts); err != nil {
		return judged{}, err
	}
	out, err := r.replay(parts)
	if err != nil {
		return out, err
	}
	res := out.result
	if err := r.complete(res, parts); err != nil {
		return out, err
	}
	proven, unknown, err := r.checkNew(ctx, res)
	if err != nil {
		return out, err
	}
	out.unproven = slices.DeleteFunc(out.unproven, func(u rule.Unproven) bool {
		isNew := u.Kind == rule.UnprovenNew
		if r.road.measured {
			return !isNew || !slices.Contains(unknown, u.Kernel)
		}
		return isNew && slices.Contains(proven, u.Kernel)
	})
	if !r.road.measured {
		out.unproven = append(out.unproven, rule.UnprovenNumbers(res)...)
	}
	res.Config.File, res.Config.Changed = filepath.Base(r.config.File), r.changed()
	res.Cost = result.NewCost(r.config.Cost.GPUHour, res.Timings)
	return out, nil
}

// isOfTheEvent says whether a result is the gate's, of the commits of the event, as they are.
func (r *rules) isOfTheEvent(res *result.Result) error {
	switch {
	case res.Kind != result.KindGate:
		return fmt.Errorf("it is a result of %s, which a job of the gate does not make", res.Kind)
	case res.Head.Revision != r.head:
		return fmt.Errorf("it is about head %.12q, the event about %.12s", res.Head.Revision, r.head)
	case res.Base.Revision != r.base:
		return fmt.Errorf("it is about base %.12q, the event about %.12s: if the base branch has moved since, run all jobs of the measuring workflow again", res.Base.Revision, r.base)
	case res.Base.Dirty || res.Head.Dirty || res.Base.Kind == result.KindWorktree || res.Head.Kind == result.KindWorktree:
		return errors.New("it is about files that were changed after the checkout")
	case len(res.Base.Flags)+len(res.Head.Flags) > 0:
		return errors.New("a side was compiled with additional flags")
	}
	return nil
}

// replay decides from the samples.
func (r *rules) replay(parts []part) (judged, error) {
	shards, machines := r.road.shards, r.road.on
	for _, p := range parts {
		of := 1
		if p.result.Shard != nil {
			of = p.result.Shard.Of
		}
		if of != max(shards, 1) || (p.result.Shard != nil) != (shards > 0) {
			return judged{}, fmt.Errorf("%s is one of %d parts of its plan, and %d are expected", p.name, of, max(shards, 1))
		}
	}
	if shards == 0 && machines == 0 {
		res := parts[0].result
		if len(res.Merged) > 0 {
			return judged{}, errors.New("it is merged of several, and one is expected")
		}
		again := rule.Replay(res, r.policy)
		return judged{again.Take(*res), again.Unproven}, again.Err()
	}
	var inputs []rule.MergeInput
	var unproven []rule.Unproven
	for _, p := range parts {
		inputs = append(inputs, rule.MergeInput{Name: p.name, Result: p.result})
		for _, u := range rule.Replay(p.result, r.policy).Unproven {
			if !slices.Contains(unproven, u) {
				unproven = append(unproven, u)
			}
		}
	}
	merged, err := rule.Merge(inputs, rule.MergeOptions{Policy: &r.policy, Machines: max(machines, 1)})
	return judged{merged, unproven}, err
}

// complete compares results with what there was to do, on each machine. To leave out a case that regressed is to leave out a case.
func (r *rules) complete(res *result.Result, parts []part) error {
	if len(res.Kernels)+len(res.Cases) == 0 {
		if touched := r.watched(r.config, pathOf(r.in)); len(touched) > 0 {
			return fmt.Errorf("it says that there was nothing to do, and head changes %s", listed(touched))
		}
		return nil
	}
	var missing []string
	for i, p := range parts {
		if slices.ContainsFunc(parts[:i], func(q part) bool { return q.machine == p.machine }) {
			continue
		}
		lacks, err := r.lacking(parts, p.machine)
		if err != nil {
			return err
		}
		missing = append(missing, lacks...)
	}
	if len(missing) > 0 {
		res.Conclusion = rule.Add(res.Conclusion, result.Finding{
			Kind: result.FindingMissing, Reason: result.Message("what was planned is not in the result: " + listed(missing)),
		})
	}
	return nil
}

// lacking lists what of the plan no result of a machine has.
func (r *rules) lacking(parts []part, machine string) ([]string, error) {
	timed, built := map[string]bool{}, map[string]bool{}
	for _, one := range parts {
		if one.machine != machine {
			continue
		}
		for _, c := range one.result.Cases {
			timed[c.Name] = true
		}
		for _, k := range one.result.Kernels {
			built[k.Name] = true
			if err := r.parity(k); err != nil {
				return nil, err
			}
		}
	}
	on := ""
	if machine != "" {
		on = " on " + machine
	}
	var missing []string
	for _, k := range r.plan.Kernels {
		if !built[k.Kernel.Name] {
			if !r.mayBeEmpty(k, parts) {
				missing = append(missing, "kernel "+k.Kernel.Name+on)
			}
			continue
		}
		for _, c := range k.Measured {
			if !timed[c.Name()] {
				missing = append(missing, c.Name()+on)
			}
		}
	}
	return missing, nil
}

// mayBeEmpty says whether the input case may leave nothing of a benchmark, whose rows only the job that measured knows: where patterns have its kernel
// by a wildcard alone, and no row is its own. A stranger could leave out rows so, and is not believed.
func (r *rules) mayBeEmpty(k plan.KernelPlan, parts []part) bool {
	if !r.road.measured || len(r.in.Cases) == 0 || !k.IsUnknown() {
		return false
	}
	named := slices.ContainsFunc(r.in.Cases, func(pattern string) bool {
		return result.ParseCaseID(pattern).Kernel == k.Kernel.Name
	})
	return !named && !slices.ContainsFunc(parts, func(p part) bool {
		return slices.ContainsFunc(p.result.Cases, func(c result.Case) bool { return c.Kernel == k.Kernel.Name })
	})
}

// parity refuses one that has checked nothing where the configuration asks for it.
func (r *rules) parity(k result.Kernel) error {
	i := slices.IndexFunc(r.plan.Kernels, func(p plan.KernelPlan) bool { return p.Kernel.Name == k.Name })
	switch {
	case i < 0 || r.plan.Kernels[i].Kernel.Parity.Off:
		return nil
	case k.Parity.Status == result.ParityOff:
		return fmt.Errorf("it says that parity is off for kernel %s, and the configuration does not", k.Name)
	case k.Parity.Status == result.ParityPassed && k.Parity.Run == 0:
		return fmt.Errorf("it says that kernel %s passed parity, and not one case of it was checked", k.Name)
	}
	return nil
}

// checkNew compares what a result calls new, of which nothing is timed, with base: a kernel of base's is not. The kernels that the
// repository shows to be new are proven. The job that measured has submodules and links, so its word counts where they are unknown here.
func (r *rules) checkNew(ctx context.Context, res *result.Result) (proven, unknown []string, err error) {
	calledNew := map[string]bool{}
	for _, k := range res.Kernels {
		calledNew[k.Name] = k.Status == result.KernelNew
	}
	for _, c := range res.Cases {
		// A row that only head's benchmark has is new, which the report calls unproven. Its kernel is not.
		k, _ := r.config.Kernel(c.Kernel)
		calledNew[c.Kernel] = calledNew[c.Kernel] || c.Verdict == result.New && !k.IsSelfTimed()
	}
	for _, k := range r.plan.Kernels {
		if !calledNew[k.Kernel.Name] {
			continue
		}
		why, err := r.inBase(ctx, k.Kernel)
		if r.road.measured && errors.Is(err, errOutside) {
			unknown = append(unknown, k.Kernel.Name)
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("whether kernel %s is new cannot be found out: %w", k.Kernel.Name, err)
		}
		if why != "" {
			return nil, nil, fmt.Errorf("it calls kernel %s new, so that nothing of it was timed, and %s", k.Kernel.Name, why)
		}
		if len(k.Kernel.Sources) > 0 { // what an adapter includes, a compiler knows
			proven = append(proven, k.Kernel.Name)
		}
	}
	return proven, unknown, nil
}

// inBase says why a kernel is one of base's, "" if it is not: package run calls a kernel new if base has none of the files that
// it is made of.
func (r *rules) inBase(ctx context.Context, k config.Kernel) (string, error) {
	files, adapters := k.Sources, []string{k.Adapter}
	if r.baseConfig != nil {
		if own, ok := r.baseConfig.Kernel(k.Name); ok {
			files, adapters = own.Sources, append(adapters, own.Adapter)
		}
	}
	if len(files) == 0 && k.Build == nil {
		files = slices.DeleteFunc(adapters, func(name string) bool { return name == "" })
	}
	if k.IsSelfTimed() {
		return r.baseHasBenchmark(ctx, k)
	}
	if len(files) == 0 {
		return "its build command decides what it needs", nil
	}
	return r.baseHasOne(ctx, files)
}

// baseHasOne says which of some files base has, "" if it has none. One that it has counts, though another may be outside.
func (r *rules) baseHasOne(ctx context.Context, files []string) (string, error) {
	var unknown error
	for _, name := range files {
		file := path.Join(path.Dir(pathOf(r.in)), name)
		known, err := has(ctx, r, r.base, file)
		switch {
		case errors.Is(err, errOutside):
			unknown = err
		case err != nil || known:
			return "base has " + file, err
		}
	}
	return "", unknown
}

// baseHasBenchmark says that base's configuration has a benchmark, or "". To package run one is new as well whose files base has yet to get: the
// job that measured is believed so where base has no file that the configuration names.
func (r *rules) baseHasBenchmark(ctx context.Context, k config.Kernel) (string, error) {
	if r.baseConfig == nil {
		return "", nil
	}
	if _, ok := r.baseConfig.Kernel(k.Name); !ok {
		return "", nil
	}
	if !r.road.measured || len(k.Files) == 0 {
		return "base's configuration has it", nil
	}
	entries, err := r.Entries(ctx, r.base)
	var unknown error
	for file, e := range entries {
		switch {
		case e.Mode != repo.ModeFolder && matches(path.Dir(pathOf(r.in)), k.Files, file):
			return "base has " + file, err
		case e.Mode == repo.ModeModule: // may have what a pattern names
			unknown = fmt.Errorf("%s is a submodule: what it has %w", file, errOutside)
		}
	}
	return "", cmp.Or(err, unknown)
}

// listed names the first few.
func listed(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
