// Package bisect finds the commit at which a case became slower: each step is measured beside the good end in paired rounds, and one
// that the numbers leave open is measured longer and never guessed.
package bisect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Answer is what a step says of its commit.
type Answer string

const (
	Bad    Answer = "bad"    // surely slower than the threshold
	Good   Answer = "good"   // surely not
	Unsure Answer = "unsure" // the looks are spent and it is open
	Skip   Answer = "skip"   // it does not build, computes the wrong thing or cannot be measured
)

// Ask is one measurement.
type Ask struct {
	Base      string  `json:"base"` // commits
	Head      string  `json:"head"`
	Threshold float64 `json:"threshold"` // slowdown of head that counts, as a fraction
	Patience  int     `json:"patience"`  // how many times the usual time it may take, from 1
}

// Step is what one measurement said. Ratio and its bounds are head over base; 0 where nothing was timed.
type Step struct {
	Ask
	Answer  Answer  `json:"answer"`
	Case    string  `json:"case,omitempty"` // the one that the answer is of
	Ratio   float64 `json:"ratio,omitempty"`
	Low     float64 `json:"low,omitempty"`
	High    float64 `json:"high,omitempty"`
	Rounds  int     `json:"rounds,omitempty"`
	Why     string  `json:"why,omitempty"` // of a skip
	Seconds float64 `json:"seconds"`
}

// Measurer measures one step. An error ends the search: it is base's, the machine's or the user's, not the commit's.
type Measurer func(ctx context.Context, ask Ask) (Step, error)

// Task is a search. Commits are those after Good up to Bad, oldest first, each the parent of the next: the last is Bad.
type Task struct {
	Good      string
	Commits   []string
	Tolerance float64  // the slowdown that both ends must differ by
	Hints     []string // commits that records point at: they are tried first, and prove nothing
	Steps     []Step   // of a search that was interrupted
	// Done hears of every new step before the next one begins; may be nil.
	Done func([]Step) error
}

// Kind is how a search ended.
type Kind string

const (
	Found    Kind = "found"     // First is confirmed beside its parent
	NoChange Kind = "no-change" // Bad is not slower than Good
	Gradual  Kind = "gradual"   // no commit alone makes half of the change: First is where the sum of them passes half
	Narrowed Kind = "narrowed"  // Among cannot be told apart: those between could not be measured
	Open     Kind = "open"      // the ends themselves cannot be told apart, nor told alike
)

// Outcome is what a search found out.
type Outcome struct {
	Kind    Kind     `json:"kind"`
	First   string   `json:"first,omitempty"`
	Parent  string   `json:"parent,omitempty"`
	Among   []string `json:"among,omitempty"` // with Narrowed: oldest first
	Ends    Step     `json:"ends"`            // Good against Bad
	Confirm *Step    `json:"confirm,omitempty"`
	Steps   []Step   `json:"steps"`
}

// mostPatience is how much longer than usual a step is measured at most before it counts as one that cannot be.
const mostPatience = 4

// mostThreshold is the largest slowdown that has to be seen: a rule allows less than 100 %, and more needs no finer look.
const mostThreshold = 0.9

// ErrEnds says that an end of the search cannot be measured at all.
var ErrEnds = errors.New("an end of the search cannot be measured")

type search struct {
	Task
	measure   Measurer
	threshold float64
	answers   map[int]Answer // by index into Commits
}

// Search finds the first bad commit.
func Search(ctx context.Context, t Task, measure Measurer) (Outcome, error) {
	if len(t.Commits) == 0 {
		return Outcome{}, errors.New("there is no commit to search")
	}
	s := &search{Task: t, measure: measure, answers: map[int]Answer{}}
	s.Steps = slices.Clone(t.Steps)
	out, err := s.run(ctx)
	out.Steps = s.Steps
	return out, err
}

func (s *search) run(ctx context.Context) (Outcome, error) {
	last := len(s.Commits) - 1
	ends, err := s.ask(ctx, s.Good, s.Commits[last], s.Tolerance)
	if err != nil {
		return Outcome{Ends: ends}, err
	}
	switch ends.Answer {
	case Good:
		return Outcome{Kind: NoChange, Ends: ends}, nil
	case Unsure:
		return Outcome{Kind: Open, Ends: ends}, nil
	case Skip:
		return Outcome{Ends: ends}, fmt.Errorf("%w: %.12s: %s", ErrEnds, s.Commits[last], ends.Why)
	}
	s.threshold = min(mostThreshold, math.Expm1(math.Log(ends.Ratio)/2))
	low, high := -1, last
	for {
		at, ok := s.next(low, high)
		if !ok {
			break
		}
		step, err := s.ask(ctx, s.Good, s.Commits[at], s.threshold)
		if err != nil {
			return Outcome{Ends: ends}, err
		}
		switch s.answers[at] = step.Answer; step.Answer {
		case Bad:
			high = at
		case Good:
			low = at
		}
	}
	if high-low > 1 {
		return Outcome{Kind: Narrowed, Ends: ends, Among: s.Commits[low+1 : high+1]}, nil
	}
	return s.confirm(ctx, ends, high)
}

// next is the commit to measure between one that is good and one that is bad; ok is false where none is left.
func (s *search) next(low, high int) (at int, ok bool) {
	open := func(i int) bool { _, asked := s.answers[i]; return i > low && i < high && !asked }
	for _, hint := range s.Hints {
		i := slices.Index(s.Commits, hint)
		for _, near := range []int{i - 1, i} { // the parent first: where the hint is right, two steps end the search
			if i >= 0 && open(near) {
				return near, true
			}
		}
	}
	middle := (low + high) / 2
	for far := 0; far < high-low; far++ {
		for _, i := range []int{middle + far, middle - far} {
			if open(i) {
				return i, true
			}
		}
	}
	return 0, false
}

// confirm holds the commit that was found against its parent: what the search compared was always the good end.
func (s *search) confirm(ctx context.Context, ends Step, at int) (Outcome, error) {
	out := Outcome{Kind: Found, Ends: ends, First: s.Commits[at], Parent: s.Good}
	if at > 0 {
		out.Parent = s.Commits[at-1]
	}
	if out.Parent == ends.Base && out.First == ends.Head {
		out.Confirm = &ends
		return out, nil
	}
	step, err := s.ask(ctx, out.Parent, out.First, s.threshold)
	if err != nil {
		return out, err
	}
	out.Confirm = &step
	if step.Answer != Bad {
		out.Kind = Gradual
	}
	return out, nil
}

// ask measures a step, longer if it stays open.
func (s *search) ask(ctx context.Context, base, head string, threshold float64) (Step, error) {
	ask := Ask{Base: base, Head: head, Threshold: threshold}
	for ask.Patience = 1; ; ask.Patience *= 2 {
		step, err := s.once(ctx, ask)
		if err != nil || step.Answer != Unsure || 2*ask.Patience > mostPatience {
			return step, err
		}
	}
}

// once measures a step. What an interrupted search has measured already is not measured again.
func (s *search) once(ctx context.Context, ask Ask) (Step, error) {
	if known := slices.IndexFunc(s.Steps, func(k Step) bool { return k.Ask == ask }); known >= 0 {
		return s.Steps[known], nil
	}
	step, err := s.measure(ctx, ask)
	if err != nil {
		return step, err
	}
	step.Ask = ask
	s.Steps = append(s.Steps, step)
	if s.Done != nil {
		err = s.Done(s.Steps)
	}
	return step, err
}
