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

// Approval says whether a label approves the head of a pull request.
type Approval struct {
	Granted  bool
	Label    string
	By       string    // who applied the label last; "" if it was not applied
	At       time.Time // when, by GitHub's clock
	PushedAt time.Time // when the head was pushed last, by GitHub's clock; zero if that is not known
	SHA      string    // the head that the answer is about: compare it with what was measured
	Reason   string    // a sentence: why it is granted or not
}

// When was the head pushed? Who opens a pull request chooses the dates in its commits, and the order of the commits in
// the timeline follows from what they wrote; neither says anything. A head_ref_force_pushed event has GitHub's time,
// but a branch can be moved away and back with a force push before the label and a plain push after it, and plain
// pushes leave no event. Check suites and workflow runs are made at a push, by GitHub's clock, but only the first time
// that a commit appears.
//
// The activity list of the head repository (GET /repos/{owner}/{repo}/activity) has every change of the branch with
// the commit it ended at and GitHub's time. The newest entry must end at the present head, and before the label was
// applied. A fork can delete or re-create its branch, but not change that list; if it cannot be read, or lags behind,
// the answer is no.

// Approval says whether label approves the present head of pull request pr: it is there, was applied last by a person
// who may write to the repository, and after the last push to the head branch and the last change of the base branch.
// Whatever cannot be established counts against it and is said in Reason; an error is returned only if GitHub could not
// be asked. Approval.SHA is the head that it is about: another one was not approved.
func (c *Client) Approval(ctx context.Context, pr int, label string) (Approval, error) {
	a := Approval{Label: label}
	pull, err := c.PullRequest(ctx, pr)
	if err != nil {
		return a, err
	}
	a.SHA = pull.Head.SHA
	if !pull.HasLabel(label) {
		return a.no("the label is not there"), nil
	}
	if a, err = c.whoLabeled(ctx, pr, a); err != nil || a.Reason != "" {
		return a, err
	}
	if a, err = c.mayApprove(ctx, a); err != nil || a.Reason != "" {
		return a, err
	}
	if a, err = c.lastPush(ctx, pull, a); err != nil || a.Reason != "" {
		return a, err
	}
	if !a.At.After(a.PushedAt) {
		return a.no("the label was applied before the last push (or in the same second): apply it again to approve what is there now"), nil
	}
	a.Granted = true
	a.Reason = fmt.Sprintf("%s, who may write to the repository, applied the label after the last push", a.By)
	return a, nil
}

func (a Approval) no(reason string) Approval {
	a.Reason = reason
	return a
}

// afterwards are events that take the ground from under a label that was applied before them. They come newest first
// here.
var afterwards = map[string]string{
	"head_ref_force_pushed": "the branch was force-pushed after the label was applied",
	"base_ref_changed":      "the base branch was changed after the label was applied",
}

const neverApplied = "GitHub has no event of the label being applied"

// whoLabeled goes through the events of the pull request, newest first, up to the one that applied the label. GitHub lists the oldest first.
func (c *Client) whoLabeled(ctx context.Context, pr int, a Approval) (Approval, error) {
	var first []*gh.IssueEvent
	q := request{
		what: fmt.Sprintf("read the events of pull request %d", pr), needs: "pull-requests: read", hidden: true,
		path: fmt.Sprintf("/issues/%d/events?per_page=100", pr), into: &first,
	}
	reply, err := c.do(ctx, q)
	if err != nil {
		return a, err
	}
	decided, ok := a, false
	if q.page = reply.LastPage; q.page == 0 {
		decided, ok = a.scan(first)
	} else {
		err = follow(ctx, c, q, func(r *gh.Response) int { return r.PrevPage }, func(events []*gh.IssueEvent) bool {
			decided, ok = a.scan(events)
			return ok
		})
	}
	if err != nil || ok {
		return decided, err
	}
	return a.no(neverApplied), nil
}

// scan looks for the last event that decides about the label. ok is false if there is none among these.
func (a Approval) scan(events []*gh.IssueEvent) (decided Approval, ok bool) {
	for _, e := range slices.Backward(events) {
		if reason := afterwards[e.GetEvent()]; reason != "" {
			return a.no(reason), true
		}
		if !strings.EqualFold(e.GetLabel().GetName(), a.Label) {
			continue
		}
		switch e.GetEvent() {
		case "unlabeled":
			return a.no("the label was taken away"), true
		case "labeled":
			a.By, a.At = e.GetActor().GetLogin(), e.GetCreatedAt().Time
			if a.By == "" || a.At.IsZero() {
				return a.no("GitHub does not say who applied the label"), true
			}
			return a, true
		}
	}
	return a, false
}

// mayApprove asks what the one who applied the label may do in the repository.
func (c *Client) mayApprove(ctx context.Context, a Approval) (Approval, error) {
	var level gh.RepositoryPermissionLevel
	_, err := c.do(ctx, request{
		what: fmt.Sprintf("read what %q may do", a.By), needs: "metadata: read", path: "/collaborators/" + url.PathEscape(a.By) + "/permission", into: &level,
	})
	if errors.Is(err, ErrNotFound) {
		return a.no(a.By + ", who applied the label, is not a collaborator"), nil
	}
	if err != nil {
		return a, err
	}
	switch level.GetPermission() {
	case "admin", "write": // maintain is mapped to write, triage to read
		return a, nil
	}
	return a.no(a.By + ", who applied the label, may not write to the repository"), nil
}

// activity is an entry of the list of changes of a repository's branches, which this go-github does not know.
type activity struct {
	After     string    `json:"after"`
	Ref       string    `json:"ref"`
	Timestamp time.Time `json:"timestamp"`
}

// lastPush finds out when the head branch became what it is. The head of a merged pull request stays what it was: what happened to the
// branch since, such as its end, does not count.
func (c *Client) lastPush(ctx context.Context, pull PullRequest, a Approval) (Approval, error) {
	if pull.Head.Repo.FullName == "" {
		return a.no("the repository of the head is gone, so when it was pushed cannot be known"), nil
	}
	ref := "refs/heads/" + pull.Head.Ref
	query := url.Values{"ref": {ref}, "per_page": {"10"}}
	var list []activity
	_, err := c.do(ctx, request{
		what: "read the pushes to " + pull.Head.Repo.FullName, needs: "contents: read", hidden: true,
		path: "repos/" + pull.Head.Repo.FullName + "/activity?" + query.Encode(), into: &list,
	})
	if _, hidden := IsPermission(err); hidden {
		return a.no("GitHub does not show this token when the head was pushed: " + err.Error()), nil
	}
	if err != nil {
		return a, err
	}
	if !pull.MergedAt.IsZero() {
		list = slices.DeleteFunc(list, func(one activity) bool {
			return one.Timestamp.After(pull.MergedAt) || noCommit().MatchString(one.After)
		})
	}
	for _, one := range list {
		if one.Ref != ref {
			return a.no("GitHub's list of pushes is about another branch"), nil
		}
		if one.Timestamp.After(a.PushedAt) {
			a.PushedAt = one.Timestamp
		}
	}
	if len(list) == 0 || list[0].After != pull.Head.SHA || list[0].Timestamp.IsZero() {
		a.PushedAt = time.Time{}
		return a.no("GitHub's list of pushes does not have the present head: " +
			"either it lags behind, then run again, or the head was pushed too long ago"), nil
	}
	return a, nil
}
