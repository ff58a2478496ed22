package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// checkAdapterFits holds base's adapter, where base rules, against what head makes of it: its lines after preprocessing, the files
// that tell compiler and linker what to do, and the functions that its object has. A head that changes any of them changes the
// adapter, and needs the label as if it had changed the file.
func (r *run) checkAdapterFits(ctx context.Context, k *kernelRun) error {
	if r.opt.Trusted.Trust != repo.TrustBase || k.plan.Kernel.Build != nil || k.record.Base == nil || k.record.Base.Failed || k.record.Head.Failed {
		return nil
	}
	base, head := r.spec(k.plan.Kernel, r.opt.Base), r.spec(k.plan.Kernel, r.opt.Head)
	if builtKey(base) == builtKey(head) {
		return nil
	}
	start := time.Now()
	why, err := r.misfit(ctx, base, head, k.head)
	r.res.Timings.CompileS += time.Since(start).Seconds()
	if err != nil || why == "" {
		return err
	}
	k.misfit, k.head = why, kernels.Library{}
	k.record.Head = &result.Build{Failed: true, Cause: result.CauseAdapter, Output: capText(why)}
	return nil
}

// misfit says how head changes what base's adapter says, or "". The error is the machine's.
func (r *run) misfit(ctx context.Context, base, head kernels.BuildSpec, built kernels.Library) (string, error) {
	if changed := kernels.ChangedOptionFiles(kernels.OptionFiles(base.Tree, base.Flags), kernels.OptionFiles(head.Tree, head.Flags)); len(changed) > 0 {
		return fmt.Sprintf("it changes %s, which the flags of base's configuration name", changed[0]), nil
	}
	was, err := r.builder.AdapterText(ctx, base)
	if err != nil {
		return unreadable("base", err)
	}
	is, err := r.builder.AdapterText(ctx, head)
	if err != nil {
		return unreadable("head", err)
	}
	if why := was.Differs(is); why != "" {
		return why, nil
	}
	for _, function := range was.Defines {
		if !slices.Contains(built.Entries, function) {
			return fmt.Sprintf("%s defines %s, which is not in what the adapter compiles to with head's headers", base.Adapter, function), nil
		}
	}
	return "", nil
}

// unreadable makes a reason of a side's adapter that compiles and does not preprocess.
func unreadable(side string, err error) (string, error) {
	var fault *kernels.BuildError
	if errors.As(err, &fault) {
		return fmt.Sprintf("what the adapter says with %s's headers cannot be told: %v", side, fault.Err), nil
	}
	return "", err
}
