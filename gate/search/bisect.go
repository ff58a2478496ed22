package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// StepAnswer is what a step says of its commit.
type StepAnswer string

const (
	StepBad          StepAnswer = "bad"          // significantly slower than the threshold
	StepGood         StepAnswer = "good"         // significantly less slow than the threshold
	StepInconclusive StepAnswer = "inconclusive" // the looks are exhausted
	StepSkipped      StepAnswer = "skip"         // it does not build, computes the wrong thing or cannot be measured
)

// Measurement is one measurement.
type Measurement struct {
	Base      string  `json:"base"` // commits
	Head      string  `json:"head"`
	Threshold float64 `json:"threshold"` // slowdown of head that counts, as a fraction
	Patience  int     `json:"patience"`  // how many times the usual time it may take, from 1
}

// Step is what one measurement said. Ratio and its bounds are head over base; 0 where nothing was timed.
type Step struct {
	Measurement
	Answer StepAnswer `json:"answer"`
	Case   string     `json:"case,omitempty"` // the one that the answer is of
	Ratio  float64    `json:"ratio,omitempty"`
	Low    float64    `json:"low,omitempty"`
	High   float64    `json:"high,omitempty"`
	Rounds int        `json:"rounds,omitempty"`
	// Findings are why it was skipped.
	Findings []result.Finding `json:"findings,omitempty"`
	OfBase   bool             `json:"ofBase,omitempty"` // that is base's fault, not head's
	Seconds  float64          `json:"seconds"`
}

// measurer measures one step. An error ends the search: it is the machine's or the user's, not a commit's.
type measurer func(ctx context.Context, ask Measurement) (Step, error)

// span is a search. Commits are those after Good up to Bad, oldest first, each the first parent of the next: the last is Bad.
type span struct {
	Good      string
	Commits   []string
	Tolerance float64 // the slowdown that both ends must differ by
	Steps     []Step  // of a search that was interrupted
	// Narrow returns those of Commits that touch what the case reads, once both ends are measured; nil takes all. That a commit
	// touches nothing is not proven: the commit that is found is compared with its parent, whether or not that was a candidate, and
	// where the loss is not there, those that were left out are searched too.
	Narrow func(ctx context.Context, ends Step) ([]string, error)
	// Hints are the places at which records say that the case became slower, the most telling first; may be nil. They are tried
	// first, and prove nothing.
	Hints func(ctx context.Context, ends Step) []Hint
	// Done hears of every new step before the next one begins; may be nil.
	Done func([]Step) error
}

// Hint is a place at which records have the case slower: after After, and by At.
type Hint struct {
	After string `json:"after"`
	At    string `json:"at"`
}

// mostHints is how many hints are tried: each costs two steps where it is wrong, and an untrusted store could hold many.
const mostHints = 3

// BisectKind is how a search ended.
type BisectKind string

const (
	Found            BisectKind = "found"        // First is confirmed beside its parent
	NoChange         BisectKind = "no-change"    // Bad is not slower than Good
	Gradual          BisectKind = "gradual"      // no commit alone makes half of the change: First is where the sum of them passes half
	Narrowed         BisectKind = "narrowed"     // Among cannot be told apart: those between could not be measured
	InconclusiveEnds BisectKind = "inconclusive" // the ends themselves cannot be distinguished, nor shown to be equal
	// Unconfirmed: First is the first that is significantly slower than Good; its comparison with its parent is inconclusive.
	Unconfirmed BisectKind = "unconfirmed"
)

// BisectOutcome is what a search found out.
type BisectOutcome struct {
	Kind    BisectKind `json:"kind"`
	First   string     `json:"first,omitempty"`
	Parent  string     `json:"parent,omitempty"`
	Among   []string   `json:"among,omitempty"` // with Narrowed: oldest first
	Ends    Step       `json:"ends"`            // Good against Bad
	Confirm *Step      `json:"confirm,omitempty"`
	Steps   []Step     `json:"steps"`
	// Candidates is how many commits were searched of those between the ends. Widened says that more were than touch what the case
	// reads, since the loss was not at any of these.
	Candidates int    `json:"candidates"`
	Widened    bool   `json:"widened,omitempty"`
	Hints      []Hint `json:"hints,omitempty"` // that were tried first
}

