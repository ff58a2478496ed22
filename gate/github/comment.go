package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	gh "github.com/google/go-github/v60/github"
)

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
	old, err := c.findComment(ctx, comment)
	if err != nil {
		return "", err
	}
	switch {
	case old == nil && !comment.Create:
		return "", nil
	case old == nil:
		return c.createComment(ctx, comment, body)
	}
	return c.editComment(ctx, comment.PR, old, body)
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
func (c *Client) findComment(ctx context.Context, comment Comment) (*gh.IssueComment, error) {
	what := fmt.Sprintf("read the comments of pull request %d", comment.PR)
	opt := &gh.IssueListCommentsOptions{ListOptions: gh.ListOptions{PerPage: 100}}
	marker := Marker(comment.Key)
	for page, err := range pages(&opt.ListOptions, func() ([]*gh.IssueComment, *gh.Response, error) {
		return c.api.Issues.ListComments(ctx, c.owner, c.repo, comment.PR, opt)
	}) {
		if err != nil {
			return nil, explain(err, what, "pull-requests: write", mayBeHidden)
		}
		for _, one := range page {
			if strings.EqualFold(one.GetUser().GetLogin(), cmp.Or(comment.Author, defaultAuthor)) && marked(one.GetBody(), marker) {
				return one, nil
			}
		}
	}
	return nil, nil
}

func (c *Client) createComment(ctx context.Context, comment Comment, body string) (url string, err error) {
	var made *gh.IssueComment
	err = c.once(ctx, func() error {
		var err error
		made, _, err = c.api.Issues.CreateComment(ctx, c.owner, c.repo, comment.PR, &gh.IssueComment{Body: &body})
		return err
	}, func() (bool, error) {
		var err error
		made, err = c.findComment(ctx, comment)
		return made != nil, err
	})
	if err != nil {
		return "", explain(err, fmt.Sprintf("write a comment on pull request %d", comment.PR), "pull-requests: write", mayBeHidden)
	}
	return made.GetHTMLURL(), nil
}

func (c *Client) editComment(ctx context.Context, pr int, old *gh.IssueComment, body string) (url string, err error) {
	if sameText(old.GetBody(), body) {
		return old.GetHTMLURL(), nil
	}
	edited, _, err := c.api.Issues.EditComment(mayRepeat(ctx), c.owner, c.repo, old.GetID(), &gh.IssueComment{Body: &body})
	if err != nil {
		return "", explain(err, fmt.Sprintf("edit the comment on pull request %d", pr), "pull-requests: write", isThere)
	}
	return edited.GetHTMLURL(), nil
}

func sameText(a, b string) bool {
	normal := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
	return normal(a) == normal(b)
}
