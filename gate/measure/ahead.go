package measure

import (
	"context"

	"github.com/org/perfgate/gate/result"
)

// A GPU takes some tenths of a second to open and to leave, and measuring does not notice either. So where Options say so, the next process
// starts while one measures: it opens the device, and neither loads what is under test nor allocates or launches anything before its turn. An
// interpreter imports installed packages meanwhile, which takes seconds, so several may wait. The one before is cleared away meanwhile. All
// processes of a round but one in turn have that beside them, base's and head's alike.

// wanted is a process that is needed; the zero value, where it is not known which one.
type wanted struct {
	side    result.Side
	library string
	waits   bool // it can be started ahead
	shared  bool // by libraries of its side; which one comes first does not matter
}

// want is the process that a case is measured in.
func (c *Case) want(side result.Side) wanted {
	if b := c.competitor(side); b != nil {
		return wanted{side: side, library: b.Library, waits: b.Waits}
	}
	w := wanted{side, c.Subject.Head, c.Subject.Waits, c.Subject.Shares}
	if side == result.SideBase {
		w.library = c.Subject.Base
	}
	return w
}

// wants are the processes that cases of a side are measured in.
func wants(side result.Side, cases []*Case) []wanted {
	var out []wanted
	for _, group := range byProcess(cases, side) {
		out = append(out, group[0].want(side))
	}
	return out
}

func (w wanted) fits(other wanted) bool {
	if w.shared && other.shared {
		return w.side == other.side
	}
	return w == other
}

// overlaps says whether processes start and end while another one measures.
func (s *session) overlaps() bool { return s.opt.StartAhead != nil && !s.crowded }

// ahead is a process that is started while another one measures.
type ahead struct {
	wanted
	started chan startedRunner // of one
}

type startedRunner struct {
	runner Runner
	err    error
}

// startAhead starts processes in the background, the first of those that are wanted, as many as may wait.
func (s *session) startAhead(ctx context.Context, wants []wanted) {
	if !s.overlaps() {
		return
	}
	for _, w := range wants[min(len(s.next), len(wants)):] {
		if !w.waits || len(s.next) == s.mostAhead() {
			return
		}
		next := &ahead{wanted: w, started: make(chan startedRunner, 1)}
		s.next = append(s.next, next)
		go func() {
			runner, err := s.opt.StartAhead(ctx, w.side, w.library)
			next.started <- startedRunner{runner, err}
		}()
	}
}

func (s *session) mostAhead() int { return max(1, s.opt.Ahead) }

// start returns the process that was started ahead, if it is of use, and starts one otherwise.
func (s *session) start(ctx context.Context, w wanted) (*running, error) {
	if len(s.next) > 0 && s.next[0].fits(w) {
		next := s.next[0]
		s.next = s.next[1:]
		if started := <-next.started; started.err == nil {
			return &running{Runner: started.runner, opened: true}, nil
		} // what went wrong beside another process may go well alone
	}
	s.dropAhead()
	s.awaitEnd()
	if s.opt.StartAhead != nil && w.waits {
		runner, err := s.opt.StartAhead(ctx, w.side, w.library)
		return &running{Runner: runner, opened: true}, err
	}
	runner, err := s.opt.Start(ctx, w.library)
	return &running{Runner: runner, loaded: w.library}, err
}

// leaver is a runner whose code under test can be ended before all of its process is gone.
type leaver interface{ Leave() }

// end ends a process, in the background where the next one starts ahead: no code under test runs beside another process, and what the driver
// has to clear up may take its time.
func (s *session) end(r *running) {
	s.awaitEnd()
	if !s.overlaps() || !r.opened {
		r.Close()
		return
	}
	if l, ok := r.Runner.(leaver); ok {
		l.Leave()
	}
	ended := make(chan struct{})
	s.ending = ended
	go func() {
		defer close(ended)
		r.Close()
	}()
}

// dropAhead ends processes that were started ahead and are not needed.
func (s *session) dropAhead() {
	for _, next := range s.next {
		if started := <-next.started; started.err == nil {
			started.runner.Close()
		}
	}
	s.next = nil
}

func (s *session) awaitEnd() {
	if s.ending != nil {
		<-s.ending
		s.ending = nil
	}
}

// leaveNone ends what was started ahead and waits for what ends.
func (s *session) leaveNone() {
	s.dropAhead()
	s.awaitEnd()
}

// makeRoom ends what is beside the process that measures, for good, and says whether there was anything: each holds some memory.
func (s *session) makeRoom() bool {
	if len(s.next) == 0 && s.ending == nil {
		return false
	}
	s.leaveNone()
	s.crowded = true
	return true
}
