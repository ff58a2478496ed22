package pipeline

import (
	"context"

	"github.com/org/perfgate/gate/oracle"
	"github.com/org/perfgate/kernels"
)

// spares are interpreters that import installed packages before a check of parity needs them. An import takes seconds, and so does the check
// of a few cases. Nothing is timed meanwhile, and nothing of a side runs in them before they are needed. nil has none.
type spares struct {
	launcher
	left    map[string]int          // kernels that are still to be checked, by the library that a process of theirs loads
	waiting map[string]chan readied // of one; by library
}

type readied struct {
	runner *kernels.Runner
	err    error
}

// spares are those for the check of kernels.
func (r *runners) spares(ks []Kernel) *spares {
	s := &spares{launcher: r.of(ks...), left: map[string]int{}, waiting: map[string]chan readied{}}
	for _, k := range ks {
		for _, library := range k.interpreted() {
			s.left[library]++
		}
	}
	return s
}

// interpreted are the libraries of a kernel whose processes can import packages ahead: head's, and the one that it is compared with.
func (k Kernel) interpreted() []string {
	var out []string
	for _, library := range []kernels.Library{k.Head.Library, k.referee()} {
		if library.Ahead && kernels.IsHosted(library.Path) && (len(out) == 0 || out[0] != library.Path) {
			out = append(out, library.Path)
		}
	}
	return out
}

// begin starts what the next kernel with each library needs.
func (s *spares) begin(ctx context.Context, libraries []string) {
	if s == nil {
		return
	}
	for _, library := range libraries {
		if s.left[library] == 0 || s.waiting[library] != nil {
			continue
		}
		s.left[library]--
		ready := make(chan readied, 1)
		s.waiting[library] = ready
		go func() {
			runner, err := s.spare(ctx, library)
			ready <- readied{runner, err}
		}()
	}
}

// start hands out the process that waits for a library. Where none does, and where it did not come up beside others, one is started.
func (s *spares) start(otherwise oracle.Start) oracle.Start {
	if s == nil {
		return otherwise
	}
	return func(ctx context.Context, library string) (oracle.Runner, error) {
		waiting := s.waiting[library]
		if waiting == nil {
			return otherwise(ctx, library)
		}
		delete(s.waiting, library)
		ready := <-waiting
		if ready.err != nil {
			return otherwise(ctx, library)
		}
		s.begin(ctx, []string{library})
		if err := ready.runner.Load(ctx, library); err != nil {
			ready.runner.Close()
			return nil, err
		}
		return ready.runner, nil
	}
}

// close ends those that nobody needed.
func (s *spares) close() {
	for library, waiting := range s.waiting {
		if ready := <-waiting; ready.err == nil {
			ready.runner.Close()
		}
		delete(s.waiting, library)
	}
}
