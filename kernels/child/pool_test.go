package child

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
)

// spec has a part that all processes of a run have alike, which is not compared.
type spec struct {
	library string
	memory  int
}

type process struct {
	library string
	closed  bool
}

// starter starts processes that remember their library. Each library fails as often as it says.
type starter struct {
	mu    sync.Mutex
	all   []*process
	fails map[string]int
	block chan struct{} // a start waits for it, or for the end of its context; nil: none waits
}

var errStart = errors.New("no room beside others")

func (s *starter) start(ctx context.Context, wanted spec) (*process, error) {
	if s.block != nil {
		select {
		case <-s.block:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails[wanted.library] > 0 {
		s.fails[wanted.library]--
		return nil, errStart
	}
	p := &process{library: wanted.library}
	s.all = append(s.all, p)
	return p, nil
}

func (s *starter) pool() *Pool[spec, *process] {
	return &Pool[spec, *process]{
		Start: s.start, End: func(p *process) { p.closed = true }, Equal: func(a, b spec) bool { return a.library == b.library },
	}
}

// take takes a process, or starts one alone.
func (s *starter) take(t *testing.T, p *Pool[spec, *process], library string) (*process, bool, error) {
	t.Helper()
	return p.Take(t.Context(), spec{library, 2})
}

// alive are the libraries of processes that nobody closed, in order.
func (s *starter) alive() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, p := range s.all {
		if !p.closed {
			out = append(out, p.library)
		}
	}
	slices.Sort(out)
	return out
}

// What waits is handed over once, to who wants an equal one. Whoever wants another has one started, and what nobody took is closed.
func TestOnlyEqualOnesAreHandedOver(t *testing.T) {
	var s starter
	p := s.pool()
	p.Want(t.Context(), 3, spec{"base", 1}, spec{"head", 1}, spec{"head", 1})
	for _, c := range []struct {
		library string
		waited  bool
	}{{"other", false}, {"head", true}, {"base", true}, {"base", false}, {"head", true}, {"head", false}} {
		got, waited, err := s.take(t, p, c.library)
		if err != nil || got.library != c.library || waited != c.waited || got.closed {
			t.Errorf("%s: %+v, waited %v, %v", c.library, got, waited, err)
		}
		got.closed = true
	}
	p.Want(t.Context(), 3, spec{"unused", 1}, spec{"unused", 1})
	p.Want(t.Context(), 3, spec{"unused", 1})
	if alive := s.alive(); len(alive) > 1 {
		t.Errorf("%q wait, and one is wanted", alive)
	}
	p.Drop()
	if left := s.alive(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// As many wait as may, the first of those that are wanted, and when one is taken the next begins. What waits counts as one of them, whichever it is.
func TestNoMoreWaitThanMay(t *testing.T) {
	var s starter
	p := s.pool()
	p.Want(t.Context(), 2, spec{"a", 1}, spec{"b", 1}, spec{"c", 1})
	p.Want(t.Context(), 2, spec{"b", 1}, spec{"a", 1}, spec{"c", 1}, spec{"d", 1})
	for _, c := range []struct {
		library string
		waited  bool
	}{{"d", false}, {"c", false}, {"b", true}, {"a", true}, {"c", false}} {
		if _, waited, err := s.take(t, p, c.library); waited != c.waited || err != nil {
			t.Errorf("%s: waited %v, %v", c.library, waited, err)
		}
	}
	p.Want(t.Context(), 2, spec{"a", 1}, spec{"b", 1}, spec{"c", 1})
	s.take(t, p, "a")
	if _, waited, _ := s.take(t, p, "c"); !waited {
		t.Error("the place of one that was taken stays empty")
	}
	p.Drop()
	if len(s.all) != 8 { // a, b; d, c, c alone; a, b, c
		t.Errorf("%d were started", len(s.all))
	}
}

// In order, one whose turn is not next is not handed over, and what waits ends before another one starts.
func TestOnlyTheFirstIsHandedOverInOrder(t *testing.T) {
	var s starter
	p := s.pool()
	p.InOrder = true
	for _, library := range []string{"a", "b"} {
		p.Want(t.Context(), 2, spec{"a", 1}, spec{"b", 1})
		got, waited, err := s.take(t, p, library)
		if waited != (library == "a") || err != nil {
			t.Errorf("%s: waited %v, %v", library, waited, err)
		}
		if alive := s.alive(); library == "b" && len(alive) > 1 {
			t.Errorf("%q are alive beside one whose turn was not next", alive)
		}
		p.Leave(got)
		if !p.Await() || p.Await() || !got.closed {
			t.Error("what was left is not awaited once")
		}
		if p.Drop(); len(s.alive()) > 0 {
			t.Errorf("%s: left %q", library, s.alive())
		}
	}
}

// What fails before its turn is started once more, alone. That it fails then is said.
func TestFailedOnesAreRetriedAloneOnce(t *testing.T) {
	for fails, want := range map[int]error{1: nil, 2: errStart} {
		s := starter{fails: map[string]int{"a": fails}}
		p := s.pool()
		p.Want(t.Context(), 1, spec{"a", 1})
		got, waited, err := s.take(t, p, "a")
		if waited || s.fails["a"] != 0 || !errors.Is(err, want) || (got == nil) != (want != nil) {
			t.Errorf("%d fail: %+v, waited %v, %d more would, %v", fails, got, waited, s.fails["a"], err)
		}
		p.Drop()
	}
}

// An interrupt ends what is still starting, and what waits is closed.
func TestAnInterruptLeavesNothing(t *testing.T) {
	s := starter{block: make(chan struct{}, 2)}
	p := s.pool()
	ctx, cancel := context.WithCancel(t.Context())
	p.Want(ctx, 3, spec{"a", 1}, spec{"b", 1}, spec{"c", 1})
	s.block <- struct{}{}
	cancel()
	p.Drop()
	if left := s.alive(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// Several may ask at once, and none is handed over twice.
func TestSeveralTakeAtOnce(t *testing.T) {
	var s starter
	p := s.pool()
	p.Want(t.Context(), 8, slices.Repeat([]spec{{"a", 1}}, 8)...)
	var all sync.WaitGroup
	got := make([]*process, 16)
	for i := range got {
		all.Go(func() { got[i], _, _ = s.take(t, p, "a") })
	}
	all.Wait()
	p.Drop()
	seen := map[*process]bool{}
	for _, one := range got {
		if one == nil || one.closed || seen[one] {
			t.Fatalf("%+v", one)
		}
		seen[one] = true
	}
	if len(s.all) != len(got) {
		t.Errorf("%d started for %d", len(s.all), len(got))
	}
}
