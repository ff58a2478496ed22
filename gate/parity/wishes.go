package parity

import (
	"context"
	"time"
)

// Wishes are what one command asks of parity beyond the configuration. They travel in the context: the pipeline between the
// command line and this package has no say in them.
type Wishes struct {
	Until  time.Duration // draw more cases until this much time is over; 0: the planned ones alone
	Corpus string        // file of cases that failed before, tried first; "" for none
	Save   bool          // add what fails to Corpus
}

type wishesKey struct{}

// WithWishes returns a context that carries wishes to Run.
func WithWishes(ctx context.Context, w Wishes) context.Context {
	return context.WithValue(ctx, wishesKey{}, w)
}

func wishesOf(ctx context.Context) Wishes {
	w, _ := ctx.Value(wishesKey{}).(Wishes)
	return w
}
