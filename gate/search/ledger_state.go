package search

import (
	"fmt"
	"io"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/saved"
)

// LedgerSummary is where a search stands.
type LedgerSummary struct {
	Folder      string        `json:"folder"`
	Judged      int           `json:"judged"`                // candidates with an answer
	Requests    int           `json:"requests"`              // to be called better
	Better      int           `json:"better"`                // that were granted
	NextAlpha   float64       `json:"nextAlpha"`             // what the next request may spend
	Best        Candidate     `json:"best"`                  // number 0 is base
	BestRatio   *result.Shift `json:"bestRatio,omitempty"`   // of the best over base
	Interrupted []Candidate   `json:"interrupted,omitempty"` // that were begun and have no answer
	Torn        int           `json:"torn,omitempty"`        // number of a last line that a crash cut off, and that is dropped
	Known       bool          `json:"known,omitempty"`       // the answer is from the ledger: nothing was measured
}

// Opening is what the ledger is about; nil of an empty one.
func (l *Ledger) Opening() *Opening {
	if len(l.lines) == 0 {
		return nil
	}
	return l.lines[0].Opened
}

// Open begins an empty ledger, or compares one that was begun with what it is to be used for.
func (l *Ledger) Open(now Opening) error {
	before := l.Opening()
	if before == nil {
		return l.append(ledgerLine{Opened: &now})
	}
	for _, d := range []struct {
		what      string
		was, is   any
		different bool
	}{
		{"base", before.BaseLabel + " " + result.ShortID(before.Base), now.BaseLabel + " " + result.ShortID(now.Base), before.Base != now.Base},
		{"base's configuration", result.ShortID(before.Config), result.ShortID(now.Config), before.Config != now.Config},
		{"the machine", before.Machine, now.Machine, before.Machine != now.Machine},
		{"the choice of kernels", before.Kernels, now.Kernels, !slices.Equal(before.Kernels, now.Kernels)},
		{"the choice of cases", before.Cases, now.Cases, !slices.Equal(before.Cases, now.Cases)},
		{"the confidence", before.Confidence, now.Confidence, before.Confidence != now.Confidence},
		{"the gain", before.Gain, now.Gain, before.Gain != now.Gain},
	} {
		if d.different {
			return fmt.Errorf("%w: %s is of another search: %s was %v and is %v. Use what it was begun with, or begin another ledger (--ledger)", ErrLedger, l.dir, d.what, d.was, d.is)
		}
	}
	return nil
}

// Find is the candidate with a content; number 0 where there is none.
func (l *Ledger) Find(hash string) Candidate {
	for _, c := range l.begun {
		if c.Hash == hash {
			return c
		}
	}
	return Candidate{}
}

// Answer is the last word on a candidate; nil where there is none.
func (l *Ledger) Answer(number int) *Answer {
	for _, e := range slices.Backward(l.lines) {
		if e.Answered != nil && e.Answered.Candidate.Number == number {
			return e.Answered
		}
	}
	return nil
}

// Answers are the last words on all candidates that have one, in the order of candidates.
func (l *Ledger) Answers() []*Answer {
	var out []*Answer
	for _, c := range l.begun {
		if a := l.Answer(c.Number); a != nil {
			out = append(out, a)
		}
	}
	return out
}

// Begin enters a candidate. One of known content keeps its number.
func (l *Ledger) Begin(hash, label string) (Candidate, error) {
	c := l.Find(hash)
	if c.Number == 0 {
		c = Candidate{Number: len(l.begun) + 1, Hash: hash, Label: label}
	}
	return c, l.append(ledgerLine{Began: &c})
}

// Ask spends what the next request may, whatever comes of it.
func (l *Ledger) Ask(c Candidate) (Claim, error) {
	s := l.spending()
	claim := Claim{Request: len(s.Granted) + 1, Alpha: s.Next()}
	return claim, l.append(ledgerLine{Asked: &claimRequest{Candidate: c.Number, Claim: claim}})
}

// Close enters an answer.
func (l *Ledger) Close(a Answer) error {
	a.Ledger, a.Says = nil, nil
	return l.append(ledgerLine{Answered: &a})
}

// spending is what the search has spent so far.
func (l *Ledger) spending() rule.Spending {
	s := rule.Spending{Total: 1 - l.Opening().Confidence}
	for _, e := range l.lines {
		switch {
		case e.Asked != nil:
			s.Granted = append(s.Granted, false)
		case e.Answered != nil && e.Answered.Verdict == Better && e.Answered.Claim != nil:
			s.Granted[e.Answered.Claim.Request-1] = true
		}
	}
	return s
}

// Best is the answer that made a candidate the best so far; nil where base still is. One that was found wrong, cheating or broken since is not.
func (l *Ledger) Best() *Answer {
	for _, e := range slices.Backward(l.lines) {
		if a := e.Answered; a != nil && a.Verdict == Better && !l.Answer(a.Candidate.Number).Verdict.isFault() {
			return a
		}
	}
	return nil
}

// Interrupted are the candidates that were begun and have no answer, first the one that was begun the longest ago: one that can never be judged
// does not keep the others waiting.
func (l *Ledger) Interrupted() []Candidate {
	open := slices.DeleteFunc(slices.Clone(l.begun), func(c Candidate) bool { return l.Answer(c.Number) != nil })
	begun := map[int]int{}
	for i, e := range l.lines {
		if e.Began != nil {
			begun[e.Began.Number] = i
		}
	}
	slices.SortFunc(open, func(a, b Candidate) int { return begun[a.Number] - begun[b.Number] })
	return open
}

// Summary says where the search stands.
func (l *Ledger) Summary() *LedgerSummary {
	s := &LedgerSummary{Folder: l.dir, Best: Candidate{Label: "base"}, Interrupted: l.Interrupted(), Judged: len(l.Answers()), Torn: l.Torn}
	if open := l.Opening(); open != nil {
		spent := l.spending()
		s.Requests, s.NextAlpha, s.Best.Hash, s.Best.Label = len(spent.Granted), spent.Next(), open.Base, open.BaseLabel
		for _, granted := range spent.Granted {
			if granted {
				s.Better++
			}
		}
	}
	if best := l.Best(); best != nil {
		s.Best, s.BestRatio = best.Candidate, best.RatioOfBase
	}
	return s
}

// LedgerStatus is a search as --status --format=json prints it.
type LedgerStatus struct {
	Schema  string         `json:"schema"`
	Summary *LedgerSummary `json:"summary"`
	Opening *Opening       `json:"opening"`
	Answers []*Answer      `json:"answers"`
}

// Write writes it as indented JSON.
func (s LedgerStatus) Write(w io.Writer) error { return saved.Print(w, s) }
