package pipeline

import (
	"context"
	"slices"
	"sync"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// firsts are interpreters for the first round. They import installed packages while parity is checked, and nothing of a side runs in them before their turn
// to measure. nil has none.
type firsts struct {
	one     sync.Mutex
	needed  []first // that have not begun
	waiting []first
}

type first struct {
	side  result.Side
	wants kernels.RunnerSpec
	start func(context.Context) (*kernels.Runner, error)
	ready chan readied // one
}

// firsts are one of each side that is measured for sure, where others can import beside them: for the first kernel that is timed.
func (s *session) firsts(ks []Kernel) *firsts {
	at := slices.IndexFunc(ks, s.mayBeTimed)
	if at < 0 || !s.device.shares() || mostAhead(ks) < 2 {
		return nil
	}
	k := ks[at]
	if !kernels.IsHosted(k.Head.Library.Path) || !startsAhead(k, k.Plan.Kernel.Adapter, k.Base.Library, k.Head.Library) {
		return nil
	}
	f, from := new(firsts), s.runners.of(ks...)
	f.add(from, result.SideHead, k.Head.Library.Path)
	if !s.records.count() { // base may not be needed where it is recorded
		f.add(from, result.SideBase, k.Base.Library.Path)
	}
	return f
}

// mayBeTimed says that nothing is known yet that keeps a kernel from being timed.
func (s *session) mayBeTimed(k Kernel) bool {
	return !k.isNew() && !k.baseWaits() && k.Plan.Kernel.Bench == nil && (s.opt.NoSkip || k.Base.Library.Fingerprint != k.Head.Library.Fingerprint)
}

func (f *firsts) add(from launcher, side result.Side, library string) {
	wants, err := from.wanted(side, library)
	if err != nil {
		return // who needs it says so
	}
	f.needed = append(f.needed, first{side, wants, func(ctx context.Context) (*kernels.Runner, error) {
		return from.begin(ctx, func() (kernels.RunnerSpec, error) { return from.opened(side, library) })
	}, make(chan readied, 1)})
}

// begin starts those that have not begun.
func (f *firsts) begin(ctx context.Context) {
	if f == nil {
		return
	}
	f.one.Lock()
	defer f.one.Unlock()
	for _, next := range f.needed {
		f.waiting = append(f.waiting, next)
		go func() {
			runner, err := next.start(ctx)
			next.ready <- readied{runner, err}
		}()
	}
	f.needed = nil
}

// take hands out a process that was started as one of a side is wanted now, nil where there is none.
func (f *firsts) take(side result.Side, wanted func() (kernels.RunnerSpec, error)) *kernels.Runner {
	found := f.find(side, wanted)
	if found == nil {
		return nil
	}
	if started := <-found.ready; started.err == nil {
		return started.runner
	}
	return nil // what went wrong beside others may go well alone
}

func (f *firsts) find(side result.Side, wanted func() (kernels.RunnerSpec, error)) *first {
	if f == nil {
		return nil
	}
	f.one.Lock()
	defer f.one.Unlock()
	if len(f.waiting) == 0 {
		return nil
	}
	wants, err := wanted()
	at := slices.IndexFunc(f.waiting, func(w first) bool { return w.side == side && isAsWanted(w.wants, wants) })
	if err != nil || at < 0 {
		return nil
	}
	found := f.waiting[at]
	f.waiting = slices.Delete(f.waiting, at, at+1)
	return &found
}

// isAsWanted compares what is of a kernel: all else is the same for all processes of a run.
func isAsWanted(a, b kernels.RunnerSpec) bool {
	return a.Library == b.Library && slices.Equal(a.Beside, b.Beside) && slices.Equal(a.Reads, b.Reads) && slices.Equal(a.Writes, b.Writes)
}

// close ends those that nobody took. No more begin.
func (f *firsts) close() {
	if f == nil {
		return
	}
	f.one.Lock()
	defer f.one.Unlock()
	f.needed = nil
	for _, w := range f.waiting {
		if started := <-w.ready; started.err == nil {
			started.runner.Close()
		}
	}
	f.waiting = nil
}
