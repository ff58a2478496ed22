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
	"github.com/org/perfgate/gate/github/event"
	"github.com/org/perfgate/gate/judge"
	"github.com/org/perfgate/gate/result"
)

// fileAt reads a file of a commit; false if the commit has none of that name.
type fileAt func(commit, file string) ([]byte, bool, error)

// overtaken says why the rules of base may not rule: they have changed, on the branch that head is to be merged into, since
// head left it. Who chooses where to branch off does not choose the rules. It is "" where nothing has changed.
func overtaken(in Inputs, at fileAt, base, tip string) (string, error) {
	if tip == "" || tip == base {
		return "", nil
	}
	was, had, err := at(base, pathOf(in))
	if err != nil {
		return "", err
	}
	is, has, err := at(tip, pathOf(in))
	if err != nil || !had && !has {
		return "", err
	}
	var changes []string
	switch {
	case !had:
		changes = []string{in.Config + ": added"}
	case !has:
		changes = []string{in.Config + ": removed"}
	default:
		if changes, err = rulesChanged(in, at, base, tip, was, is); err != nil {
			return "", err
		}
	}
	if len(changes) == 0 {
		return "", nil
	}
	return fmt.Sprintf("head left its base branch at %.12s, and what it is ruled by has changed there since (%s): update the branch, by a merge or a rebase, and it is measured by the rules that hold now", base, listed(changes)), nil
}

// rulesChanged lists what is not the same in configuration and adapters.
func rulesChanged(in Inputs, at fileAt, base, tip string, was, is []byte) ([]string, error) {
	now, err := parseConfig(in, is)
	if err != nil {
		return nil, fmt.Errorf("the configuration of the base branch, at %.12s: %w", tip, err)
	}
	then, err := parseConfig(in, was)
	if err != nil {
		return []string{in.Config + ": not valid then"}, nil
	}
	changes := config.Diff(then, now)
	var seen []string
	for _, k := range now.Kernels {
		if k.Adapter == "" || slices.Contains(seen, k.Adapter) {
			continue
		}
		seen = append(seen, k.Adapter)
		file := path.Join(path.Dir(pathOf(in)), k.Adapter)
		a, had, err := at(base, file)
		if err != nil {
			return nil, err
		}
		b, has, err := at(tip, file)
		if err != nil {
			return nil, err
		}
		if had != has || !bytes.Equal(a, b) {
			changes = append(changes, "adapter "+file+": changed")
		}
	}
	return changes, nil
}

// overtakenHere is overtaken of a job that has a checkout.
func (j Job) overtakenHere(ctx context.Context, t Target, e event.Event, in Inputs) (string, error) {
	g := git{j.Dir}
	tip, err := g.tipOf(ctx, e)
	if err != nil {
		return "", err
	}
	return overtaken(in, func(commit, file string) ([]byte, bool, error) { return g.file(ctx, commit, file) }, t.Base, tip)
}

// tipThere is tipOf of a job that has no checkout.
func (r *reporter) tipThere(ctx context.Context, base string) (string, error) {
	if r.event.PR == nil {
		return base, nil
	}
	tip, err := r.client.Tip(ctx, r.event.PR.BaseRef)
	return cmp.Or(tip, base), err
}

// reallyNew holds what a result calls new, of which nothing is timed, against base: a kernel of base's is not.
func (r *rules) reallyNew(res *result.Result) error {
	said := map[string]bool{}
	for _, k := range res.Kernels {
		said[k.Name] = k.Status == result.KernelNew
	}
	for _, c := range res.Cases {
		said[c.Kernel] = said[c.Kernel] || c.Verdict == gate.New
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
		r.proven = append(r.proven, judge.NotInBase(k.Kernel.Name))
	}
	return nil
}

// ofBase says why a kernel is one of base's, "" if it is not: package pipeline calls a kernel new if base has no
// configuration, or none of the files that it is made of.
func (r *rules) ofBase(k config.Kernel) (string, error) {
	if r.baseConfig == nil {
		return "", nil
	}
	files := k.Sources
	if own, ok := r.baseConfig.Kernel(k.Name); ok {
		files = own.Sources
	}
	if len(files) == 0 && k.Build == nil {
		files = []string{k.Adapter}
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

// unsupported are the phrases that nothing of the repository supports.
func (r *rules) unsupported(phrases []string) []string {
	return slices.DeleteFunc(phrases, func(phrase string) bool { return slices.Contains(r.proven, phrase) })
}
