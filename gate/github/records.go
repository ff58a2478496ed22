package github

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"

	gh "github.com/google/go-github/v60/github"

	"github.com/org/perfgate/gate/baseline"
)

// Branch is a branch of the repository that is read and written through the Git data API, without a clone: a baseline.Repository.
// The token needs contents: read, and contents: write to advance it.
type Branch struct {
	*Client
	name string
}

// Branch returns a branch, which need not exist.
func (c *Client) Branch(name string) *Branch { return &Branch{c, name} }

const (
	fileMode  = "100644"
	maxRecord = 64 << 20 // bytes of a file that is read
)

// Tip returns the commit that the branch is at, "" if there is no such branch.
func (b *Branch) Tip(ctx context.Context) (string, error) { return b.Client.Tip(ctx, b.name) }

// Files lists the files below a folder of a commit, or all of them if it is "". The API cuts listings off, which is a
// baseline.ErrTooMany here: records that cannot be seen would look as if there were none.
func (b *Branch) Files(ctx context.Context, commit, folder string) ([]string, error) {
	tree, prefix := commit, ""
	if folder != "" {
		var err error
		if tree, err = b.object(ctx, commit, folder); err != nil || tree == "" {
			return nil, err
		}
		prefix = folder + "/"
	}
	listing, err := b.list(ctx, tree, true)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range listing.Entries {
		if e.GetType() == "blob" { // a file or a link
			files = append(files, prefix+e.GetPath())
		}
	}
	if listing.GetTruncated() {
		return files, fmt.Errorf("branch %s has %w: remove old ones (perfgate baseline prune)", b.name, baseline.ErrTooMany)
	}
	return files, nil
}

// list lists a commit or a folder; recursive includes what is in its folders. GitHub lists at most 100 000 entries and 7 MB.
func (b *Branch) list(ctx context.Context, tree string, recursive bool) (*gh.Tree, error) {
	listing, _, err := b.api.Git.GetTree(ctx, b.owner, b.repo, tree, recursive)
	return listing, explain(err, fmt.Sprintf("list the files of %.80q", tree), "contents: read", isThere)
}

// object is what a tree has under a name, "" if that is nothing.
func (b *Branch) object(ctx context.Context, tree, name string) (string, error) {
	listing, err := b.list(ctx, tree, false)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(listing.Entries, func(e *gh.TreeEntry) bool { return e.GetPath() == name })
	if i < 0 {
		return "", nil
	}
	return listing.Entries[i].GetSHA(), nil
}

// Read returns a file of a commit; the error wraps baseline.ErrNotFound if it has none.
func (b *Branch) Read(ctx context.Context, commit, path string) ([]byte, error) {
	object := commit
	for name := range strings.SplitSeq(path, "/") {
		var err error
		if object, err = b.object(ctx, object, name); err != nil {
			return nil, err
		}
		if object == "" {
			return nil, fmt.Errorf("%s: %w", path, baseline.ErrNotFound)
		}
	}
	return b.blob(ctx, object)
}

// blob returns an object's content.
func (b *Branch) blob(ctx context.Context, sha string) ([]byte, error) {
	what := fmt.Sprintf("read the object %.12q", sha)
	blob, _, err := b.api.Git.GetBlob(ctx, b.owner, b.repo, sha)
	switch {
	case err != nil:
		return nil, explain(err, what, "contents: read", isThere)
	case blob.GetSize() > maxRecord:
		return nil, fmt.Errorf("%s: it is larger than %d MiB", what, maxRecord>>20)
	case blob.GetEncoding() != "base64":
		return nil, fmt.Errorf("%s: GitHub sends it as %.20q", what, blob.GetEncoding())
	}
	content, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(blob.GetContent(), "\n", ""))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return content, nil
}

// Advance makes blobs, a tree and a commit, and moves the branch from tip if that is a fast-forward. The error wraps
// baseline.ErrMoved if another writer was faster, or GitHub is busy.
func (b *Branch) Advance(ctx context.Context, tip string, changes map[string][]byte, message string) error {
	err := b.advance(ctx, tip, changes, message)
	switch status(err) {
	case http.StatusConflict, http.StatusUnprocessableEntity, // a busy repository; no fast-forward, or a branch that exists
		http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return fmt.Errorf("%w: %w", baseline.ErrMoved, err)
	}
	return explain(err, fmt.Sprintf("write the branch %.100q", b.name), "contents: write", isThere)
}

func (b *Branch) advance(ctx context.Context, tip string, changes map[string][]byte, message string) error {
	entries, err := b.entries(ctx, changes)
	if err != nil {
		return err
	}
	tree, _, err := b.api.Git.CreateTree(ctx, b.owner, b.repo, tip, entries)
	if err != nil {
		return err
	}
	draft := &gh.Commit{Message: gh.String(message), Tree: tree}
	if tip != "" {
		draft.Parents = []*gh.Commit{{SHA: gh.String(tip)}}
	}
	commit, _, err := b.api.Git.CreateCommit(ctx, b.owner, b.repo, draft, nil)
	if err != nil {
		return err
	}
	ref := &gh.Reference{Ref: gh.String("refs/heads/" + b.name), Object: &gh.GitObject{SHA: commit.SHA}}
	if tip == "" {
		_, _, err = b.api.Git.CreateRef(ctx, b.owner, b.repo, ref)
	} else {
		_, _, err = b.api.Git.UpdateRef(ctx, b.owner, b.repo, ref, false)
	}
	return err
}

// entries stores the files of a change; what is to be removed has no object.
func (b *Branch) entries(ctx context.Context, changes map[string][]byte) ([]*gh.TreeEntry, error) {
	var out []*gh.TreeEntry
	for path, data := range changes {
		e := &gh.TreeEntry{Path: gh.String(path), Mode: gh.String(fileMode), Type: gh.String("blob")}
		if data != nil {
			content := base64.StdEncoding.EncodeToString(data)
			blob, _, err := b.api.Git.CreateBlob(ctx, b.owner, b.repo, &gh.Blob{Content: &content, Encoding: gh.String("base64")})
			if err != nil {
				return nil, err
			}
			e.SHA = blob.SHA
		}
		out = append(out, e)
	}
	return out, nil
}
