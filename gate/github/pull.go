package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	gh "github.com/google/go-github/v60/github"
)

// PullRequest returns the pull request as it is now. ErrNotFound if there is none, or none that the token may see.
func (c *Client) PullRequest(ctx context.Context, number int) (PullRequest, error) {
	pr, _, err := c.api.PullRequests.Get(ctx, c.owner, c.repo, number)
	if err != nil {
		return PullRequest{}, explain(err, fmt.Sprintf("read pull request %d", number), "pull-requests: read", isThere)
	}
	return convert(pr), nil
}

// Tip returns the commit that a branch is at now, "" if there is no such branch. What a pull request says of its base is as old as
// its last push.
func (c *Client) Tip(ctx context.Context, branch string) (sha string, err error) {
	what := fmt.Sprintf("look up the branch %.100q", branch)
	if branch == "" {
		return "", errors.New(what + ": it has no name")
	}
	ref, _, err := c.api.Git.GetRef(ctx, c.owner, c.repo, "heads/"+branch)
	if code := status(err); code == http.StatusNotFound || code == http.StatusConflict { // 409: an empty repository
		return "", nil
	}
	return ref.GetObject().GetSHA(), explain(err, what, "contents: read", isThere)
}

// FindPullRequest returns the open pull request whose head is headSHA on headBranch of headOwner's repository with the
// ID headRepoID: for a run that a workflow_run event reports, whose own list of pull requests is empty for forks.
// ErrNotFound if there is none (it was pushed to or closed meanwhile); ErrAmbiguous if there are several, into different
// branches.
func (c *Client) FindPullRequest(ctx context.Context, headOwner, headBranch, headSHA string, headRepoID int64) (PullRequest, error) {
	what := fmt.Sprintf("find the pull request of %.100q at %.12s", headOwner+":"+headBranch, headSHA)
	if headOwner == "" || headBranch == "" || headSHA == "" || headRepoID == 0 {
		return PullRequest{}, errors.New(what + ": owner, branch, commit and repository ID are needed, GitHub lists every pull request without them")
	}
	opt := &gh.PullRequestListOptions{State: "open", Head: headOwner + ":" + headBranch, ListOptions: gh.ListOptions{PerPage: 100}}
	var found []PullRequest
	for page, err := range pages(&opt.ListOptions, func() ([]*gh.PullRequest, *gh.Response, error) {
		return c.api.PullRequests.List(ctx, c.owner, c.repo, opt)
	}) {
		if err != nil {
			return PullRequest{}, explain(err, what, "pull-requests: read", mayBeHidden)
		}
		for _, pr := range page {
			if pr.GetHead().GetSHA() == headSHA && pr.GetHead().GetRepo().GetID() == headRepoID && pr.GetHead().GetRef() == headBranch {
				found = append(found, convert(pr))
			}
		}
	}
	switch len(found) {
	case 0:
		return PullRequest{}, fmt.Errorf("%s: %w", what, ErrNotFound)
	case 1:
		return found[0], nil
	}
	return PullRequest{}, fmt.Errorf("%s: %w: %d and %d", what, ErrAmbiguous, found[0].Number, found[1].Number)
}

// maxMerged is how many closed pull requests are looked through, those that changed last.
const maxMerged = 300

// MergedAs returns the pull requests that became one of the commits when they were merged: the merge, the squashed commit or the last
// of the rebased ones. The 300 closed pull requests that changed last are looked through.
func (c *Client) MergedAs(ctx context.Context, commits []string) ([]PullRequest, error) {
	opt := &gh.PullRequestListOptions{State: "closed", Sort: "updated", Direction: "desc", ListOptions: gh.ListOptions{PerPage: 100}}
	var found []PullRequest
	seen := 0
	for page, err := range pages(&opt.ListOptions, func() ([]*gh.PullRequest, *gh.Response, error) {
		return c.api.PullRequests.List(ctx, c.owner, c.repo, opt)
	}) {
		if err != nil {
			return nil, explain(err, "list merged pull requests", "pull-requests: read", mayBeHidden)
		}
		for _, pr := range page {
			if one := convert(pr); !one.MergedAt.IsZero() && slices.Contains(commits, one.MergeSHA) {
				found = append(found, one)
			}
		}
		if seen += len(page); seen >= maxMerged {
			break
		}
	}
	return found, nil
}

func convert(pr *gh.PullRequest) PullRequest {
	head, base := pr.GetHead(), pr.GetBase()
	out := PullRequest{
		Number:  pr.GetNumber(),
		HeadSHA: head.GetSHA(), HeadRef: head.GetRef(), BaseSHA: base.GetSHA(), BaseRef: base.GetRef(),
		Fork: head.GetRepo() == nil || head.GetRepo().GetID() != base.GetRepo().GetID(),
	}
	if out.MergedAt = pr.GetMergedAt().Time; !out.MergedAt.IsZero() { // of an open one it is a merge that GitHub tries out
		out.MergeSHA = pr.GetMergeCommitSHA()
	}
	if head.GetRepo() != nil {
		out.HeadRepo = HeadRepo{FullName: head.GetRepo().GetFullName(), ID: head.GetRepo().GetID()}
	}
	for _, l := range pr.Labels {
		out.Labels = append(out.Labels, l.GetName())
	}
	return out
}
