package action

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// overtaking is what says whether the rules of base may rule: who chooses where to branch off does not choose the rules.
type overtaking struct {
	in        Inputs
	objects   objects
	base, tip string   // commits: where head left the branch that it is to be merged into, and where that is now
	files     []string // that head changes
	allFiles  bool     // there are no others
}

// why says why not: what head is ruled by has changed since head left it. It is "" where that has not, or where head changes
// nothing that is watched, so that nothing is measured.
func (o overtaking) why(ctx context.Context) (string, error) {
	if o.tip == "" || o.tip == o.base {
		return "", nil
	}
	changes, err := o.changes(ctx)
	if err != nil || len(changes) == 0 {
		return "", err
	}
	return fmt.Sprintf("head left its base branch at %.12s, and what it is ruled by has changed there since (%s): "+
		"update the branch, by a merge or a rebase, and it is measured by the rules that hold now", o.base, listed(changes)), nil
}

func (o overtaking) changes(ctx context.Context) ([]string, error) {
	was, had, err := read(ctx, o.objects, o.base, pathOf(o.in))
	if err != nil {
		return nil, err
	}
	is, has, err := read(ctx, o.objects, o.tip, pathOf(o.in))
	switch {
	case err != nil || !had && !has:
		return nil, err
	case !had:
		return []string{o.in.Config + ": added"}, nil
	case !has:
		if then, err := parseConfig(o.in, was); err == nil && !o.watched(then) {
			return nil, nil
		}
		return []string{o.in.Config + ": removed"}, nil
	}
	now, err := parseConfig(o.in, is)
	if err != nil && bytes.Equal(was, is) {
		return nil, nil // base's rules are read after this, and say so
	}
	if err != nil {
		return nil, fmt.Errorf("the configuration of the base branch, now: %w", err)
	}
	then, err := parseConfig(o.in, was)
	if err != nil {
		return []string{o.in.Config + ": not valid then"}, nil
	}
	if !o.watched(then) && !o.watched(now) {
		return nil, nil
	}
	adapters, err := o.adapters(ctx, then)
	return append(config.DiffRules(then, now, o.in.Kernels), adapters...), err
}

// watched says whether head changes what a configuration watches.
func (o overtaking) watched(cfg *config.Config) bool {
	return !o.allFiles || len(plan.Watched(cfg, beside(pathOf(o.in), o.files))) > 0
}

// adapters lists those that have changed, of the kernels that are measured. Where a command builds, the adapter is head's anyway.
func (o overtaking) adapters(ctx context.Context, then *config.Config) ([]string, error) {
	var seen, changes []string
	for _, k := range then.Kernels {
		if k.Adapter == "" || k.Build != nil || slices.Contains(seen, k.Adapter) || len(o.in.Kernels) > 0 && !slices.Contains(o.in.Kernels, k.Name) {
			continue
		}
		seen = append(seen, k.Adapter)
		file := path.Join(path.Dir(pathOf(o.in)), k.Adapter)
		changed, err := differs(ctx, o.objects, o.base, o.tip, file)
		if err != nil {
			return nil, fmt.Errorf("whether the adapter %s has changed on the base branch cannot be found out: %w", file, err)
		}
		if changed {
			changes = append(changes, "adapter "+file+": changed")
		}
	}
	return changes, nil
}

// overtakenHere is why of a job that has a checkout.
func (j Job) overtakenHere(ctx context.Context, t Target, e github.Event, in Inputs) (string, error) {
	g := gitIn(j.Dir)
	if other, err := g.elsewhere(ctx, e); err != nil || other != "" && e.HeadSHA != "" {
		return "", cmp.Or(err, usagef("the checkout is of %s, and the event is about %s: use actions/checkout without repository:, since what rules over head is read there", other, e.Repo.FullName()))
	}
	tip, err := g.tipOf(ctx, e)
	if err != nil || tip == "" || tip == t.Base {
		return "", err
	}
	files, err := g.Changed(ctx, t.Base, t.Head)
	if err != nil {
		return "", err
	}
	return overtaking{in, remembering{g, map[[2]string]repo.Entry{}}, t.Base, tip, files, true}.why(ctx)
}

// overtakenThere is why of a job that has no checkout. A merge group is merged onto base, whatever its branch has come to.
func (r *reporter) overtakenThere(ctx context.Context, repo *there, base string, change github.Change) (string, error) {
	tip := base
	if r.event.PR != nil {
		now, err := repo.tip(ctx, r.event.PR.BaseRef)
		if err != nil {
			return "", err
		}
		tip = cmp.Or(now, base)
	}
	return overtaking{r.in, repo, change.MergeBase, tip, change.Files, change.AllFiles}.why(ctx)
}

// reallyNew holds what a result calls new, of which nothing is timed, against base: a kernel of base's is not.
func (r *rules) reallyNew(res *result.Result) error {
	said := map[string]bool{}
	for _, k := range res.Kernels {
		said[k.Name] = k.Status == result.KernelNew
	}
	for _, c := range res.Cases {
		said[c.Kernel] = said[c.Kernel] || c.Verdict == result.New
	}
	for _, k := range r.plan.Kernels {
		if !said[k.Kernel.Name] {
			continue
		}
		if why, err := r.ofBase(k.Kernel); err != nil || why != "" {
			if err != nil {
				return fmt.Errorf("whether kernel %s is new cannot be found out: %w", k.Kernel.Name, err)
			}
			return fmt.Errorf("it calls kernel %s new, so that nothing of it was timed, and %s", k.Kernel.Name, why)
		}
		if len(k.Kernel.Sources) > 0 { // what an adapter includes, a compiler knows
			r.proven = append(r.proven, k.Kernel.Name)
		}
	}
	return nil
}

// ofBase says why a kernel is one of base's, "" if it is not: package pipeline calls a kernel new if base has none of the files that
// it is made of.
func (r *rules) ofBase(k config.Kernel) (string, error) {
	files, adapters := k.Sources, []string{k.Adapter}
	if r.baseConfig != nil {
		if own, ok := r.baseConfig.Kernel(k.Name); ok {
			files, adapters = own.Sources, append(adapters, own.Adapter)
		}
	}
	if len(files) == 0 && k.Build == nil {
		files = slices.DeleteFunc(adapters, func(name string) bool { return name == "" })
	}
	if len(files) == 0 {
		return "its build command decides what it needs", nil
	}
	for _, name := range files {
		file := path.Join(path.Dir(r.path), name)
		if has, err := r.inBase(file); err != nil || has {
			return "base has " + file, err
		}
	}
	return "", nil
}

// unsupported is what nothing of the repository supports.
func (r *rules) unsupported(all []gate.Unproven) []gate.Unproven {
	return slices.DeleteFunc(all, func(u gate.Unproven) bool { return u.Kind == gate.UnprovenNew && slices.Contains(r.proven, u.Kernel) })
}
