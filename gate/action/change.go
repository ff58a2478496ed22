package action

import (
	"cmp"
	"context"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/repo"
)

// change is what head adds to base, and the repository that it is to be merged into: as a checkout has them, or the API.
type change struct {
	objects             // of the repository
	head, base string   // commits; base is where head left the branch that it is to be merged into
	tip        string   // where that branch is now; "" for events that are about no merge
	files      []string // that head changes, within the repository
	allFiles   bool     // there are no others

	headFile func(ctx context.Context, file string) (content []byte, ok bool, err error) // ok is false if head has none
	messages func(context.Context) ([]string, error)                                     // of head's commits
	diff     func(context.Context) (string, error)                                       // as github.ChangedLines reads it
}

// checkedOut is the change of the target in a job that has a checkout.
func (s *step) checkedOut(ctx context.Context) (change, error) {
	g := s.git()
	if other, err := s.foreignOrigin(ctx); err != nil || other != "" && s.event.HeadSHA != "" {
		return change{}, cmp.Or(err, usagef("the checkout is of %s, and the event is about %s: use actions/checkout without repository:, since what rules over head is read there",
			other, s.event.Repo.FullName()))
	}
	tip, err := s.tip(ctx)
	if err != nil {
		return change{}, err
	}
	base, head := s.target.Base, s.target.Head
	files, err := g.Changed(ctx, base, head)
	return change{
		objects: remembering{g, map[[2]string]repo.Entry{}}, head: head, base: base, tip: tip, files: files, allFiles: true,
		headFile: func(ctx context.Context, file string) ([]byte, bool, error) { return read(ctx, g, head, file) },
		messages: func(ctx context.Context) ([]string, error) { return g.Messages(ctx, base, head) },
		diff:     func(ctx context.Context) (string, error) { return g.Diff(ctx, base, head) },
	}, err
}

// fromAPI is the change of the target in a job that has no checkout. A pull request is to be merged into its branch as that is now; a merge group
// onto base, whatever its branch has come to.
func (s *step) fromAPI(ctx context.Context, base string) (change, error) {
	tip := base
	if s.event.PR != nil {
		now, err := s.client.Tip(ctx, s.event.PR.BaseRef)
		if err != nil {
			return change{}, err
		}
		tip = cmp.Or(now, base)
	}
	found, err := s.client.Compare(ctx, tip, s.target.Head)
	if err != nil {
		return change{}, err
	}
	tree := newAPITree(s.client)
	return change{
		objects: tree, head: s.target.Head, base: found.MergeBase, tip: tip, files: found.Files, allFiles: found.AllFiles,
		headFile: func(ctx context.Context, file string) ([]byte, bool, error) {
			return tree.headFile(ctx, file, s.target.Head, found)
		},
		messages: func(context.Context) ([]string, error) { return found.Messages, nil },
		diff:     func(context.Context) (string, error) { return found.Diff, nil },
	}, nil
}

// tip is the commit that head is to be merged onto: that of the base branch in the checkout, or where it is not there what the
// event says, which may be older. It is "" for events that are about no merge.
func (s *step) tip(ctx context.Context) (string, error) {
	switch e := s.event; {
	case e.Name == github.EventPullRequest && e.PR != nil && e.PR.BaseRef != "":
		tip, err := s.git().Commit(ctx, "refs/remotes/origin/"+e.PR.BaseRef)
		return cmp.Or(tip, e.BaseSHA), err
	case e.Name == github.EventPullRequest || e.Name == github.EventMergeGroup:
		return e.BaseSHA, nil
	}
	return "", nil
}
