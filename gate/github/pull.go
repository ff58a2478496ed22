package github

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	gh "github.com/google/go-github/v60/github"
)

// PullRequest returns the pull request as it is now. ErrNotFound if there is none, or none that the token may see.
func (c *Client) PullRequest(ctx context.Context, number int) (pr PullRequest, err error) {
	_, err = c.do(ctx, request{
		what: fmt.Sprintf("read pull request %d", number), needs: "pull-requests: read", path: fmt.Sprintf("/pulls/%d", number), into: &pr,
	})
	return pr, err
}

// FindPullRequest returns the open pull request whose head a workflow_run event is about: its own list of pull requests is empty for forks.
// ErrNotFound if there is none (it was pushed to or closed meanwhile); ErrAmbiguous if there are several, into different branches.
func (c *Client) FindPullRequest(ctx context.Context, run WorkflowRun) (PullRequest, error) {
	owner, _, _ := strings.Cut(run.HeadRepo.FullName, "/")
	from := owner + ":" + run.HeadBranch
	what := fmt.Sprintf("find the pull request of %.100q at %.12s", from, run.HeadSHA)
	if owner == "" || run.HeadBranch == "" || run.HeadSHA == "" || run.HeadRepo.ID == 0 {
		return PullRequest{}, errors.New(what + ": owner, branch, commit and repository ID are needed, GitHub lists every pull request without them")
	}
	query := url.Values{"state": {"open"}, "head": {from}, "per_page": {"100"}}
	q := request{what: what, needs: "pull-requests: read", hidden: true, path: "/pulls?" + query.Encode()}
	var found []PullRequest
	err := pages(ctx, c, q, func(page []PullRequest) bool {
		found = append(found, slices.DeleteFunc(page, func(pr PullRequest) bool {
			return pr.Head.SHA != run.HeadSHA || pr.Head.Repo.ID != run.HeadRepo.ID || pr.Head.Ref != run.HeadBranch
		})...)
		return false
	})
	if err != nil {
		return PullRequest{}, err
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
func (c *Client) MergedAs(ctx context.Context, commits []string) (found []PullRequest, err error) {
	q := request{
		what: "list merged pull requests", needs: "pull-requests: read", hidden: true, path: "/pulls?direction=desc&per_page=100&sort=updated&state=closed",
	}
	seen := 0
	err = pages(ctx, c, q, func(page []PullRequest) bool {
		seen += len(page)
		found = append(found, slices.DeleteFunc(page, func(pr PullRequest) bool { return pr.MergedAt.IsZero() || !slices.Contains(commits, pr.MergeSHA) })...)
		return seen >= maxMerged
	})
	return found, err
}

// Line is where a head left a base, and what its commits since say. Git would need the whole history of both to find that out.
type Line struct {
	MergeBase string
	Messages  []string // of the commits, oldest first; at most MaxMessages
}

// MaxMessages is how many are asked for.
const MaxMessages = 1000

// Line returns what lies between base and head. Both are commits of the repository or, as the head of a pull request is, of a
// fork of it. ErrNotFound if one is not there or they share no history.
func (c *Client) Line(ctx context.Context, base, head string) (out Line, err error) {
	what := fmt.Sprintf("compare %.12s with %.12s", base, head)
	q := request{what: what, needs: "contents: read", path: fmt.Sprintf("/compare/%s...%s?per_page=100", url.PathEscape(base), url.PathEscape(head))}
	err = pages(ctx, c, q, func(page gh.CommitsComparison) bool {
		out.MergeBase = page.GetMergeBaseCommit().GetSHA()
		for _, one := range page.Commits {
			out.Messages = append(out.Messages, one.GetCommit().GetMessage())
		}
		return len(out.Messages) >= MaxMessages
	})
	if err == nil && out.MergeBase == "" {
		err = fmt.Errorf("%s: GitHub names no merge base", what)
	}
	if err != nil {
		return Line{}, err
	}
	out.Messages = out.Messages[:min(len(out.Messages), MaxMessages)]
	return out, nil
}

// Artifact is a file that a workflow run kept.
type Artifact struct {
	ID      int64
	Name    string
	Expired bool
}

const (
	mostArtifacts = 500 // of a run that are listed: a workflow can keep any number
	downloadLimit = 5 * time.Minute
)

// Artifacts lists what a workflow run kept; an error if that is over 500 files.
func (c *Client) Artifacts(ctx context.Context, runID int64) (all []Artifact, err error) {
	what := fmt.Sprintf("list the artifacts of workflow run %d", runID)
	q := request{what: what, needs: "actions: read", hidden: true, path: fmt.Sprintf("/actions/runs/%d/artifacts?per_page=100", runID)}
	err = pages(ctx, c, q, func(page gh.ArtifactList) bool {
		for _, one := range page.Artifacts {
			all = append(all, Artifact{one.GetID(), one.GetName(), one.GetExpired()})
		}
		return len(all) > mostArtifacts
	})
	if err == nil && len(all) > mostArtifacts {
		err = fmt.Errorf("%s: over %d", what, mostArtifacts)
	}
	return all, err
}

// Newest is the newest artifact of a name that has not expired, as runs that were repeated have several; false where there is none.
func Newest(kept []Artifact, name string) (newest Artifact, ok bool) {
	for _, a := range kept {
		if a.Name == name && !a.Expired && a.ID > newest.ID {
			newest = a
		}
	}
	return newest, newest.ID != 0
}

// DownloadArtifact returns the zip of an artifact, an error if it has more than maxBytes. Its content is untrusted. GitHub redirects to a store at
// another place, which does not get the token.
func (c *Client) DownloadArtifact(ctx context.Context, id, maxBytes int64) (zipped []byte, err error) {
	_, err = c.do(ctx, request{
		what: fmt.Sprintf("download artifact %d", id), needs: "actions: read", hidden: true, path: fmt.Sprintf("/actions/artifacts/%d/zip", id),
		into: &zipped, limit: downloadLimit, maxSize: maxBytes,
	})
	return zipped, err
}
