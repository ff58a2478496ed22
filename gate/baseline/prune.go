package baseline

import (
	"context"
	"errors"
	"fmt"
)

// Retention says which records stay.
type Retention struct {
	Keep        int  // so many, nearest ancestor first
	Unreachable bool // records of commits that are no ancestors go too
}

var (
	errFar         = errors.New("farther away than the records to keep")
	errUnreachable = errors.New("its commit is no ancestor")
)

// Prunable names the records among keys that need not stay, and why. One that a later version wrote stays: this version
// cannot tell what it is worth. One with acceptances stays, too: who accepted what is nowhere else. Best-known levels are pinned in the
// records that stay.
func Prunable(ctx context.Context, s *Store, keys, ancestors []string, keep Retention) ([]Problem, error) {
	rank := map[string]int{}
	for i, commit := range ancestors {
		rank[commit] = i
	}
	byRank := map[int]string{}
	accepted := map[string]bool{}
	var out []Problem
	err := readRecords(ctx, s, keys, func(key string, r *Record, problem error) {
		if problem != nil && !errors.Is(problem, ErrNewer) {
			out = append(out, Problem{key, problem})
			return
		}
		accepted[key] = problem == nil && len(r.Accepted) > 0
		_, commit, _ := SplitKey(key)
		if i, ok := rank[commit]; ok {
			byRank[i] = key
		} else if keep.Unreachable {
			out = append(out, Problem{key, errUnreachable})
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read records: %w", err)
	}
	kept := 0
	for i := range ancestors {
		key, ok := byRank[i]
		if !ok {
			continue
		}
		if kept++; kept > keep.Keep && !accepted[key] {
			out = append(out, Problem{key, errFar})
		}
	}
	return out, nil
}
