package github

import (
	"context"
	"fmt"
	"io"
	"net/http"

	gh "github.com/google/go-github/v60/github"
)

// mostArtifacts is how many artifacts of a run are listed: a workflow can keep any number.
const mostArtifacts = 500

// Artifacts lists what a workflow run kept; an error if that is over 500 files.
func (c *Client) Artifacts(ctx context.Context, runID int64) ([]Artifact, error) {
	what := fmt.Sprintf("list the artifacts of workflow run %d", runID)
	opt := &gh.ListOptions{PerPage: 100}
	var out []Artifact
	for page, err := range pages(opt, func() (*gh.ArtifactList, *gh.Response, error) {
		return c.api.Actions.ListWorkflowRunArtifacts(ctx, c.owner, c.repo, runID, opt)
	}) {
		if err != nil {
			return nil, explain(err, what, "actions: read", mayBeHidden)
		}
		for _, a := range page.Artifacts {
			out = append(out, Artifact{ID: a.GetID(), Name: a.GetName(), Expired: a.GetExpired()})
		}
		if len(out) > mostArtifacts {
			return nil, fmt.Errorf("%s: over %d", what, mostArtifacts)
		}
	}
	return out, nil
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

// DownloadArtifact returns the zip of an artifact, an error if it has more than maxBytes. Its content is untrusted. The
// address that GitHub redirects to is at another host, which does not get the token; that
// request is none of the API's and is not counted.
func (c *Client) DownloadArtifact(ctx context.Context, id, maxBytes int64) ([]byte, error) {
	what := fmt.Sprintf("download artifact %d", id)
	at, reply, err := c.api.Actions.DownloadArtifact(ctx, c.owner, c.repo, id, 1)
	if err != nil {
		if reply != nil && reply.Response != nil {
			err = &gh.ErrorResponse{Response: reply.Response, Message: err.Error()}
		}
		return nil, explain(err, what, "actions: read", mayBeHidden)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	file, err := c.plain.Do(request)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	defer file.Body.Close()
	if file.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: the store answers %d", what, file.StatusCode)
	}
	data, err := io.ReadAll(io.LimitReader(file.Body, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if int64(len(data)) > maxBytes {
		return nil, fmt.Errorf("%s: over %d bytes", what, maxBytes)
	}
	return data, nil
}
