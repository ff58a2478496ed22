package run

import (
	"context"
	"errors"
	"slices"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// ownOf is a kernel as base's own configuration has it. Where base's rules count they are the run's, and nothing is asked.
func (o Question) ownOf(k config.Kernel) (config.Kernel, bool) {
	if o.Trusted.Base == nil || o.Trusted.Trust != repo.TrustWorktree {
		return config.Kernel{}, false
	}
	return o.Trusted.Base.Kernel(k.Name)
}

// absent says why base does not have a kernel, nil where it has: it has none of the files that the kernel is made of. Those are the sources;
// of a kernel without, what its adapter includes of the repository; of one whose code is all in its adapter, that.
func (w *workshop) absent(ctx context.Context, kernel Kernel) (*result.Reason, error) {
	k, base := kernel.Plan.Kernel, w.Base
	if base.Tree == "" {
		return nil, nil
	}
	files := w.asBuilt(k, base).Sources
	if len(files) == 0 && k.Build != nil {
		return nil, nil // a build command decides by itself what it needs
	}
	if len(files) == 0 {
		var err error
		if files, err = w.headerFiles(ctx, k); err != nil {
			return nil, err
		}
	}
	if slices.ContainsFunc(files, base.has) {
		return nil, base.makeRoom(k.Adapter)
	}
	return &result.Reason{Kind: result.ReasonAbsent, Name: base.Info.Label, Names: files}, nil
}

// headerFiles are what a kernel without sources is made of. Adapters alone answer where base has one, since asking the compiler
// takes time: an adapter that was renamed says nothing of the headers that it measures.
func (w *workshop) headerFiles(ctx context.Context, k config.Kernel) ([]string, error) {
	files := []string{k.Adapter}
	if own, ok := w.ownOf(k); ok && own.Adapter != "" && own.Adapter != k.Adapter {
		files = append(files, own.Adapter)
	}
	if slices.ContainsFunc(files, w.Base.has) {
		return files, nil
	}
	included, err := w.includes(ctx, k)
	if err != nil || len(included) == 0 {
		return files, err
	}
	alone := slices.Clone(included)
	for _, other := range w.Trusted.Config.Kernels { // what other kernels, which base has as well, include speaks for those
		if _, known := w.ownOf(other); !known || other.Name == k.Name || other.Adapter == "" || other.Build != nil {
			continue
		}
		shared, err := w.includes(ctx, other)
		if err != nil {
			return nil, err
		}
		alone = slices.DeleteFunc(alone, func(file string) bool { return slices.Contains(shared, file) })
	}
	if len(alone) == 0 {
		return included, nil
	}
	return alone, nil
}

// includes are the files of head that head's adapter of a kernel includes, or in Python imports or opens when it is loaded; none where it does not
// compile, which its build says.
func (w *workshop) includes(ctx context.Context, k config.Kernel) (files []string, err error) {
	spec := w.spec(Kernel{Plan: plan.KernelPlan{Kernel: k}}, w.Head)
	if !k.IsInterpreted() {
		files, err = w.builder.Includes(ctx, spec)
	} else if lib, failed := w.once(ctx, spec); failed != nil {
		err = failed
	} else {
		files = slices.DeleteFunc(slices.Clone(lib.Imports.Files), func(file string) bool { return file == k.Adapter })
	}
	if _, ok := errors.AsType[*kernels.BuildError](err); ok {
		return nil, nil
	}
	return files, err
}

// ownAdapter is the adapter by which base may be built instead of head's: its own, which has passed review before. Never the other
// way round, and not where base's is the trusted one.
func (w *workshop) ownAdapter(k config.Kernel, side Side) (string, bool) {
	if side.Tree != w.Base.Tree || side.Tree == w.Head.Tree || w.Trusted.Trust != repo.TrustWorktree {
		return "", false
	}
	adapter := k.Adapter
	if own, ok := w.ownOf(k); ok && own.Adapter != "" {
		adapter = own.Adapter
	}
	return adapter, side.has(adapter)
}

// onlyAdapter is base's own adapter of a kernel that is nothing but its adapter, where head changes that: by head's, base would be
// head. "" of any other kernel.
func (w *workshop) onlyAdapter(ctx context.Context, k config.Kernel) (string, error) {
	own, ok := w.ownAdapter(k, w.Base)
	if !ok || k.Build != nil || len(k.Sources)+len(w.asBuilt(k, w.Base).Sources) > 0 || !w.Trusted.ChangesAdapter(k.Adapter) {
		return "", nil
	}
	included, err := w.includes(ctx, k)
	if err != nil || len(included) > 0 {
		return "", err
	}
	return own, nil
}
