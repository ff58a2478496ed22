package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	gh "github.com/google/go-github/v60/github"
)

// Issue is an issue to open, to edit or to close.
type Issue struct {
	Number    int    // 0: it is opened
	Key       string // there is one open issue of a key: the name of what watches, any text
	Author    string // login that the token writes as; "" is github-actions[bot]
	Title     string
	Body      string // Markdown that ends with the marker of Key, as RenderComment makes it
	Labels    []string
	Assignees []string
	Close     bool
}

// OpenIssue is the open issue of a key by an author; its number is 0 where there is none.
func (c *Client) OpenIssue(ctx context.Context, key, author string) (found Issue, err error) {
	author = cmp.Or(author, defaultAuthor)
	q := request{
		what: "read the open issues", needs: "issues: write", hidden: true,
		path: "/issues?state=open&per_page=100&creator=" + url.QueryEscape(author),
	}
	for page, err := range pages[[]*gh.Issue](ctx, c, q) {
		if err != nil {
			return found, err
		}
		for _, one := range page {
			if !one.IsPullRequest() && strings.EqualFold(one.GetUser().GetLogin(), author) && marked(one.GetBody(), Marker(key)) {
				return Issue{Number: one.GetNumber(), Key: key, Author: author, Body: one.GetBody()}, nil
			}
		}
	}
	return found, nil
}

// KeepIssue opens, edits or closes an issue. Labels and people are those of one that is opened: who changes them later is not overruled.
func (c *Client) KeepIssue(ctx context.Context, issue Issue) (at string, err error) {
	if len(issue.Body) > MaxComment || !marked(issue.Body, Marker(issue.Key)) {
		return "", errors.New("the text of the issue is too long, or does not end with its marker")
	}
	var answer gh.Issue
	q := request{what: "write the issue", needs: "issues: write", body: gh.IssueRequest{Body: &issue.Body}, into: &answer}
	if issue.Number != 0 {
		if issue.Close {
			q.body = gh.IssueRequest{Body: &issue.Body, State: gh.String("closed"), StateReason: gh.String("completed")}
		}
		q.method, q.path, q.twice = http.MethodPatch, fmt.Sprintf("/issues/%d", issue.Number), true
		_, err = c.do(ctx, q)
		return answer.GetHTMLURL(), err
	}
	q.method, q.path, q.hidden = http.MethodPost, "/issues", true
	labels, people := append([]string{}, issue.Labels...), append([]string{}, issue.Assignees...) // GitHub takes no null
	q.body = gh.IssueRequest{Title: &issue.Title, Body: &issue.Body, Labels: &labels, Assignees: &people}
	err = c.once(ctx, q, func() (bool, error) {
		found, lost := c.OpenIssue(ctx, issue.Key, issue.Author)
		return found.Number != 0, lost
	})
	return answer.GetHTMLURL(), err
}
