package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	gh "github.com/google/go-github/v60/github"
)

// Comment is a comment to write or to edit.
type Comment struct {
	PR     int    // number of the pull request, or of an issue
	Needs  string // the grant that it takes; "" is pull-requests: write
	Key    string // one comment per key and pull request: the name of the gate, any text
	Author string // login that the token writes as; "" is github-actions[bot]
	Body   string // Markdown; RenderComment makes it. The hidden marker of Key is put after it if it is not there yet
	Create bool   // write one if there is none; else only edit one that is there
}

// MaxComment is the most that a comment may have, in bytes of UTF-8. GitHub speaks of 65 536 characters, and was seen to store up to 262 144 bytes,
// the room that its database has for as many characters of four bytes; bytes are within the limit on either reading.
const MaxComment = 65536

const defaultAuthor = "github-actions[bot]"

// Marker is the hidden line by which the comment of a key is found again. It ends the comment: what a run says of a
// change stands before it, so no text that a comment quotes can be taken for it.
func Marker(key string) string {
	var b strings.Builder
	for i := range len(key) {
		switch c := key[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "_%02x", c) // never two hyphens, which end an HTML comment
		}
	}
	return "<!-- perfgate comment " + b.String() + " -->"
}

// marked reports whether a body ends with a marker. GitHub may have changed the line ends.
func marked(body, marker string) bool {
	body = strings.TrimRight(body, "\r\n ")
	return body == marker || strings.HasSuffix(body, "\n"+marker)
}

// UpsertComment makes the comment of c.Key on the pull request say c.Body. The comment is found by its hidden marker and
// its author among all comments; of several the first is taken. Nothing is sent if it says so already. url is "" if
// there is none and c.Create is false. A body over MaxComment bytes is an error: RenderComment keeps within. Errors:
// *ErrPermission, or what the API answered.
func (c *Client) UpsertComment(ctx context.Context, comment Comment) (url string, err error) {
	body, err := comment.text()
	if err != nil {
		return "", err
	}
	found, err := c.findComment(ctx, comment)
	if err != nil || found.GetID() == 0 && !comment.Create || found.GetID() != 0 && sameText(found.GetBody(), body) {
		return found.GetHTMLURL(), err
	}
	q := request{
		what: fmt.Sprintf("write the comment on pull request %d", comment.PR), needs: cmp.Or(comment.Needs, "pull-requests: write"),
		body: gh.IssueComment{Body: &body}, into: &found,
	}
	if found.GetID() != 0 {
		q.method, q.path, q.twice = http.MethodPatch, fmt.Sprintf("/issues/comments/%d", found.GetID()), true
		_, err = c.do(ctx, q)
		return found.GetHTMLURL(), err
	}
	q.method, q.path, q.hidden = http.MethodPost, fmt.Sprintf("/issues/%d/comments", comment.PR), true
	err = c.once(ctx, q, func() (bool, error) {
		var lost error
		found, lost = c.findComment(ctx, comment)
		return found.GetID() != 0, lost
	})
	return found.GetHTMLURL(), err
}

// text is the body with its marker.
func (c Comment) text() (string, error) {
	marker := Marker(c.Key)
	body := c.Body
	if !marked(body, marker) {
		body = strings.TrimRight(body, "\n") + "\n\n" + marker + "\n"
	}
	if len(body) > MaxComment {
		return "", fmt.Errorf("the comment has %d bytes, %d is the most: render it with RenderComment", len(body), MaxComment)
	}
	if !utf8.ValidString(body) {
		return "", errors.New("the comment is not UTF-8")
	}
	return body, nil
}

// findComment returns the comment of a key, nil if there is none.
func (c *Client) findComment(ctx context.Context, comment Comment) (found *gh.IssueComment, err error) {
	q := request{
		what: fmt.Sprintf("read the comments of pull request %d", comment.PR), needs: cmp.Or(comment.Needs, "pull-requests: write"), hidden: true,
		path: fmt.Sprintf("/issues/%d/comments?per_page=100", comment.PR),
	}
	marker := Marker(comment.Key)
	err = pages(ctx, c, q, func(page []*gh.IssueComment) bool {
		i := slices.IndexFunc(page, func(one *gh.IssueComment) bool {
			return strings.EqualFold(one.GetUser().GetLogin(), cmp.Or(comment.Author, defaultAuthor)) && marked(one.GetBody(), marker)
		})
		if i >= 0 {
			found = page[i]
		}
		return i >= 0
	})
	return found, err
}

func sameText(a, b string) bool {
	normal := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
	return normal(a) == normal(b)
}

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
	err = pages(ctx, c, q, func(page []*gh.Issue) bool {
		for _, one := range page {
			if !one.IsPullRequest() && strings.EqualFold(one.GetUser().GetLogin(), author) && marked(one.GetBody(), Marker(key)) {
				found = Issue{Number: one.GetNumber(), Key: key, Author: author, Body: one.GetBody()}
				return true
			}
		}
		return false
	})
	return found, err
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
