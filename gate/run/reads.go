package run

import (
	"context"
	"errors"
	"slices"

	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/kernels"
)

// Reads are the files of both sides that the kernels of a run are made of, relative to the configuration's folder: what compilers and linkers
// ask for, and what Python imports and opens while it is asked for its cases. known is false where they cannot be listed: a build
// command or a benchmark reads what it likes, a side that does not build does not say, and not all that compilers ask for can be seen everywhere.
func Reads(ctx context.Context, opt Options) (files []string, known bool, err error) {
	_, err = runStages(ctx, opt, func(s *session) []stage {
		listable := func(_ context.Context, v *Values) error {
			if known = !buildsByCommand(v.Asked.Plan); !known {
				return errOver
			}
			return nil
		}
		list := func(ctx context.Context, v *Values) error {
			for _, k := range v.Asked.Plan.Kernels {
				for _, side := range []Side{opt.Base, opt.Head} {
					read, all, err := s.workshop.reads(ctx, k, side)
					var fault *kernels.BuildError
					if errors.As(err, &fault) || err == nil && !all {
						files, known = nil, false
						return errOver
					}
					if err != nil {
						return err
					}
					files = append(files, read...)
				}
			}
			return nil
		}
		return []stage{listable, s.open, list}
	})
	slices.Sort(files)
	return slices.Compact(files), known && err == nil, err
}

// reads are the files of a side that a kernel is made of. known is false where these need not be all.
func (w *workshop) reads(ctx context.Context, k plan.KernelPlan, side Side) (files []string, known bool, err error) {
	if _, err := w.environment(ctx, k.Kernel, side, new(Account)); err != nil {
		return nil, false, err
	}
	var inputs []string // its environment is made of them
	if e := w.environmentConfig(k.Kernel, side); e != nil {
		if inputs, err = inputsOf(e, side); err != nil {
			return nil, false, err
		}
	}
	spec := w.spec(Kernel{Plan: k}, side)
	lib, err := w.once(ctx, spec)
	switch {
	case err != nil:
		return nil, false, err
	case spec.Python == nil:
		files, known, err = spec.AskedFiles(lib)
		return append(inputs, files...), known, err
	case lib.Imports == nil:
		return inputs, true, nil
	}
	return slices.Concat(inputs, lib.Imports.Files, []string{spec.Adapter}), true, nil
}
