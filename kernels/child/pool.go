package child

import (
	"context"
	"slices"
	"sync"
)

// Pool holds processes P that were started before their turn, each by a specification S. Several may ask at once, but Leave, Await, Drop, Apart and MakeRoom
// are for a single caller.
type Pool[S, P any] struct {
	Start func(context.Context, S) (P, error) // starts a process: in its turn, or in parallel with other starts and all that works meanwhile
	End   func(P)                             // ends a process, and returns when it is gone
	Equal func(a, b S) bool
	// InOrder says that they are taken in the order in which they are wanted: who wants another one than the first has all that wait end before it starts.
	InOrder bool

	mu      sync.Mutex
	most    int  // that wait at once
	apart   bool // the next one that is taken starts when all others are gone
	crowded bool // none waits any more
	wanted  []S  // that nobody took yet
	waiting []*early[S, P]
	left    chan struct{} // closed when the process that was left is gone; nil where none was
}

// early is a process that was started before its turn.
type early[S, P any] struct {
	spec    S
	started chan struct{} // closed when it has, or could not be
	process P
	err     error
}

// Want says which processes are wanted from now on, in order, and how many may wait at once. The first of them begin, and further ones when others are
// taken. What waits and is no longer wanted ends.
func (p *Pool[S, P]) Want(ctx context.Context, most int, specs ...S) {
	p.mu.Lock()
	unwanted := p.waiting
	p.most, p.wanted, p.waiting = most, slices.Clone(specs), nil
	for _, spec := range specs {
		if at := slices.IndexFunc(unwanted, p.is(spec)); at >= 0 {
			p.waiting, unwanted = append(p.waiting, unwanted[at]), slices.Delete(unwanted, at, at+1)
		}
	}
	p.mu.Unlock()
	p.end(unwanted)
	p.fill(ctx)
}

// fill starts what is wanted and does not wait yet.
func (p *Pool[S, P]) fill(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	others := slices.Clone(p.waiting)
	for _, spec := range p.wanted {
		if at := slices.IndexFunc(others, p.is(spec)); at >= 0 {
			others = slices.Delete(others, at, at+1)
		} else if len(p.waiting) < p.most {
			e := &early[S, P]{spec: spec, started: make(chan struct{})}
			p.waiting = append(p.waiting, e)
			go func() {
				defer close(e.started)
				e.process, e.err = p.Start(ctx, spec)
			}()
		}
	}
}

// is says whether a process is one that is wanted.
func (p *Pool[S, P]) is(spec S) func(*early[S, P]) bool {
	return func(e *early[S, P]) bool { return p.Equal(e.spec, spec) }
}

// Take hands over a process that waits for an equal specification, once it has started, and says that it waited. Else one is started: what went wrong
// before its turn may go well now, and if it does not, that is what is wrong.
func (p *Pool[S, P]) Take(ctx context.Context, spec S) (process P, waited bool, err error) {
	defer p.fill(ctx)
	if p.apart {
		p.Drop()
		p.apart = false
	}
	if e := p.remove(spec); e != nil {
		if <-e.started; e.err == nil {
			return e.process, true, nil
		}
	}
	if p.InOrder {
		p.Drop()
	}
	process, err = p.Start(ctx, spec)
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

// Leave ends a process that was taken in order, in the background. It waits until the one that was left before is gone.
func (p *Pool[S, P]) Leave(process P) {
	p.Await()
	left := make(chan struct{})
	p.left = left
	go func() {
		defer close(left)
		p.End(process)
	}()
}

// Await waits until the process that was left is gone, and says whether there was one.
func (p *Pool[S, P]) Await() bool {
	if p.left == nil {
		return false
	}
	<-p.left
	p.left = nil
	return true
}

// Apart has the next process that is taken start when all others are gone: what these may have spoiled is done again in it.
func (p *Pool[S, P]) Apart() { p.apart = true }

// MakeRoom ends all but the process that works, for good, and says whether there was anything: then what had no room is worth doing again.
func (p *Pool[S, P]) MakeRoom() bool {
	others := p.Drop()
	p.crowded = p.crowded || others
	return others
}

// Crowded says that there is no room for two processes.
func (p *Pool[S, P]) Crowded() bool { return p.crowded }

// Drop ends all that wait, and what was left. It says whether there was anything. Nothing is wanted from then on.
func (p *Pool[S, P]) Drop() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	waiting := p.waiting
	p.wanted, p.waiting = nil, nil
	p.mu.Unlock()
	p.end(waiting)
	return p.Await() || len(waiting) > 0
}

func (p *Pool[S, P]) end(waiting []*early[S, P]) {
	for _, e := range waiting {
		if <-e.started; e.err == nil {
			p.End(e.process)
		}
	}
}
