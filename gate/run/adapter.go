package run

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

// adapterMisfit compares base's adapter, where base rules, with what head makes of it: its lines after preprocessing, the files
// that tell compiler and linker what to do, and the functions that its object has. A head that changes any of them changes the
// adapter, and needs the label as if it had changed the file. It says how, or "". The error is the machine's.
func (w *workshop) adapterMisfit(ctx context.Context, k Kernel, a *Account) (string, error) {
	if w.Trusted.Trust != repo.TrustBase || k.Plan.Kernel.Build != nil || k.Plan.Kernel.IsInterpreted() || k.isNew() || k.Base.Record.Failed || k.Head.Record.Failed {
		return "", nil
	}
	base, head := w.spec(k, w.ruling()), w.spec(k, w.Head)
	if isBuiltAs(base, head) {
		return "", nil
	}
	start := time.Now()
	defer func() { a.CompileS += time.Since(start).Seconds() }()
	was, errBase := w.builder.AdapterText(ctx, base)
	is, errHead := w.builder.AdapterText(ctx, head)
	ruling := k.referee()
	changed, err := kernels.ChangedTold(ruling.Told, base, head, was)
	if err != nil {
		return "", err
	}
	if changed == "" && len(ruling.Asked.Incomplete) > 0 {
		changed = kernels.ChangedNamed(base, head)
	}
	if changed != "" {
		return fmt.Sprintf("it changes %s, which tells the compiler of base's adapter, or the linker, what to do", changed), nil
	}
	for _, of := range []struct {
		side string
		err  error
	}{{"base", errBase}, {"head", errHead}} {
		if fault, ok := errors.AsType[*kernels.BuildError](of.err); ok { // it compiles, and does not preprocess
			return fmt.Sprintf("what the adapter says with %s's headers cannot be told: %v", of.side, fault.Err), nil
		}
		if of.err != nil {
			return "", of.err
		}
	}
	if why := was.Differs(is); why != "" {
		return why, nil
	}
	for _, function := range was.Defines {
		if !slices.Contains(k.Head.Library.Entries, function) {
			return fmt.Sprintf("%s defines %s, which is not in what the adapter compiles to with head's headers", base.Adapter, function), nil
		}
	}
	return "", nil
}

// adapterFault says why head does not build with its adapter. Locally, that it needs another one is known only where base builds
// with this one: a base that waits has a record of just that, and one that is all in its adapter was built with another. In a pull request the adapter is
// base's, which stands for it.
func (w *workshop) adapterFault(k Kernel) result.AdapterFault {
	_, built := w.built[builtKey(w.spec(k, w.Base))]
	fits := k.BaseAdapter == "" && (built || k.baseWaits())
	switch {
	case k.Head.Record.Cause != result.CauseAdapter:
		return result.AdapterNone
	case w.Trusted.Trust == repo.TrustBase && (fits || k.isNew()):
		return result.AdapterNeedsLabel
	case fits:
		return result.AdapterNeedsChange
	case k.Head.Record.Unlinked:
		return result.AdapterNotLinked
	case k.Plan.Kernel.IsInterpreted():
		return result.AdapterNotImported
	}
	return result.AdapterNotCompiled
}

// noBuildReason says why a side that does not build goes no further.
func noBuildReason(side result.Side, b *result.Build) *result.Reason {
	if b.Cause == result.CauseAdapter {
		return &result.Reason{Kind: result.ReasonAdapterUnfit, Side: side}
	}
	return &result.Reason{Kind: result.ReasonNoBuild, Side: side, Message: firstLine(b.Output)}
}
