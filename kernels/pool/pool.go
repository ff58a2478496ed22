// Package pool starts processes before their turn. One that is slow to start (a GPU has to be opened, packages to be imported) starts while others work, and
// waits until somebody wants it. It is handed over to who wants an equal one and to nobody else; who wants another, or one that did not come up beside the
// others, has one started alone. Nothing else in perfgate starts a process before its turn.
package pool

import (
	"context"
	"slices"
	"sync"
)

// Pool holds processes P that were started before their turn, each by a specification S. nil has none and starts none. Several may ask at once.
type Pool[S, P any] struct {
	Start func(context.Context, S) (P, error) // is called beside other starts, and beside all that works meanwhile
	End   func(P)                             // ends a process that nobody took, and returns when it is gone
	Equal func(a, b S) bool
	Most  int // that wait at once
	// InOrder says that they are wanted in the order in which they wait: only the first of them is handed over.
	InOrder bool
	Begun   func() // is called when all that is wanted has begun, and may be again; may be nil

	mu      sync.Mutex
	wanted  []S // that nobody took yet
	waiting []*early[S, P]
	closed  bool
}

// early is a process that was started before its turn.
type early[S, P any] struct {
	spec    S
	started chan struct{} // closed when it has, or could not be
	process P
	err     error
}

// Same compares specifications that can be compared as they are.
func Same[S comparable](a, b S) bool { return a == b }

// Want says which processes are wanted from now on, in order. As many begin to start as may, and further ones when others are taken.
func (p *Pool[S, P]) Want(ctx context.Context, specs ...S) {
	if p != nil {
		p.mu.Lock()
		p.wanted = slices.Clone(specs)
		p.mu.Unlock()
		p.fill(ctx)
	}
}

// fill starts what is wanted and does not wait yet.
func (p *Pool[S, P]) fill(ctx context.Context) {
	p.mu.Lock()
	others, left := slices.Clone(p.waiting), 0
	for _, spec := range p.wanted {
		if at := slices.IndexFunc(others, p.is(spec)); at >= 0 {
			others = slices.Delete(others, at, at+1)
		} else if len(p.waiting) < p.Most && !p.closed {
			p.waiting = append(p.waiting, p.begin(ctx, spec))
		} else {
			left++
		}
	}
	p.mu.Unlock()
	if left == 0 && p.Begun != nil {
		p.Begun()
	}
}

func (p *Pool[S, P]) begin(ctx context.Context, spec S) *early[S, P] {
	e := &early[S, P]{spec: spec, started: make(chan struct{})}
	go func() {
		defer close(e.started)
		e.process, e.err = p.Start(ctx, spec)
	}()
	return e
}

// is says whether a process is one that is wanted.
func (p *Pool[S, P]) is(spec S) func(*early[S, P]) bool {
	return func(e *early[S, P]) bool { return p.Equal(e.spec, spec) }
}

// Take hands over a process that waits for an equal specification, once it has started, and says that it waited. Else it is what alone starts: what went
// wrong beside other processes may go well alone, and if it does not, that is what is wrong.
func (p *Pool[S, P]) Take(ctx context.Context, spec S, alone func() (P, error)) (process P, waited bool, err error) {
	if p == nil {
		process, err = alone()
		return process, false, err
	}
	e := p.remove(spec)
	if e != nil {
		<-e.started
	}
	defer p.fill(ctx)
	if e != nil && e.err == nil {
		return e.process, true, nil
	}
	process, err = alone()
	return process, false, err
}

// remove takes what is wanted out of the pool, with one that waits for it; nil where none does.
func (p *Pool[S, P]) remove(spec S) *early[S, P] {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := slices.IndexFunc(p.wanted, func(s S) bool { return p.Equal(s, spec) }); at >= 0 {
		p.wanted = slices.Delete(p.wanted, at, at+1)
	}
	at := slices.IndexFunc(p.waiting, p.is(spec))
	if at < 0 || at > 0 && p.InOrder {
		return nil
	}
	found := p.waiting[at]
	p.waiting = slices.Delete(p.waiting, at, at+1)
	return found
}

// Drop ends all that wait, and says whether there were any. Nothing is wanted from then on.
func (p *Pool[S, P]) Drop() bool { return p.end(false) }

// Close is Drop for good: nothing starts after it.
func (p *Pool[S, P]) Close() { p.end(true) }

func (p *Pool[S, P]) end(closed bool) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	waiting := p.waiting
	p.wanted, p.waiting, p.closed = nil, nil, p.closed || closed
	p.mu.Unlock()
	for _, e := range waiting {
		if <-e.started; e.err == nil {
			p.End(e.process)
		}
	}
	return len(waiting) > 0
}
