package fakegithub

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// run is a workflow run, of which nothing is asked but what it kept.
type run struct {
	id        int64
	artifacts []*artifact
}

// artifact is a file that a run kept.
type artifact struct {
	id   int64
	name string
	zip  []byte
}

// AddRun records a workflow run and returns its ID.
func (s *Server) AddRun() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tick()
	s.runs = append(s.runs, &run{id: s.id()})
	return s.lastID
}

// AddArtifact keeps a zip with a run and returns its ID, 0 if there is no such run. The content is not looked at.
func (s *Server) AddArtifact(runID int64, name string, zip []byte) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.run(runID)
	if r == nil {
		return 0
	}
	r.artifacts = append(r.artifacts, &artifact{id: s.id(), name: name, zip: zip})
	return s.lastID
}

func (s *Server) run(id int64) *run { return find(s.runs, func(r *run) bool { return r.id == id }) }

func (s *Server) artifact(id int64) *artifact {
	for _, r := range s.runs {
		if a := find(r.artifacts, func(a *artifact) bool { return a.id == id }); a != nil {
			return a
		}
	}
	return nil
}

func (a *artifact) json(s *Server) map[string]any {
	url := fmt.Sprintf("https://api.github.example/repos/%s/actions/artifacts/%d", s.fullName(), a.id)
	return map[string]any{"id": a.id, "name": a.name, "size_in_bytes": len(a.zip), "expired": false,
		"url": url, "archive_download_url": url + "/zip"}
}

func (s *Server) listArtifacts(c *call, _ Identity) *answer {
	r := s.run(c.number("run_id"))
	if r == nil {
		return notFound()
	}
	return list(s, c, "artifacts", slices.Values(r.artifacts), every, (*artifact).json)
}

// downloadArtifact redirects to the store, which is this server under another path; it must not be shown the token.
func (s *Server) downloadArtifact(c *call, _ Identity) *answer {
	a := s.artifact(c.number("artifact_id"))
	if a == nil {
		return notFound()
	}
	return &answer{status: http.StatusFound, header: map[string]string{"Location": fmt.Sprintf("http://%s/_fake/store/%d", c.Host, a.id)}}
}

// file serves the store.
func (s *Server) file(r *http.Request) ([]byte, bool) {
	id, err := strconv.ParseInt(strings.TrimPrefix(r.URL.Path, "/_fake/store/"), 10, 64)
	if err != nil {
		return nil, false
	}
	a := s.artifact(id)
	if a == nil {
		return nil, false
	}
	if r.Header.Get("Authorization") != "" {
		s.problems = append(s.problems, "the store was shown a token")
	}
	return a.zip, true
}
