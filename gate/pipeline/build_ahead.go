package pipeline

import (
	"context"
	"time"

	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/pool"
)

// made is what came of a build. A fault is the answer of one, and no reason to build once more.
type made struct {
	library kernels.Library
	err     error
}

func (w *workshop) make(ctx context.Context, spec kernels.BuildSpec) (made, error) {
	library, err := w.builder.Build(ctx, spec)
	return made{library, err}, nil
}

// beginHead starts to build head's adapter in Python beside base's, where base is built too and is another build: each waits for packages to load, which
// takes seconds. Neither is timed. leave ends what nobody asked for.
func (w *workshop) beginHead(ctx context.Context, k Kernel) (leave func()) {
	spec := w.spec(k, w.head)
	key := builtKey(spec)
	if _, built := w.built[key]; built || !k.Plan.Kernel.IsInterpreted() || spec.Command != "" || key == builtKey(w.spec(k, w.base)) {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	equal := func(a, b kernels.BuildSpec) bool { return builtKey(a) == builtKey(b) }
	w.early = &pool.Pool[kernels.BuildSpec, made]{Start: w.make, End: func(made) {}, Equal: equal, Most: 1}
	w.early.Want(ctx, spec)
	return func() {
		cancel()
		w.early.Close()
	}
}

// obtain builds what a spec says, or waits for the build that has begun. Its seconds are those that the run waited.
func (w *workshop) obtain(ctx context.Context, spec kernels.BuildSpec) (kernels.Library, error) {
	start := time.Now()
	m, waited, _ := w.early.Take(ctx, spec, func() (made, error) { return w.make(ctx, spec) })
	if waited {
		m.library.Seconds = time.Since(start).Seconds()
	}
	return m.library, m.err
}