// mostPatience is how much longer than usual a step is measured at most before it counts as one that cannot be.
const mostPatience = 4

// mostThreshold is the largest slowdown that has to be seen: a rule allows less than 100 %, and more needs no finer look.
const mostThreshold = 0.9

// findFirstSlower finds the first bad commit: each step is measured side by side with the good end in paired rounds, and one that stays inconclusive is
// measured longer and never guessed.
func findFirstSlower(ctx context.Context, t span, measure measurer) (BisectOutcome, error) {
	if len(t.Commits) == 0 {
		return BisectOutcome{}, errors.New("there is no commit to search")
	}
	s := &bisecting{span: t, measure: measure, answers: map[int]StepAnswer{}, low: -1, high: len(t.Commits) - 1}
	s.Steps = slices.Clone(t.Steps)
	err := s.run(ctx)
	s.out.Steps, s.out.Candidates = s.Steps, len(s.pool)
	return s.out, err
}

// bisecting is one on its way. Commits are named by their index; -1 is Good.
type bisecting struct {
	span
	measure   measurer
	out       BisectOutcome
	threshold float64
	pool      []int // candidates, rising; the last is Bad
	answers   map[int]StepAnswer
	low, high int // good and bad, as far as is known
}

func (s *bisecting) run(ctx context.Context) (err error) {
	if s.out.Ends, err = s.ask(ctx, s.Good, s.Commits[s.high], s.Tolerance); err != nil {
		return err
	}
	switch ends := s.out.Ends; ends.Answer {
	case StepGood:
		s.out.Kind = NoChange
		return nil
	case StepInconclusive:
		s.out.Kind = InconclusiveEnds
		return nil
	case StepSkipped:
		return endError(ends)
	}
	s.threshold = min(mostThreshold, math.Expm1(math.Log(s.out.Ends.Ratio)/2))
	if err := s.prepare(ctx); err != nil {
		return err
	}
	for s.out.Kind == "" {
		if err = s.bracket(ctx); err == nil {
			err = s.settle(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// endError says which end cannot be measured.
func endError(step Step) error {
	return &Unmeasured{fmt.Sprintf("an end of the search cannot be measured: %.12s", map[bool]string{true: step.Base, false: step.Head}[step.OfBase]), step.Findings}
}

// prepare finds out where to look, and where first.
func (s *bisecting) prepare(ctx context.Context) error {
	s.pool = s.all(-1, len(s.Commits)-1)
	if s.Narrow != nil {
		touching, err := s.Narrow(ctx, s.out.Ends)
		if err != nil {
			return err
		}
		s.pool = slices.DeleteFunc(s.pool, func(i int) bool { return i != s.high && !slices.Contains(touching, s.Commits[i]) })
	}
	if s.Hints != nil {
		hints := s.Hints(ctx, s.out.Ends)
		s.out.Hints = hints[:min(len(hints), mostHints)]
	}
	return nil
}

// all are the commits after low up to high.
func (s *bisecting) all(low, high int) (out []int) {
	for i := low + 1; i <= high; i++ {
		out = append(out, i)
	}
	return out
}

// bracket halves what lies between the good commit and the bad one, until no candidate is left.
func (s *bisecting) bracket(ctx context.Context) error {
	for {
		at, ok := s.next()
		if !ok {
			return nil
		}
		step, err := s.ask(ctx, s.Good, s.Commits[at], s.threshold)
		if err == nil && step.OfBase {
			err = endError(step)
		}
		if err != nil {
			return err
		}
		switch s.answers[at] = step.Answer; step.Answer {
		case StepBad:
			s.high = at
		case StepGood:
			s.low = at
		}
	}
}

// between are the candidates after the good commit and before the bad one.
func (s *bisecting) between() []int {
	return slices.DeleteFunc(slices.Clone(s.pool), func(i int) bool { return i <= s.low || i >= s.high })
}

// next is the candidate to measure; ok is false where none is left.
func (s *bisecting) next() (at int, ok bool) {
	open := slices.DeleteFunc(s.between(), func(i int) bool { _, asked := s.answers[i]; return asked })
	if len(open) == 0 {
		return 0, false
	}
	for _, hint := range s.out.Hints {
		after, by := s.candidate(hint.After), s.candidate(hint.At)
		for _, near := range []int{after, by} { // where the hint is right, these two steps are all that is needed
			if after < by && slices.Contains(open, near) {
				return near, true
			}
		}
	}
	between := s.between()
	middle := (len(between) - 1) / 2
	for far := range len(between) {
		for _, i := range []int{middle + far, middle - far} {
			if i >= 0 && i < len(between) && slices.Contains(open, between[i]) {
				return between[i], true
			}
		}
	}
	return 0, false
}

// candidate is the last candidate up to a commit: the code of both is taken to be the same. -1 stands for Good, and for what is not known.
func (s *bisecting) candidate(commit string) int {
	at := slices.Index(s.Commits, commit)
	found := -1
	for _, i := range s.pool {
		if i <= at {
			found = i
		}
	}
	return found
}

// settle ends the search where a single candidate is left, and says what it is beside its parent: what the search compared was always
// the good end. Where the loss is not there and commits were left out before it, these are candidates from then on.
func (s *bisecting) settle(ctx context.Context) error {
	if passed := s.between(); len(passed) > 0 {
		s.out.Kind = Narrowed
		for _, i := range append(passed, s.high) {
			s.out.Among = append(s.out.Among, s.Commits[i])
		}
		return nil
	}
	step, err := s.confirm(ctx)
	switch {
	case err != nil:
		return err
	case step.Answer != StepBad && s.high-s.low > 1 && !s.out.Widened:
		s.out.Widened = true
		s.pool = slices.Compact(slices.Sorted(slices.Values(append(s.pool, s.all(s.low, s.high)...))))
		return nil
	}
	s.out.First, s.out.Parent, s.out.Confirm = step.Head, step.Base, &step
	switch step.Answer {
	case StepBad:
		s.out.Kind = Found
	case StepGood:
		s.out.Kind = Gradual
	default:
		s.out.Kind = Unconfirmed
	}
	return nil
}

// confirm compares the commit that was found with its parent, or with the good commit before it where its parent cannot be measured.
func (s *bisecting) confirm(ctx context.Context) (Step, error) {
	for _, at := range []int{s.high - 1, s.low} {
		base := s.name(at)
		if base == s.out.Ends.Base && s.Commits[s.high] == s.out.Ends.Head {
			return s.out.Ends, nil
		}
		step, err := s.ask(ctx, base, s.Commits[s.high], s.threshold)
		if err != nil || !step.OfBase {
			return step, err
		}
		if at == s.low {
			return step, endError(step)
		}
	}
	return Step{}, nil // not reached: the good commit has been measured
}

func (s *bisecting) name(at int) string {
	if at < 0 {
		return s.Good
	}
	return s.Commits[at]
}

// ask measures a step, longer if it stays open.
func (s *bisecting) ask(ctx context.Context, base, head string, threshold float64) (Step, error) {
	ask := Measurement{Base: base, Head: head, Threshold: threshold}
	for ask.Patience = 1; ; ask.Patience *= 2 {
		step, err := s.once(ctx, ask)
		if err != nil || step.Answer != StepInconclusive || 2*ask.Patience > mostPatience {
			return step, err
		}
	}
}

// once measures a step. What an interrupted search has measured already is not measured again.
func (s *bisecting) once(ctx context.Context, ask Measurement) (Step, error) {
	if known := slices.IndexFunc(s.Steps, func(k Step) bool { return k.Measurement == ask }); known >= 0 {
		return s.Steps[known], nil
	}
	step, err := s.measure(ctx, ask)
	if err != nil {
		return step, err
	}
	step.Measurement = ask
	s.Steps = append(s.Steps, step)
	if s.Done != nil {
		err = s.Done(s.Steps)
	}
	return step, err
}
