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
func Prunable(ctx context.Context, s Store, keys, ancestors []string, keep Retention) ([]Problem, error) {
	rank := map[string]int{}
	for i, commit := range ancestors {
		rank[commit] = i
	}
	byRank := map[int]string{}
	accepted := map[string]bool{}
	var out []Problem
	for _, key := range keys {
		r, err := Load(ctx, s, key)
		switch {
		case err == nil, errors.Is(err, ErrNewer):
		case errors.Is(err, ErrCorrupt), errors.Is(err, ErrForeign):
			out = append(out, Problem{key, err})
			continue
		default:
			return nil, fmt.Errorf("look at %s: %w", key, err)
		}
		accepted[key] = err == nil && len(r.Accepted) > 0
		_, commit, _ := SplitKey(key)
		if i, ok := rank[commit]; ok {
			byRank[i] = key
		} else if keep.Unreachable {
			out = append(out, Problem{key, errUnreachable})
		}
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
