package github

import (
	"context"
	"errors"
	"fmt"
	"strings"

	gh "github.com/google/go-github/v60/github"
)

// Change is what a head adds to a base: what git log and git diff say of MERGE_BASE..HEAD, without a checkout.
type Change struct {
	MergeBase string
	Messages  []string // of its commits, oldest first; at most MaxMessages
	Files     []string // that differ, by their old and their new names
	AllFiles  bool     // GitHub lists at most 300 files; false if there may be more
	Diff      string   // of the text files, in the form that ChangedLines reads
}

// Most that is asked for.
const (
	MaxMessages = 1000
	listedFiles = 300 // by GitHub, for the whole change
)

// Compare returns what head adds to base. Both are commits of the repository or, as the head of a pull request is, of a
// fork of it. ErrNotFound if one is not there or they share no history.
func (c *Client) Compare(ctx context.Context, base, head string) (Change, error) {
	what := fmt.Sprintf("compare %.12s with %.12s", base, head)
	opt := &gh.ListOptions{PerPage: 100}
	var out Change
	for page, err := range pages(opt, func() (*gh.CommitsComparison, *gh.Response, error) {
		return c.api.Repositories.CompareCommits(ctx, c.owner, c.repo, base, head, opt)
	}) {
		if err != nil {
			return Change{}, explain(err, what, "contents: read", isThere)
		}
		if out.MergeBase == "" { // files are on the first page alone
			out.MergeBase = page.GetMergeBaseCommit().GetSHA()
			out.take(page.Files)
		}
		for _, commit := range page.Commits {
			out.Messages = append(out.Messages, commit.GetCommit().GetMessage())
		}
		if len(out.Messages) >= MaxMessages {
			break
		}
	}
	if out.MergeBase == "" {
		return Change{}, fmt.Errorf("%s: GitHub names no merge base", what)
	}
	out.Messages = out.Messages[:min(len(out.Messages), MaxMessages)]
	return out, nil
}

func (c *Change) take(files []*gh.CommitFile) {
	c.AllFiles = len(files) < listedFiles
	var diff strings.Builder
	for _, f := range files {
		name := f.GetFilename()
		c.Files = append(c.Files, name)
		if old := f.GetPreviousFilename(); old != "" && old != name {
			c.Files = append(c.Files, old)
		}
		if f.GetPatch() != "" && !strings.ContainsAny(name, "\n\r\"") { // such a name would need git's quoting
			fmt.Fprintf(&diff, "+++ b/%s\n%s\n", name, strings.TrimSuffix(f.GetPatch(), "\n"))
		}
	}
	c.Diff = diff.String()
}

// maxFile is the largest file that is read, which is the most that the contents API returns.
const maxFile = 1 << 20

// File returns a file of a commit; ok is false if the commit has none of that name.
func (c *Client) File(ctx context.Context, path, commit string) (content []byte, ok bool, err error) {
	what := fmt.Sprintf("read %.200q of %.12s", path, commit)
	if commit == "" {
		return nil, false, errors.New(what + ": a commit is needed, GitHub takes the default branch without one")
	}
	file, _, _, err := c.api.Repositories.GetContents(ctx, c.owner, c.repo, path, &gh.RepositoryContentGetOptions{Ref: commit})
	err = explain(err, what, "contents: read", isThere)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	case file.GetType() != "file":
		return nil, false, fmt.Errorf("%s: it is no file", what)
	case file.GetSize() > maxFile:
		return nil, false, fmt.Errorf("%s: it is larger than %d KiB", what, maxFile>>10)
	}
	text, err := file.GetContent()
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", what, err)
	}
	return []byte(text), true, nil
}
