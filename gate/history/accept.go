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

// accept notes which acceptances count for a case and which of them its changes had. A change for the better needs none. What a commit
// only asks for is not agreed to yet.
func (t timeline) accept(c *Case, asked func(after, upTo string) []baseline.Acceptance) {
	for i, f := range t.records {
		for _, a := range f.Record.Accepted {
			if a.Covers(c.Kernel, c.Name) {
				c.accepted = t.firstPoint(c, i)
				c.noteAccepted(t, i, a)
			}
		}
	}
	if asked == nil {
		return
	}
	for i := range c.Changes {
		change := &c.Changes[i]
		if change.Ratio <= 1 {
			continue
		}
		for _, a := range asked(change.After.ID, change.At.ID) {
			known := slices.ContainsFunc(change.Accepted, func(b baseline.Acceptance) bool { return a.Commit == b.Commit && a.Pattern == b.Pattern })
			if !known && result.CaseMatches(a.Pattern, c.Kernel, c.Name) {
				change.Accepted = append(change.Accepted, a)
			}
		}
	}
}

// firstPoint is the first point of a case at or after a record, all of its points where there is none yet.
func (t timeline) firstPoint(c *Case, record int) int {
	i := slices.IndexFunc(c.Points, func(p Point) bool { return t.index[p.ID] >= record })
	if i < 0 {
		return len(c.Points)
	}
	return i
}

// noteAccepted adds the acceptance of a record to the change for the worse that lies there, give or take a record.
func (c *Case) noteAccepted(t timeline, record int, a baseline.Acceptance) {
	for i := range c.Changes {
		change := &c.Changes[i]
		if change.Ratio > 1 && t.index[change.After.ID] <= record && record <= t.index[change.At.ID]+slack {
			change.Accepted = append(change.Accepted, a)
		}
	}
}

// once asks for each range of commits only once: most changes of a history lie in the same few.
func once(asked func(after, upTo string) []baseline.Acceptance) func(after, upTo string) []baseline.Acceptance {
	known := map[[2]string][]baseline.Acceptance{}
	return func(after, upTo string) []baseline.Acceptance {
		commits := [2]string{after, upTo}
		found, ok := known[commits]
		if !ok {
			found = asked(after, upTo)
			known[commits] = found
		}
		return found
	}
}

// Requested are the acceptances that the commits after one and up to another ask for by their trailers; none where git does not have them.
func Requested(ctx context.Context, git repo.Git, after, upTo string) []baseline.Acceptance {
	commits, err := git.Between(ctx, after, upTo)
	if err != nil {
		return nil
	}
	var out []baseline.Acceptance
	for _, c := range commits {
		for _, a := range rule.ParseAcceptances(repo.Trailers(rule.AcceptTrailer, []string{c.Message})) {
			out = append(out, baseline.Acceptance{Commit: c.ID, Pattern: a.Pattern, Reason: a.Reason})
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
func Accept(rec *baseline.Record, wanted []baseline.Acceptance) error {
	for _, w := range wanted {
		if !slices.ContainsFunc(rec.Cases, func(c baseline.Case) bool { return result.CaseMatches(w.Pattern, c.Kernel, c.Name) }) {
			return result.Usagef("no case of the record of %.12s matches %q; an example is %q", rec.Commit, w.Pattern, rec.Cases[0].Name)
		}
		w.How, w.Time = "perfgate baseline accept", now()
		rec.Accept(w)
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
