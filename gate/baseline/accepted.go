package baseline

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/org/perfgate/gate/result"
)

// Acceptance is a commit's request to let a regression pass, which a person who may do so has agreed to. From the record that has it
// on, levels of before are no longer what a case is compared with.
type Acceptance struct {
	Commit  string      `json:"commit"`  // that asks for it
	Pattern string      `json:"pattern"` // of names of cases, see result.CaseMatches
	Reason  string      `json:"reason"`
	By      string      `json:"by,omitempty"` // who agreed; empty where a commit only asks for it
	How     string      `json:"how,omitempty"`
	Time    time.Time   `json:"time,omitzero"`
	Revoked *Revocation `json:"revoked,omitempty"`
}

// Revocation is who took an acceptance back, and when.
type Revocation struct {
	By   string    `json:"by"`
	Time time.Time `json:"time"`
}

// Covers says whether the acceptance counts for a case.
func (a Acceptance) Covers(kernel, name string) bool {
	return a.Revoked == nil && result.CaseMatches(a.Pattern, kernel, name)
}

// same says whether two acceptances are of one request.
func (a Acceptance) same(b Acceptance) bool { return a.Commit == b.Commit && a.Pattern == b.Pattern }

// WithoutAcceptances is a history as if nothing had been accepted.
func (h History) WithoutAcceptances() History {
	h.Found = slices.Clone(h.Found)
	for i, f := range h.Found {
		r := *f.Record
		r.Accepted = nil
		h.Found[i].Record = &r
	}
	return h
}

// Pin is the best-known level of a case as a record has it. It outlives the records that it was learnt from: a level never falls into
// oblivion because records were pruned or are too many to read.
type Pin struct {
	Commit  string  `json:"commit"`  // the newest one at that level
	Records int     `json:"records"` // that the level was learnt from
	Over    float64 `json:"over"`    // by how much the case was slower than that when the record was taken, as a fraction; what the machine did is taken out
}

// accept adds an acceptance, unless the record has one of the same request. What was taken back stays so until it is accepted again.
func (r *Record) accept(a Acceptance) {
	i := slices.IndexFunc(r.Accepted, a.same)
	switch {
	case i < 0:
		r.Accepted = append(r.Accepted, a)
	case a.Revoked != nil && !r.Accepted[i].Time.After(a.Revoked.Time):
		r.Accepted[i].Revoked = a.Revoked
	}
}

// Accept puts an acceptance into the record, in the place of one of the same request.
func (r *Record) Accept(a Acceptance) {
	r.Accepted = append(slices.DeleteFunc(r.Accepted, a.same), a)
}

// takeAccepted notes the regressions for which, as a run says, a person took the responsibility.
func (r *Record) takeAccepted(from *result.Result) {
	clip := func(s string) string { return s[:min(len(s), maxWords)] }
	for _, a := range from.Accepted {
		for _, c := range r.Cases {
			if a.Case == c.Name && result.CaseMatches(c.Name, c.Kernel, c.Name) {
				r.Accept(Acceptance{Commit: r.Commit, Pattern: c.Name, Reason: clip(a.How), By: clip(a.By), How: "result", Time: r.Time})
			}
		}
	}
}

// maxAccepted is far more than commits between two records ask for, maxOver the most that a pin may say: a thousand times slower.
const (
	maxAccepted = 1000
	maxOver     = 1000
	maxWords    = 2000 // bytes of a reason
)

func (a Acceptance) check() error {
	switch {
	case !commitWord().MatchString(a.Commit):
		return fmt.Errorf("an acceptance by %.60q, which is no commit", a.Commit)
	case a.Pattern == "" || !result.IsCasePattern(a.Pattern):
		return fmt.Errorf("an acceptance of %.60q, which is not a pattern", a.Pattern)
	case len(a.Pattern) > maxWords || len(a.Reason) > maxWords || len(a.By) > maxWords || len(a.How) > maxWords:
		return fmt.Errorf("an acceptance of more than %d bytes", maxWords)
	}
	return nil
}

func (p *Pin) check() error {
	if !commitWord().MatchString(p.Commit) || p.Records < 0 || !(p.Over >= 0 && p.Over <= maxOver) {
		return errors.New("a best-known level that is none")
	}
	return nil
}
