package action

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// Target is the commits that a run is about. Those of an event come from its payload, never from GITHUB_SHA, which in a
// pull_request run is a merge that no person wrote.
type Target struct {
	Head string
	Base string // Head itself for a record
	Note string // what had to be assumed
}

// resolve finds the target's commits in the checkout.
func (s *step) resolve(ctx context.Context) (err error) {
	if s.event.HeadSHA == "" { // the payload of a dispatch and of a schedule names none: what is checked out is what it is about
		s.target.Head, err = s.git().Commit(ctx, "HEAD")
	} else {
		s.target.Head, err = s.present(ctx, s.event.HeadSHA, "head")
	}
	switch {
	case err != nil:
		return err
	case s.target.Head == "":
		return result.Usagef("nothing is checked out in %s: run actions/checkout with fetch-depth: 0 before this step", s.Dir)
	case s.does.name == ModeBisect || s.does.name == ModeIssue && s.in.Good != "":
		return s.resolveEnds(ctx)
	case !s.does.compares:
		s.target.Base = s.target.Head
		return nil
	case s.event.Name == github.EventWorkflowDispatch && s.in.Base != "":
		s.target.Base, err = s.named(ctx, "base", s.in.Base)
		return err
	}
	return s.resolveBase(ctx)
}

// present sees that a commit of the event is in the checkout.
func (s *step) present(ctx context.Context, commit, side string) (string, error) {
	hash, err := s.git().Commit(ctx, commit)
	switch {
	case err != nil || hash != "":
		return hash, err
	case s.git().Shallow(ctx):
		return "", result.Usagef("%s, commit %.12s, is not here, since this is a shallow clone: run actions/checkout with fetch-depth: 0", side, commit)
	}
	return "", result.Usagef("%s, commit %.12s, is not in this checkout (a branch that was pushed over, or a checkout of another repository)", side, commit)
}

// branchPoint is the commit from which head is taken to differ: the tip of the branch that it is to be merged into, else the event's
// base, else the default branch. What a pull request says of its base can be older than its head, or a commit that was pushed over.
func (s *step) branchPoint(ctx context.Context) (string, error) {
	tip, err := s.tip(ctx)
	if from := cmp.Or(tip, s.event.BaseSHA); err != nil || from != "" {
		return s.present(ctx, from, "base")
	}
	from, err := s.git().Branch(ctx, s.event.Repo.DefaultBranch)
	if err == nil && from == "" {
		err = result.Usagef("the default branch %s is not in this checkout: run actions/checkout with fetch-depth: 0", s.event.Repo.DefaultBranch)
	}
	return from, err
}

func (s *step) resolveBase(ctx context.Context) error {
	t := &s.target
	from, err := s.branchPoint(ctx)
	if err != nil {
		return err
	}
	t.Base, err = s.git().MergeBase(ctx, from, t.Head)
	if err == nil && t.Base == t.Head {
		t.Base, err = s.mergedInto(ctx)
	}
	switch {
	case err != nil:
		return err
	case t.Base == "" && s.git().Shallow(ctx):
		return result.Usagef("the merge base of %.12s and %.12s is not here, since this is a shallow clone: run actions/checkout with fetch-depth: 0", from, t.Head)
	case t.Base == "":
		return result.Usagef("%.12s and %.12s share no history, so there is nothing to compare", from, t.Head)
	case t.Base != t.Head || s.event.BaseSHA != "":
		return nil
	}
	// What a commit of the default branch is compared with where nothing else is asked for.
	if t.Base, err = s.git().Commit(ctx, t.Head+"^1"); err == nil && t.Base == "" {
		err = result.Usagef("%.12s is on %s and has no parent here: name a revision to compare with in the input base", t.Head, s.event.Repo.DefaultBranch)
	}
	t.Note = fmt.Sprintf("head is on %s already, so it is compared with its parent", s.event.Repo.DefaultBranch)
	return err
}

// mergedInto is what head differs from where its base branch has it by now, as in a run that is repeated: the merge base that it had, head
// itself where that is not known.
func (s *step) mergedInto(ctx context.Context) (string, error) {
	was, err := s.git().Commit(ctx, s.event.BaseSHA)
	if err != nil || was == "" {
		return s.target.Head, err
	}
	base, err := s.git().MergeBase(ctx, was, s.target.Head)
	return cmp.Or(base, s.target.Head), err
}

// resolveEnds finds the ends of a search: base is the good one, head the bad one.
func (s *step) resolveEnds(ctx context.Context) (err error) {
	if s.in.Bad != "" {
		if s.target.Head, err = s.named(ctx, "bad", s.in.Bad); err != nil {
			return err
		}
	}
	if s.target.Base, err = s.named(ctx, "good", s.in.Good); err != nil {
		return err
	}
	for _, end := range []string{s.target.Base, s.target.Head} {
		own, err := s.onBranch(ctx, end)
		if err != nil {
			return err
		}
		if !own && !s.in.RunForkCode {
			return result.Usagef("commit %.12s is on no branch and behind no tag of %s: it may be a fork's, whose code is not run in a job that has a token", end, s.event.Repo.FullName)
		}
	}
	return nil
}

// named finds a revision that a person typed: a branch of origin first, then whatever git makes of it.
func (s *step) named(ctx context.Context, input, revision string) (string, error) {
	if strings.HasPrefix(revision, "-") {
		return "", result.Usagef("input %s: %.80q is not a revision", input, revision)
	}
	for _, name := range []string{"refs/remotes/origin/" + revision, revision} {
		if hash, err := s.git().Commit(ctx, name); hash != "" || err != nil {
			return hash, err
		}
	}
	return "", result.Usagef("input %s: there is no branch, tag or commit %.80q in this checkout", input, revision)
}

var queueRef = text.Pattern(`^refs/heads/gh-readonly-queue/.+/pr-([0-9]{1,9})-[0-9a-f]{40,64}$`)

// queued is the pull request that a merge group is for, 0 if its ref does not say.
func queued(e github.Event) int {
	found := queueRef().FindStringSubmatch(e.Ref)
	if e.Name != github.EventMergeGroup || found == nil {
		return 0
	}
	number, _ := strconv.Atoi(found[1])
	return number
}
