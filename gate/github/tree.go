package github

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Entry is what a tree has under a name: its mode as git writes it, such as 100644, and its object.
type Entry struct{ Mode, SHA string }

// Tree lists the files, folders, links and submodules of a commit or of a folder, by their paths in it.
type Tree struct {
	Entries map[string]Entry
	Whole   bool // GitHub lists at most 100 000 entries and 7 MB; false if there are more
}

// Tree lists a commit, a branch (heads/NAME) or a folder's object; recursive includes what is in its folders. Links are not followed, and what
// is in submodules is not listed. ErrNotFound if there is none.
func (c *Client) Tree(ctx context.Context, name string, recursive bool) (Tree, error) {
	what := fmt.Sprintf("list the files of %.80q", name)
	if name == "" {
		return Tree{}, errors.New(what + ": it has no name")
	}
	tree, _, err := c.api.Git.GetTree(ctx, c.owner, c.repo, url.PathEscape(name), recursive)
	if err != nil {
		return Tree{}, explain(err, what, "contents: read", isThere)
	}
	out := Tree{Entries: make(map[string]Entry, len(tree.Entries)), Whole: !tree.GetTruncated()}
	for _, e := range tree.Entries {
		out.Entries[e.GetPath()] = Entry{e.GetMode(), e.GetSHA()}
	}
	return out, nil
}

// Blob returns the content of a file's object, or the text of a link's. One of more than 1 MiB is an error.
func (c *Client) Blob(ctx context.Context, sha string) ([]byte, error) {
	return c.blob(ctx, sha, maxFile)
}

// blob returns an object's content, an error if it has more bytes than most.
func (c *Client) blob(ctx context.Context, sha string, most int) ([]byte, error) {
	what := fmt.Sprintf("read the object %.12q", sha)
	blob, _, err := c.api.Git.GetBlob(ctx, c.owner, c.repo, url.PathEscape(sha))
	switch {
	case err != nil:
		return nil, explain(err, what, "contents: read", isThere)
	case blob.GetSize() > most:
		return nil, fmt.Errorf("%s: it is larger than %d KiB", what, most>>10)
	case blob.GetEncoding() != "base64":
		return nil, fmt.Errorf("%s: GitHub sends it as %.20q", what, blob.GetEncoding())
	}
	content, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(blob.GetContent(), "\n", ""))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return content, nil
}
