package measure

import (
	"context"
	"errors"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// do is what is done with cases in a process: with each case in one of the harness, and with all of a benchmark at once.
type do struct {
	each func(*running, turn) error
	all  func(*running, benchmarkCases) error
}

// eachProcess starts the processes that the cases need and does something in each. What the code under test does wrong is noted in its case; a process that
// broke is replaced for the cases that are left. then is what is wanted after that.
func (s *session) eachProcess(ctx context.Context, turns []turn, then []wanted, f do) error {
	next := append(wants(turns), then...)
	for _, group := range byProcess(turns) {
		if !group[0].want().startsInTurn() {
			next = next[1:]
		}
		for len(group) > 0 {
			rest, err := s.inProcess(ctx, group, next, f)
			if err != nil {
				return err
			}
			group = rest
		}
	}
	return nil
}

// inProcess returns the cases that are left undone: by a broken process, or for one of their own.
func (s *session) inProcess(ctx context.Context, group []turn, next []wanted, f do) ([]turn, error) {
	of := group[0].want()
	if of.benchmark != nil {
		s.pool.Await() // nothing that is cleared away disturbs its clock
	}
	start := time.Now()
	defer func() { s.runners += time.Since(start) }()
	r, err := s.take(ctx, of)
	fault, err := asFault(err)
	if fault != nil {
		return failLibrary(group, fault), nil
	}
	if err != nil {
		return nil, err
	}
	defer func() {
		defer s.spend(result.PhaseEnd, time.Now())
		s.end(r)
	}()
	if !of.startsInTurn() {
		s.startAhead(ctx, next)
	}
	if of.benchmark != nil {
		fault, err := asFault(f.all(r, group))
		if fault != nil {
			failLibrary(group, fault)
		}
		return nil, err
	}
	for len(group) > 0 {
		var again bool
		group, again, fault, err = s.first(ctx, r, group, f.each)
		if err != nil || again || fault != nil && fault.Code.EndsProcess() {
			return group, err
		}
	}
	return nil, nil
}

// take is a process that waited, else a new one.
func (s *session) take(ctx context.Context, w wanted) (*running, error) {
	if w.startsInTurn() {
		return s.start(ctx, w)
	}
	start := time.Now()
	r, _, err := s.pool.Take(ctx, w)
	s.spend(result.PhaseStart, start)
	s.starts++
	return r, err
}

// first lets f have the first case of a group and returns the others. What is wrong with that case, or with its whole library, is noted. again says that
// the case is to be done again, in a process that has the device to itself.
func (s *session) first(
	ctx context.Context, r *running, group []turn, f func(*running, turn) error,
) (rest []turn, again bool, fault *kernels.RunnerError, err error) {
	t := group[0]
	start := time.Now()
	fault, err = asFault(r.load(ctx, t.v.Library))
	s.spend(result.PhaseLoad, start)
	loaded := fault == nil
	if err == nil && loaded {
		fault, err = asFault(f(r, t))
	}
	switch {
	case err != nil:
		return nil, false, nil, err
	case fault == nil:
		return group[1:], false, nil, nil
	case fault.Code == result.CodeOutOfMemory && s.pool.MakeRoom():
		return group, false, nil, nil // again, in this process: what took memory is gone
	case fault.Code == result.CodeOutsideWork && t.v.pardon():
		s.pool.Apart()
		return group, true, nil, nil
	case !loaded:
		return failLibrary(group, fault), false, fault, nil
	}
	t.failed(fault)
	return group[1:], false, fault, nil
}

// pardon says whether a side is to be asked again, in a process of its own, whether it works where the clock does not look. Where another process
// makes or clears up what it has on a device, the driver may have this one wait, and that looks the same. Who does it again is not pardoned.
func (v *variant) pardon() bool {
	first := !v.pardoned
	v.pardoned = true
	return first
}

// asFault splits what the code under test did wrong from every other error.
func asFault(err error) (*kernels.RunnerError, error) {
	var fault *kernels.RunnerError
	if errors.As(err, &fault) {
		return fault, nil
	}
	return nil, err
}

// failLibrary fails the first case and all others of its library, and returns the rest.
func failLibrary(group []turn, fault *kernels.RunnerError) (rest []turn) {
	for _, t := range group {
		if t.v.Library == group[0].v.Library {
			t.failed(fault)
		} else {
			rest = append(rest, t)
		}
	}
	return rest
}

// running is a live process and the library that it has at hand, "" for none.
type running struct {
	kernels.Process
	loaded string
	opened bool // it was started to load libraries in its turn
	warmed bool
}

const loadLimit = time.Minute // CUDA's own libraries included

// load makes a library the one at hand, if it is not. After an error the one before is.
func (r *running) load(ctx context.Context, library string) error {
	if library == r.loaded {
		return nil
	}
	err := r.Call(ctx, "load", library, map[string]any{"adapter": library}, nil, loadLimit)
	if err == nil {
		r.loaded = library
	}
	return err
}

// byProcess groups the cases that are measured in one process of a side: those of a benchmark, which come first, of a library, and all that may share one.
func byProcess(turns []turn) (groups [][]turn) {
	var others [][]turn
	for _, group := range grouped(turns, func(t turn) wanted { return t.want().key() }) {
		if group[0].Subject.Benchmark != nil {
			groups = append(groups, group)
		} else {
			others = append(others, group)
		}
	}
	return append(groups, others...)
}

// grouped are those that have a key in common, in order of first appearance.
func grouped[T any, K comparable](all []T, key func(T) K) [][]T {
	index := map[K]int{}
	var groups [][]T
	for _, one := range all {
		k := key(one)
		if _, ok := index[k]; !ok {
			index[k] = len(groups)
			groups = append(groups, nil)
		}
		groups[index[k]] = append(groups[index[k]], one)
	}
	return groups
}
