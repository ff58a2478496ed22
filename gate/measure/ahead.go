package measure

import (
	"context"
	"slices"

	"github.com/org/perfgate/kernels/child"
)

// A GPU takes some tenths of a second to open and to leave, and measuring does not notice either. So where Options say so, the next process
// starts while one measures: it opens the device, and neither loads what is under test nor allocates or launches anything before its turn. An
// interpreter imports installed packages meanwhile, which takes seconds, so several may wait. The one before is cleared away meanwhile. All
// processes of a round but one in turn have that beside them, base's and head's alike.

// wanted is a process that is needed; the zero value, where it is not known which one.
type wanted struct {
	letter    letter
	benchmark Benchmark // whose it is; nil for one of the harness
	library   string
	waits     bool // it can be started ahead
	shared    bool // by libraries of its place; which one comes first does not matter
}

// want is the process that has a turn.
func (t turn) want() wanted {
	return wanted{t.v.letter, t.Subject.Benchmark, t.v.Library, t.v.Waits, t.v.Shares}
}

// wants are the processes that turns are taken in, without those that start in their turn whatever waits.
func wants(turns []turn) (out []wanted) {
	for _, group := range byProcess(turns) {
		if w := group[0].want(); !w.startsInTurn() {
			out = append(out, w)
		}
	}
	return out
}

// startsInTurn says that it is of a benchmark whose processes cannot wait.
func (w wanted) startsInTurn() bool { return w.benchmark != nil && !w.waits }

// key is the same for all that one process can be.
func (w wanted) key() wanted {
	if w.shared {
		w.library = ""
	}
	return w
}

func (w wanted) fits(other wanted) bool { return w.key() == other.key() }

// overlaps says whether processes start and end while another one measures.
func (s *session) overlaps() bool { return s.opt.StartAhead != nil && !s.pool.Crowded() }

// newPool holds the processes that start while another one measures, in the order of their turns.
func (s *session) newPool() *child.Pool[wanted, *running] {
	return &child.Pool[wanted, *running]{Start: s.start, End: func(r *running) { r.Close() }, Equal: wanted.fits, InOrder: true}
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
	if w.benchmark != nil {
		process, err := w.benchmark.Start(ctx, w.letter.side(), w.waits)
		return &running{Process: process}, err
	}
	if s.opt.StartAhead == nil || !w.waits {
		runner, err := s.opt.Start(ctx, w.library)
		return &running{Process: runner, loaded: w.library}, err
	}
	runner, err := s.opt.StartAhead(ctx, w.letter.side(), w.library)
	return &running{Process: runner, opened: true}, err
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
	if l, ok := r.Process.(leaver); ok {
		l.Leave()
	}
	s.pool.Leave(r)
}
