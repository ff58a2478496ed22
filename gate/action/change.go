package action

import (
	"cmp"
	"context"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// change is what head adds to base, and the repository that it is to be merged into: a checkout, or what was fetched of it.
type change struct {
	objects    // of the repository
	git        repo.Git
	head, base string                                  // commits; base is where head left the branch that it is to be merged into
	tip        string                                  // where that branch is now; "" for events that are about no merge
	files      []string                                // that head changes, within the repository
	messages   func(context.Context) ([]string, error) // of head's commits
}

// newChange reads which files head changes.
func newChange(ctx context.Context, g repo.Git, base, head, tip string) (c change, err error) {
	c = change{objects: remembering{g, map[string]map[string]repo.Entry{}}, git: g, head: head, base: base, tip: tip}
	c.messages = func(ctx context.Context) ([]string, error) { return g.Messages(ctx, base, head) }
	c.files, err = g.Changed(ctx, base, head)
	return c, err
}

// checkedOut is the change of the target in a job that has a checkout.
func (s *step) checkedOut(ctx context.Context) (change, error) {
	if other, err := s.foreignOrigin(ctx); err != nil || other != "" && s.event.HeadSHA != "" {
		return change{}, cmp.Or(err, result.Usagef("the checkout is of %s, and the event is about %s: use actions/checkout without repository:, since the policy that decides over head is read there",
			other, s.event.Repo.FullName))
	}
	tip, err := s.tip(ctx)
	if err != nil {
		return change{}, err
	}
	return newChange(ctx, s.git(), s.target.Base, s.target.Head, tip)
}

// fetched is the change of the target in a job that has no checkout: its commits are fetched into a folder. A pull request is to be merged into its
// branch as that is now; a merge group onto base, whatever its branch has come to.
func (s *step) fetched(ctx context.Context, base, dir string) (change, error) {
	tip := base
	if s.event.PR != nil {
		now, err := s.remote().At(ctx, repo.Git{Dir: dir}, s.event.PR.Base.Ref)
		if err != nil {
			return change{}, err
		}
		tip = cmp.Or(now, base)
	}
	line, err := s.client.Line(ctx, tip, s.target.Head)
	if err != nil {
		return change{}, err
	}
	g, err := s.remote().Fetch(ctx, dir, line.MergeBase, tip, s.target.Head)
	if err != nil {
		return change{}, err
	}
	c, err := newChange(ctx, g, line.MergeBase, s.target.Head, tip)
	c.messages = func(context.Context) ([]string, error) { return line.Messages, nil }
	return c, err
}

// remote is the repository that the job is of, by its token.
func (s *step) remote() repo.Remote {
	return repo.Remote{URL: s.repository(), Token: s.in.Token}
}

// tip is the commit that head is to be merged onto: that of the base branch in the checkout, or where it is not there what the
// event says, which may be older. It is "" for events that are about no merge.
func (s *step) tip(ctx context.Context) (string, error) {
	switch e := s.event; {
	case e.Name == github.EventPullRequest && e.PR != nil && e.PR.Base.Ref != "":
		tip, err := s.git().Commit(ctx, "refs/remotes/origin/"+e.PR.Base.Ref)
		return cmp.Or(tip, e.BaseSHA), err
	case e.Name == github.EventPullRequest || e.Name == github.EventMergeGroup:
		return e.BaseSHA, nil
	}
	return "", nil
}
