package measure

import (
	"context"
	"slices"

	"github.com/org/perfgate/kernels/pool"
)

// A GPU takes some tenths of a second to open and to leave, and measuring does not notice either. So where Options say so, the next process
// starts while one measures: it opens the device, and neither loads what is under test nor allocates or launches anything before its turn. An
// interpreter imports installed packages meanwhile, which takes seconds, so several may wait. The one before is cleared away meanwhile. All
// processes of a round but one in turn have that beside them, base's and head's alike.

// wanted is a process that is needed; the zero value, where it is not known which one.
type wanted struct {
	letter    letter
	benchmark Benchmark // that it is of; nil for one of the harness
	library   string
	waits     bool // it can be started ahead
	shared    bool // by libraries of its place; which one comes first does not matter
}

// want is the process that a case is measured in.
func (c *Case) want(l letter) wanted {
	v := c.at(l)
	return wanted{l, c.Subject.Benchmark, v.library, v.waits, v.shares}
}

// wants are the processes of the harness that cases are measured in, in a place.
func wants(l letter, cases []*Case) []wanted {
	var out []wanted
	for _, group := range byProcess(cases, l) {
		if w := group[0].want(l); w.benchmark == nil {
			out = append(out, w)
		}
	}
	return out
}

// key is the same for all that one process can be.
func (w wanted) key() wanted {
	if w.shared {
		w.library = ""
	}
	return w
}

func (w wanted) fits(other wanted) bool { return w.key() == other.key() }

// overlaps says whether processes start and end while another one measures.
func (s *session) overlaps() bool { return s.opt.StartAhead != nil && !s.crowded }

// newPool holds the processes that start while another one measures, in the order of their turns.
func (s *session) newPool() *pool.Pool[wanted, *running] {
	return &pool.Pool[wanted, *running]{Start: s.start, End: func(r *running) { r.Close() }, Equal: wanted.fits, InOrder: true}
}

// startAhead starts processes in the background, the first of those that are wanted, as many as may wait.
func (s *session) startAhead(ctx context.Context, wants []wanted) {
	if !s.overlaps() {
		return
	}
	if at := slices.IndexFunc(wants, func(w wanted) bool { return !w.waits }); at >= 0 {
		wants = wants[:at]
	}
	s.pool.Want(ctx, s.mostAhead(), wants[:min(len(wants), s.mostAhead())]...)
}

func (s *session) mostAhead() int { return max(1, s.opt.Ahead) }

// start starts a process with its library, or one that loads its libraries in its turn.
func (s *session) start(ctx context.Context, w wanted) (*running, error) {
	if s.opt.StartAhead == nil || !w.waits {
		runner, err := s.opt.Start(ctx, w.library)
		return &running{Runner: runner, loaded: w.library}, err
	}
	runner, err := s.opt.StartAhead(ctx, w.letter.side(), w.library)
	return &running{Runner: runner, opened: true}, err
}

// leaver is a runner whose code under test can be ended before all of its process is gone.
type leaver interface{ Leave() }

// end ends a process, in the background where the next one starts ahead: no code under test runs beside another process, and what the driver
// has to clear up may take its time.
func (s *session) end(r *running) {
	s.pool.Await()
	if !s.overlaps() || !r.opened {
		r.Close()
		return
	}
	if l, ok := r.Runner.(leaver); ok {
		l.Leave()
	}
	s.pool.Leave(r)
}

// makeRoom ends what is beside the process that measures, for good, and says whether there was anything: each holds some memory.
func (s *session) makeRoom() bool {
	beside := s.pool.Drop()
	s.crowded = s.crowded || beside
	return beside
}
