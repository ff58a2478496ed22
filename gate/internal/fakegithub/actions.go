package fakegithub

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Run is a workflow run.
type Run struct {
	ID         int64
	Name       string
	HeadSHA    string
	HeadBranch string
	Event      string
	Status     string // "" is completed
	Conclusion string // "" is success
	Created    time.Time
	Artifacts  []Artifact
}

// Artifact is a file that a run kept.
type Artifact struct {
	ID      int64
	Name    string
	Zip     []byte `json:"-"`
	Expired bool
}

// AddRun records a workflow run and returns its ID.
func (s *Server) AddRun(r Run) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.ID == 0 {
		r.ID = s.id()
	}
	if r.Status == "" {
		r.Status = "completed"
	}
	if r.Conclusion == "" {
		r.Conclusion = "success"
	}
	r.Created = s.tick()
	s.runs = append(s.runs, &r)
	return r.ID
}

// AddArtifact keeps a zip with a run and returns its ID, 0 if there is no such run. The content is not looked at.
func (s *Server) AddArtifact(run int64, name string, zip []byte) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.run(run)
	if r == nil {
		return 0
	}
	r.Artifacts = append(r.Artifacts, Artifact{ID: s.id(), Name: name, Zip: zip})
	return s.lastID
}

func (s *Server) run(id int64) *Run {
	for _, r := range s.runs {
		if r.ID == id {
			return r
		}
	}
	return nil
}

func (s *Server) artifact(id int64) *Artifact {
	for _, r := range s.runs {
		for i := range r.Artifacts {
			if r.Artifacts[i].ID == id {
				return &r.Artifacts[i]
			}
		}
	}
	return nil
}

func (a *Artifact) json(s *Server) map[string]any {
	url := fmt.Sprintf("https://api.github.example/repos/%s/actions/artifacts/%d", s.fullName(), a.ID)
	return map[string]any{"id": a.ID, "name": a.Name, "size_in_bytes": len(a.Zip), "expired": a.Expired,
		"url": url, "archive_download_url": url + "/zip"}
}

func (s *Server) listArtifacts(c *call, _ Identity) *answer {
	r := s.run(c.number("run_id"))
	if r == nil {
		return notFound()
	}
	list := []map[string]any{}
	for i := range r.Artifacts {
		list = append(list, r.Artifacts[i].json(s))
	}
	part, header := page(c, list)
	return &answer{status: 200, header: header, body: map[string]any{"total_count": len(list), "artifacts": part}}
}

// downloadArtifact redirects to the store, which is this server under another path; it must not be shown the token.
func (s *Server) downloadArtifact(c *call, _ Identity) *answer {
	a := s.artifact(c.number("artifact_id"))
	switch {
	case a == nil:
		return notFound()
	case a.Expired:
		return message(http.StatusGone, "Artifact has expired")
	}
	return &answer{status: http.StatusFound, header: map[string]string{"Location": fmt.Sprintf("http://%s/_fake/store/%d", c.Host, a.ID)}}
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
	return a.Zip, true
}
