package history

import (
	"context"
	"slices"
	"time"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// Requested are the acceptances that the commits after one and up to another ask for by their trailers; none where git does not have them.
func Requested(ctx context.Context, git repo.Git, after, upTo string) []Acceptance {
	commits, err := git.Between(ctx, after, upTo)
	if err != nil {
		return nil
	}
	var out []Acceptance
	for _, c := range commits {
		for _, a := range rule.ParseAcceptances(repo.Trailers(rule.AcceptTrailer, []string{c.Message})) {
			out = append(out, Acceptance{Commit: c.ID, Pattern: a.Pattern, Reason: a.Reason})
		}
	}
	return out
}

// RecordWith is the oldest record whose commit has another one in its history; nil if none has.
func RecordWith(ctx context.Context, git repo.Git, found baseline.History, commit string) (*baseline.Record, error) {
	for _, f := range slices.Backward(found.Found) {
		at, err := git.MergeBase(ctx, commit, f.Record.Commit)
		if err != nil {
			return nil, err
		}
		if at == commit {
			return f.Record, nil
		}
	}
	return nil, nil
}

// Accept puts acceptances that a user has agreed to into a record.
func Accept(rec *baseline.Record, wanted []Acceptance) error {
	for _, w := range wanted {
		if !slices.ContainsFunc(rec.Cases, func(c baseline.Case) bool { return result.CaseMatches(w.Pattern, c.Kernel, c.Name) }) {
			return result.Usagef("no case of the record of %.12s matches %q; an example is %q", rec.Commit, w.Pattern, rec.Cases[0].Name)
		}
		rec.Accept(baseline.Acceptance{Commit: w.Commit, Pattern: w.Pattern, Reason: w.Reason, By: w.By, How: "perfgate baseline accept", Time: now()})
	}
	return nil
}

// Revoke takes back what is accepted of a commit, with one of the patterns where there are any, and counts that.
func Revoke(rec *baseline.Record, commit string, patterns []string, by string) (n int) {
	for i := range rec.Accepted {
		one := &rec.Accepted[i]
		if one.Commit == commit && (len(patterns) == 0 || slices.Contains(patterns, one.Pattern)) && one.Revoked == nil {
			one.Revoked = &baseline.Revocation{By: by, Time: now()}
			n++
		}
	}
	return n
}

func now() time.Time { return time.Now().UTC().Truncate(time.Second) }
