package github

import (
	"context"
	"fmt"

	gh "github.com/google/go-github/v60/github"
)

// Line is where a head left a base, and what its commits since say. Git would need the whole history of both to find that out.
type Line struct {
	MergeBase string
	Messages  []string // of the commits, oldest first; at most MaxMessages
}

// MaxMessages is how many are asked for.
const MaxMessages = 1000

// Line returns what lies between base and head. Both are commits of the repository or, as the head of a pull request is, of a
// fork of it. ErrNotFound if one is not there or they share no history.
func (c *Client) Line(ctx context.Context, base, head string) (Line, error) {
	what := fmt.Sprintf("compare %.12s with %.12s", base, head)
	opt := &gh.ListOptions{PerPage: 100}
	var out Line
	for page, err := range pages(opt, func() (*gh.CommitsComparison, *gh.Response, error) {
		return c.api.Repositories.CompareCommits(ctx, c.owner, c.repo, base, head, opt)
	}) {
		if err != nil {
			return Line{}, explain(err, what, "contents: read", isThere)
		}
		out.MergeBase = page.GetMergeBaseCommit().GetSHA()
		for _, commit := range page.Commits {
			out.Messages = append(out.Messages, commit.GetCommit().GetMessage())
		}
		if len(out.Messages) >= MaxMessages {
			break
		}
	}
	if out.MergeBase == "" {
		return Line{}, fmt.Errorf("%s: GitHub names no merge base", what)
	}
	out.Messages = out.Messages[:min(len(out.Messages), MaxMessages)]
	return out, nil
}
