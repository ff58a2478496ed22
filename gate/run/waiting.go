package run

import (
	"context"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/result"
)

// recorded is base's build as records have it, where it can wait until something needs it: records of all cases were made of
// equal inputs, so that what it would come to is known. Then its record and its library have no more than that.
func (w *workshop) recorded(ctx context.Context, k Kernel) (Build, bool) {
	if !w.records.count() || w.records.mode == paired {
		return Build{}, false
	}
	made, err := w.builder.Inputs(ctx, w.spec(k, w.Base))
	if err != nil || made.Inputs == "" || w.builder.Built(made.Inputs) {
		return Build{}, false // building says what is wrong, or costs nothing
	}
	h, err := w.records.history(ctx)
	if err != nil {
		return Build{}, false
	}
	var known *baseline.Case
	for _, c := range k.Plan.Measured {
		found := h.Built(w.records.now(c, ""), made.Inputs)
		if found == nil || known != nil && (found.Fingerprint != known.Fingerprint || found.Libraries != known.Libraries) {
			return Build{}, false
		}
		known = found
	}
	if known == nil {
		return Build{}, false
	}
	made.Fingerprint = known.Fingerprint
	return Build{
		Record:  &result.Build{Fingerprint: known.Fingerprint, Inputs: made.Inputs, Libraries: known.Libraries, NotBuilt: true},
		Library: made,
	}, true
}

func (k Kernel) baseWaits() bool { return k.Base.Record != nil && k.Base.Record.NotBuilt }

// withBase is a kernel whose base is built, or what it ends as where that fails.
func (w *workshop) withBase(ctx context.Context, k Kernel, a *Account) (_ Kernel, ended *result.Kernel, err error) {
	if !k.baseWaits() {
		return k, nil, nil
	}
	recorded := k.Base.Library.Fingerprint
	if k.Base, err = w.side(ctx, k, "base", w.Base, a); err != nil {
		return k, nil, err
	}
	if !k.Base.Record.Failed && recorded != k.Base.Record.Fingerprint {
		a.note("%s: base built to other code than its record of equal inputs has, so the build is not reproducible or a library has changed", k.Name())
	}
	return k, w.judge(k, ""), nil
}

// parityBase is the base that parity may ask without building it: head's own library where both are the same code.
func (k Kernel) parityBase() string {
	if k.baseWaits() && k.Base.Library.Fingerprint == k.Head.Library.Fingerprint {
		return k.Head.Library.Path
	}
	return k.referee().Path
}

// parityWantsBase says whether an outcome that was found without base may be another with it.
func (k Kernel) parityWantsBase(out result.Parity) bool {
	return k.baseWaits() && k.parityBase() == "" && !parity.ExactWithoutBase(out)
}

// beginHead starts to build head's adapter while base's is built, where that is another build: an adapter in Python waits for packages to load, and a
// compiler of few files leaves cores idle. Neither is timed. Builds that run at once have one adapter, and no command, which may write where the other side's
// reads. leave ends what nobody asked for.
func (w *workshop) beginHead(ctx context.Context, k Kernel) (leave func()) {
	spec, base := w.spec(k, w.Head), w.spec(k, w.Base)
	_, built := w.built[builtKey(spec)]
	if built || spec.Command != "" || isBuiltAs(spec, base) || spec.AdapterTree != base.AdapterTree || spec.Adapter != base.Adapter {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	w.begun.Want(ctx, 1, spec)
	return func() {
		cancel()
		w.begun.Drop()
	}
}
