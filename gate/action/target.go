package action

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/github"
)

// Target is the commits that a run is about. Those of an event come from its payload, never from GITHUB_SHA, which in a
// pull_request run is a merge that nobody wrote.
type Target struct {
	Head string
	Base string // Head itself for a record
	PR   int    // 0 where there is none
	Note string // what had to be assumed
}

// Resolve finds the commits in the checkout.
func Resolve(ctx context.Context, dir, mode string, e github.Event, in Inputs) (Target, error) {
	g := gitIn(dir)
	t := Target{Head: e.HeadSHA}
	if e.PR != nil {
		t.PR = e.PR.Number
	}
	var err error
	if t.Head == "" { // the payload of a dispatch and of a schedule names none: what is checked out is what it is about
		t.Head, err = g.Commit(ctx, "HEAD")
	} else {
		t.Head, err = g.present(ctx, t.Head, "head")
	}
	if err != nil {
		return t, err
	}
	if t.Head == "" {
		return t, usagef("nothing is checked out in %s: run actions/checkout with fetch-depth: 0 before this step", dir)
	}
	if !compares(mode) {
		t.Base = t.Head
		return t, nil
	}
	return g.baseOf(ctx, t, e, in)
}

// present sees that a commit of the event is in the checkout.
func (g git) present(ctx context.Context, commit, side string) (string, error) {
	hash, err := g.Commit(ctx, commit)
	if err != nil || hash != "" {
		return hash, err
	}
	if g.Shallow(ctx) {
		return "", usagef("%s, commit %.12s, is not here, since this is a shallow clone: run actions/checkout with fetch-depth: 0", side, commit)
	}
	return "", usagef("%s, commit %.12s, is not in this checkout (a branch that was pushed over, or a checkout of another repository)", side, commit)
}

func (g git) baseOf(ctx context.Context, t Target, e github.Event, in Inputs) (Target, error) {
	from := e.BaseSHA
	var err error
	switch {
	case e.Name == github.EventWorkflowDispatch && in.Base != "":
		t.Base, err = g.named(ctx, in.Base)
		return t, err
	case from == "":
		if from, err = g.Branch(ctx, e.Repo.DefaultBranch); err != nil {
			return t, err
		}
		if from == "" {
			return t, usagef("the default branch %s is not in this checkout: run actions/checkout with fetch-depth: 0", e.Repo.DefaultBranch)
		}
	default:
		if from, err = g.present(ctx, from, "base"); err != nil {
			return t, err
		}
	}
	if t.Base, err = g.MergeBase(ctx, from, t.Head); err != nil {
		return t, err
	}
	if t.Base == "" && g.Shallow(ctx) {
		return t, usagef("the merge base of %.12s and %.12s is not here, since this is a shallow clone: run actions/checkout with fetch-depth: 0", from, t.Head)
	}
	if t.Base == "" {
		return t, usagef("%.12s and %.12s share no history, so there is nothing to compare", from, t.Head)
	}
	if t.Base == t.Head && e.BaseSHA == "" {
		return g.parent(ctx, t, e)
	}
	return t, nil
}

// tipOf is the commit that head is to be merged onto: that of the base branch in the checkout, or where it is not there what the
// event says, which may be older. It is "" for events that are about no merge.
func (g git) tipOf(ctx context.Context, e github.Event) (string, error) {
	switch {
	case e.Name == github.EventPullRequest && e.PR != nil && e.PR.BaseRef != "":
		tip, err := g.Commit(ctx, "refs/remotes/origin/"+e.PR.BaseRef)
		return cmp.Or(tip, e.BaseSHA), err
	case e.Name == github.EventPullRequest || e.Name == github.EventMergeGroup:
		return e.BaseSHA, nil
	}
	return "", nil
}

// parent is what a commit of the default branch is compared with where nothing else is asked for.
func (g git) parent(ctx context.Context, t Target, e github.Event) (Target, error) {
	parent, err := g.Commit(ctx, t.Head+"^1")
	if err != nil {
		return t, err
	}
	if parent == "" {
		return t, usagef("%.12s is on %s and has no parent here: name a revision to compare with in the input base", t.Head, e.Repo.DefaultBranch)
	}
	t.Base, t.Note = parent, fmt.Sprintf("head is on %s already, so it is compared with its parent", e.Repo.DefaultBranch)
	return t, nil
}

// named finds a revision that a person typed: a branch of origin first, then whatever git makes of it.
func (g git) named(ctx context.Context, revision string) (string, error) {
	if strings.HasPrefix(revision, "-") {
		return "", usagef("input base: %.80q is no revision", revision)
	}
	for _, name := range []string{"refs/remotes/origin/" + revision, revision} {
		if hash, err := g.Commit(ctx, name); hash != "" || err != nil {
			return hash, err
		}
	}
	return "", usagef("input base: there is no branch, tag or commit %.80q in this checkout", revision)
}

var queueRef = regexp.MustCompile(`^refs/heads/gh-readonly-queue/.+/pr-([0-9]{1,9})-[0-9a-f]{40,64}$`)

// queued is the pull request that a merge group is for, 0 if its ref does not say.
func queued(e github.Event) int {
	found := queueRef.FindStringSubmatch(e.Ref)
	if e.Name != github.EventMergeGroup || found == nil {
		return 0
	}
	number, _ := strconv.Atoi(found[1])
	return number
}
