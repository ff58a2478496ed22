package pipeline

import (
	"context"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/kernels"
)

// besideBase is head's adapter in Python while base's is imported: each waits for packages to load, which takes seconds. Neither is timed.
type besideBase struct {
	key  string // of what it is built from
	made chan made
}

type made struct {
	library kernels.Library
	err     error
}

// beginHead starts to build head beside base, where base is built too and is another build. leave ends what nobody asked for.
func (w *workshop) beginHead(ctx context.Context, k Kernel) (leave func()) {
	spec := w.spec(k, w.head)
	key := builtKey(spec)
	_, built := w.built[key]
	if !config.IsPython(k.Plan.Kernel.Adapter) || spec.Command != "" || built || key == builtKey(w.spec(k, w.base)) {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	head := &besideBase{key, make(chan made, 1)}
	w.beside = head
	go func() {
		library, err := w.builder.Build(ctx, spec)
		head.made <- made{library, err}
	}()
	return func() {
		cancel()
		if w.beside != nil {
			<-head.made
			w.beside = nil
		}
	}
}

// obtain builds what a spec says, or waits for the build that has begun. Its seconds are those that the run waited.
func (w *workshop) obtain(ctx context.Context, spec kernels.BuildSpec, key string) (kernels.Library, error) {
	if w.beside == nil || w.beside.key != key {
		return w.builder.Build(ctx, spec)
	}
	start := time.Now()
	m := <-w.beside.made
	w.beside = nil
	m.library.Seconds = time.Since(start).Seconds()
	return m.library, m.err
}
