package baseline

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// GitHub is a branch written through the Git data API: get ref, tree, commit, update ref with force=false. It needs no
// clone and works with the token of a workflow (contents: write).
type GitHub struct {
	API        string // such as https://api.github.com
	Repository string // owner/name
	Branch     string
	Token      string       // "" reads public repositories
	Client     *http.Client // nil is http.DefaultClient
}

// statusError is an answer that is no success.
type statusError struct {
	method, path string
	status       int
	message      string
}

func (e *statusError) Error() string {
	text := fmt.Sprintf("%s %s: %d %s", e.method, e.path, e.status, e.message)
	if e.status == http.StatusForbidden && strings.Contains(e.message, "not accessible by integration") {
		text += " (the job needs permissions: contents: write)"
	}
	return text
}

func hasStatus(err error, statuses ...int) bool {
	var s *statusError
	if !errors.As(err, &s) {
		return false
	}
	for _, status := range statuses {
		if s.status == status {
			return true
		}
	}
	return false
}

// Tip returns the commit that the branch is at.
func (g *GitHub) Tip(ctx context.Context) (string, error) {
	var ref struct {
		Object struct {
			SHA string `json:"sha"`
		} `json:"object"`
	}
	err := g.call(ctx, http.MethodGet, "ref/heads/"+pathOf(g.Branch), nil, &ref)
	if hasStatus(err, http.StatusNotFound, http.StatusConflict) { // 409: an empty repository
		return "", nil
	}
	return ref.Object.SHA, err
}

// entry is a line of a tree.
type entry struct {
	Path string  `json:"path"`
	Mode string  `json:"mode"`
	Type string  `json:"type"`
	SHA  *string `json:"sha"` // null removes the path
}

type treeReply struct {
	SHA       string  `json:"sha"`
	Tree      []entry `json:"tree"`
	Truncated bool    `json:"truncated"`
}

// Files lists a folder of a commit. The API cuts listings at 100 000 files, which is an error here: records that cannot
// be seen would look as if there were none.
func (g *GitHub) Files(ctx context.Context, commit, folder string) ([]string, error) {
	sha, err := g.folder(ctx, commit, folder)
	if err != nil || sha == "" {
		return nil, err
	}
	var t treeReply
	if err := g.call(ctx, http.MethodGet, "trees/"+sha+"?recursive=1", nil, &t); err != nil {
		return nil, err
	}
	var files []string
	for _, e := range t.Tree {
		if e.Type != "blob" {
			continue
		}
		if folder != "" {
			e.Path = folder + "/" + e.Path
		}
		files = append(files, e.Path)
	}
	if t.Truncated {
		return files, fmt.Errorf("branch %s has %w: remove old ones (perfgate baseline prune)", g.Branch, errTooMany)
	}
	return files, nil
}

// errTooMany comes with the part of a listing that there is.
var errTooMany = errors.New("too many records for one listing")

// folder returns the tree of a folder at the root of a commit, "" if there is none.
func (g *GitHub) folder(ctx context.Context, commit, folder string) (string, error) {
	if folder == "" {
		return commit, nil
	}
	e, err := g.entry(ctx, commit, folder)
	if err != nil || e == nil || e.SHA == nil || e.Type != "tree" {
		return "", err
	}
	return *e.SHA, nil
}

// entry finds a name in a tree; nil if it is not there.
func (g *GitHub) entry(ctx context.Context, tree, name string) (*entry, error) {
	var t treeReply
	if err := g.call(ctx, http.MethodGet, "trees/"+tree, nil, &t); err != nil {
		return nil, err
	}
	for i := range t.Tree {
		if t.Tree[i].Path == name {
			return &t.Tree[i], nil
		}
	}
	return nil, nil
}

// Read returns a file of a commit.
func (g *GitHub) Read(ctx context.Context, commit, path string) ([]byte, error) {
	folder, name, _ := strings.Cut(path, "/")
	tree, err := g.folder(ctx, commit, folder)
	if err != nil {
		return nil, err
	}
	var e *entry
	if tree != "" {
		if e, err = g.entry(ctx, tree, name); err != nil {
			return nil, err
		}
	}
	if e == nil || e.SHA == nil {
		return nil, fmt.Errorf("%s: %w", path, ErrNotFound)
	}
	var blob struct {
		Content  string `json:"content"`
		Encoding string `json:"encoding"`
	}
	if err := g.call(ctx, http.MethodGet, "blobs/"+*e.SHA, nil, &blob); err != nil {
		return nil, err
	}
	if blob.Encoding != "base64" {
		return nil, fmt.Errorf("%s: blob in encoding %.20q", path, blob.Encoding)
	}
	return base64.StdEncoding.DecodeString(strings.ReplaceAll(blob.Content, "\n", ""))
}

// Advance makes blobs, a tree and a commit, and moves the branch if that is a fast-forward.
func (g *GitHub) Advance(ctx context.Context, tip string, changes map[string][]byte, message string) error {
	tree, err := g.makeTree(ctx, tip, changes)
	if err != nil {
		return moved(err)
	}
	parents := []string{}
	if tip != "" {
		parents = append(parents, tip)
	}
	commit, err := g.make(ctx, "commits", map[string]any{"message": message, "tree": tree, "parents": parents})
	if err != nil {
		return moved(err)
	}
	if tip == "" {
		return moved(g.call(ctx, http.MethodPost, "refs", map[string]any{"ref": "refs/heads/" + g.Branch, "sha": commit}, nil))
	}
	update := map[string]any{"sha": commit, "force": false}
	return moved(g.call(ctx, http.MethodPatch, "refs/heads/"+pathOf(g.Branch), update, nil))
}

// moved marks the answers to a lost race: 422 "not a fast forward" and "already exists", 409 for a busy repository; and
// 5xx, after which trying again is as right.
func moved(err error) error {
	if hasStatus(err, 409, 422, 500, 502, 503, 504) {
		return fmt.Errorf("%w: %w", ErrMoved, err)
	}
	return err
}

func (g *GitHub) makeTree(ctx context.Context, tip string, changes map[string][]byte) (string, error) {
	body := map[string]any{}
	if tip != "" {
		body["base_tree"] = tip
	}
	var entries []entry
	for path, data := range changes {
		e := entry{Path: path, Mode: "100644", Type: "blob"}
		if data != nil {
			sha, err := g.make(ctx, "blobs", map[string]any{"content": base64.StdEncoding.EncodeToString(data), "encoding": "base64"})
			if err != nil {
				return "", err
			}
			e.SHA = &sha
		}
		entries = append(entries, e)
	}
	body["tree"] = entries
	return g.make(ctx, "trees", body)
}

// make posts an object and returns its hash.
func (g *GitHub) make(ctx context.Context, what string, body any) (string, error) {
	var made struct {
		SHA string `json:"sha"`
	}
	err := g.call(ctx, http.MethodPost, what, body, &made)
	return made.SHA, err
}

// pathOf escapes a branch for a URL; its slashes stay.
func pathOf(branch string) string {
	parts := strings.Split(branch, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}
