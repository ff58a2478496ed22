package baseline

import (
	"context"

	"github.com/org/perfgate/gate/result"
)

// Found is a record and how many commits it lies behind the one that was asked about.
type Found struct {
	Record   *Record
	Distance int
}

// Problem is a record that was passed over, and why.
type Problem struct {
	Key string
	Err error
}

// String names the record and its fault.
func (p Problem) String() string { return p.Key + ": " + p.Err.Error() }

// History is what a machine remembers of the ancestors of a commit, nearest first.
type History struct {
	Found    []Found
	Problems []Problem
	Keys     int // records that the store has for this machine
}

// Most that a lookup goes through: it costs the same after ten years as after one.
const (
	MaxAncestors = 5000
	MaxRecords   = 96
)

// Lookup reads the records of a machine that belong to ancestors (nearest first, the commit itself included), at most so many: MaxRecords where a
// gate waits, and len(ancestors) where a history is wanted. A record that cannot be used is a Problem; the error is the store's.
func Lookup(ctx context.Context, s *Store, machine string, ancestors []string, most int) (History, error) {
	var h History
	keys, err := s.List(ctx, machine+"/")
	if err != nil {
		return h, err
	}
	h.Keys = len(keys)
	if h.Keys == 0 {
		return h, nil
	}
	stored := make(map[string]bool, len(keys))
	for _, key := range keys {
		stored[key] = true
	}
	var near []string
	distances := map[string]int{}
	for distance, commit := range ancestors {
		if key := Key(machine, commit); stored[key] && len(near) < most {
			near, distances[key] = append(near, key), distance
		}
	}
	err = readRecords(ctx, s, near, func(key string, r *Record, problem error) {
		if problem != nil {
			h.Problems = append(h.Problems, Problem{key, problem})
		} else {
			h.Found = append(h.Found, Found{Record: r, Distance: distances[key]})
		}
	})
	return h, err
}

// Built is the nearest case of a record that was built of the same inputs and may still be compared with; nil if there is
// none. The fingerprint of now is not looked at: it is what the caller wants to know.
func (h History) Built(now Now, inputs string) *Case {
	now.Fingerprint = ""
	for _, f := range h.Found {
		if c := f.Record.Case(now.Case); c != nil && inputs != "" && c.Inputs == inputs && unfit(f, *c, now) == nil {
			return c
		}
	}
	return nil
}

// Method is how the nearest record with the same configuration timed a case; nil where there is none.
func (h History) Method(name, configHash string) *result.Method {
	for _, f := range h.Found {
		if c := f.Record.Case(name); c != nil && c.ConfigHash == configHash {
			return &c.Method
		}
	}
	return nil
}

// SameMethod says whether two ways of timing a launch may meet in one comparison. How many launches a sample has is
// chosen by their time, so it differs a little from session to session; that is no other method. A program that times itself
// has as many as it likes, and means the same by them.
func SameMethod(a, b result.Method) bool {
	if a.Clock == result.ClockBenchmark {
		return b.Clock == a.Clock && a.How == b.How
	}
	batched := func(m result.Method) bool { return m.Launches > 1 }
	low, high := min(a.Launches, b.Launches), max(a.Launches, b.Launches)
	return a.Clock == b.Clock && a.How == b.How && a.Block == b.Block && a.Cache == b.Cache && a.Pin == b.Pin && batched(a) == batched(b) && 4*high <= 5*low
}
