package action

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// accepted notes in a record which regressions a person took the responsibility for since the record before: what commits of a merged
// pull request asked for, and a user with write access approved with the label. The job that measured ran code, so what the record says of this
// itself is dropped. What cannot be found out is not accepted, and the warning says how to do it by hand.
func (s *step) accepted(ctx context.Context, store *baseline.Store, rec *baseline.Record) {
	rec.Accepted = nil
	if err := s.acceptNew(ctx, store, rec); err != nil {
		s.warn("whether regressions were accepted cannot be found out, so the best-known level stays what it was (perfgate baseline accept sets it again): %v", err)
	}
}

// acceptNew goes through the pull requests that were merged since the record before.
func (s *step) acceptNew(ctx context.Context, store *baseline.Store, rec *baseline.Record) error {
	commits, err := s.newIn(ctx, store, rec)
	if err != nil {
		return err
	}
	merged, err := s.client.MergedAs(ctx, commits)
	if err != nil {
		return err
	}
	for _, pr := range merged {
		if !pr.HasLabel(s.in.AcceptLabel) {
			continue
		}
		if err := s.acceptMerged(ctx, rec, pr); err != nil {
			return err
		}
	}
	return nil
}

// newIn are the commits of the branch that the record of the machine before did not have, merges as one: the commit alone where there
// is no such record.
func (s *step) newIn(ctx context.Context, store *baseline.Store, rec *baseline.Record) ([]string, error) {
	ancestors, keys, err := s.stored(ctx, store, rec.Machine.Key)
	if err != nil {
		return nil, err
	}
	for _, commit := range ancestors {
		if commit != rec.Commit && slices.Contains(keys, baseline.Key(rec.Machine.Key, commit)) {
			return s.git().Line(ctx, commit, rec.Commit)
		}
	}
	return []string{rec.Commit}, nil
}

// acceptMerged notes what a merged pull request asked for, if the label approves the head that was merged.
func (s *step) acceptMerged(ctx context.Context, rec *baseline.Record, pr github.PullRequest) error {
	before := pr.Base.SHA
	if pr.MergeSHA != pr.Head.SHA { // GitHub's base of a pull request may be older than what its branch has taken over since
		parent, err := s.git().Commit(ctx, pr.MergeSHA+"^")
		if err != nil {
			return err
		}
		before = cmp.Or(parent, before)
	}
	line, err := s.client.Line(ctx, before, pr.Head.SHA)
	if err != nil {
		return err
	}
	asked := rule.ParseAcceptances(repo.Trailers(rule.AcceptTrailer, line.Messages))
	if len(asked) == 0 {
		return nil
	}
	by, err := s.client.Approval(ctx, pr.Number, s.in.AcceptLabel)
	if err != nil {
		return err
	}
	if !by.Granted || by.SHA != pr.Head.SHA {
		s.warn("the label %s of #%d does not count: %s", s.in.AcceptLabel, pr.Number, by.Reason)
		return nil
	}
	for _, a := range asked {
		if !slices.ContainsFunc(rec.Cases, func(c baseline.Case) bool { return result.CaseMatches(a.Pattern, c.Kernel, c.Name) }) {
			s.warn("#%d asks to accept %q, and no case of this record has such a name", pr.Number, a.Pattern)
			continue
		}
		rec.Accept(baseline.Acceptance{
			Commit: pr.MergeSHA, Pattern: a.Pattern, Reason: a.Reason, By: by.By, How: fmt.Sprintf("label %s of #%d", s.in.AcceptLabel, pr.Number), Time: by.At.UTC(),
		})
		s.Log.Notice(fmt.Sprintf("accepted %s, by %s: %s", a.Pattern, by.By, a.Reason))
	}
	return nil
}
