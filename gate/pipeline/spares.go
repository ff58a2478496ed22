package pipeline

import (
	"context"
	"slices"

	"github.com/org/perfgate/gate/oracle"
	"github.com/org/perfgate/kernels"
)

// spares are interpreters that import installed packages before a check of parity needs them. An import takes seconds, and so does the check
// of a few cases. Nothing is timed meanwhile, and nothing of a side runs in them before they are needed. nil has none.
type spares struct {
	launcher
	most    int                       // that wait at once
	begun   func()                    // is called once all that are needed have begun; may be nil
	needed  []string                  // libraries of those that are not started yet, in the order of the kernels
	count   int                       // of those that wait
	waiting map[string][]chan readied // each of one; by library
}

type readied struct {
	runner *kernels.Runner
	err    error
}

// spares begins those for the check of kernels.
func (r *runners) spares(ctx context.Context, ks []Kernel) *spares {
	return r.sparesFor(ctx, ks, mostAhead(ks), nil)
}

// sparesFor begins them where so many may wait at once.
func (r *runners) sparesFor(ctx context.Context, ks []Kernel, most int, begun func()) *spares {
	s := &spares{launcher: r.of(ks...), most: most, begun: begun, waiting: map[string][]chan readied{}}
	for _, k := range ks {
		s.needed = append(s.needed, k.interpreted()...)
	}
	s.begin(ctx)
	return s
}

// interpreted are the libraries of a kernel that parity runs in interpreters which can import ahead: head's, and the one that it is compared with. Base's is
// asked about cases besides, where a parameter gives reason to.
func (k Kernel) interpreted() []string {
	var out []string
	for _, library := range []kernels.Library{k.Head.Library, k.referee()} {
		if !k.Plan.Kernel.Parity.Off && library.Ahead && kernels.IsHosted(library.Path) && (len(out) == 0 || out[0] != library.Path) {
			out = append(out, library.Path)
		}
	}
	if base := k.Base.Library; len(out) > 0 && base.Ahead && kernels.IsHosted(base.Path) && slices.ContainsFunc(k.Plan.Measured, notPositive) {
		out = append(out, base.Path)
	}
	return out
}

// begin starts as many as may wait.
func (s *spares) begin(ctx context.Context) {
	for ; len(s.needed) > 0 && s.count < s.most; s.needed = s.needed[1:] {
		library, ready := s.needed[0], make(chan readied, 1)
		s.waiting[library] = append(s.waiting[library], ready)
		s.count++
		go func() {
			runner, err := s.spare(ctx, library)
			ready <- readied{runner, err}
		}()
	}
	if len(s.needed) == 0 {
		s.tell()
	}
}

func (s *spares) tell() {
	if s.begun != nil {
		s.begun()
		s.begun = nil
	}
}

// start hands out a process that waits for a library. Where none does, and where it did not come up beside others, one is started.
func (s *spares) start(otherwise oracle.Start) oracle.Start {
	if s == nil {
		return otherwise
	}
	return func(ctx context.Context, library string) (oracle.Runner, error) {
		waiting := s.waiting[library]
		if len(waiting) == 0 {
			return otherwise(ctx, library)
		}
		ready := <-waiting[0]
		s.waiting[library] = waiting[1:]
		s.count--
		s.begin(ctx)
		if ready.err != nil {
			return otherwise(ctx, library)
		}
		if err := ready.runner.Load(ctx, library); err != nil {
			ready.runner.Close()
			return nil, err
		}
		return ready.runner, nil
	}
}

// close ends those that nobody needed.
func (s *spares) close() {
	for _, waiting := range s.waiting {
		for _, w := range waiting {
			if ready := <-w; ready.err == nil {
				ready.runner.Close()
			}
		}
	}
	s.waiting = nil
	s.tell()
}
