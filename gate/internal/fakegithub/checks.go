package fakegithub

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Check is a check run.
type Check struct {
	ID          int64
	SHA         string
	Name        string
	ExternalID  string
	Status      string
	Conclusion  string
	DetailsURL  string
	Title       string
	Summary     string
	Text        string
	Annotations []Annotation
	App         string // whose token made it
}

// Annotation is one of a check run's.
type Annotation struct {
	Path      string `json:"path"`
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
	Level     string `json:"annotation_level"`
	Title     string `json:"title"`
	Message   string `json:"message"`
}

// Status is a commit status.
type Status struct {
	ID          int64
	SHA         string
	Context     string
	State       string
	Description string
	TargetURL   string
	Creator     string
	Created     time.Time
}

// Checks returns the check runs of a commit, oldest first.
func (s *Server) Checks(sha string) []Check {
	return copies(s, &s.checks, func(c *Check) bool { return c.SHA == sha })
}

// Statuses returns the statuses of a commit, oldest first.
func (s *Server) Statuses(sha string) []Status {
	return copies(s, &s.statuses, func(one *Status) bool { return one.SHA == sha })
}

// incoming is the body of a request that makes or changes a check run.
type incoming struct {
	Name       string `json:"name"`
	HeadSHA    string `json:"head_sha"`
	ExternalID string `json:"external_id"`
	Status     string `json:"status"`
	Conclusion string `json:"conclusion"`
	DetailsURL string `json:"details_url"`
	Output     *struct {
		Title       string       `json:"title"`
		Summary     string       `json:"summary"`
		Text        string       `json:"text"`
		Annotations []Annotation `json:"annotations"`
	} `json:"output"`
}

const maxCheckText = 65535 // bytes; the description says characters, the answer "maximum bytesize"

// take puts what came into a check run; nil if GitHub would take it.
func (c *Check) take(in incoming) *answer {
	if in.Output != nil {
		for field, text := range map[string]string{"summary": in.Output.Summary, "text": in.Output.Text} {
			if len(text) > maxCheckText {
				return invalid("CheckRun", field, field+" exceeds a maximum bytesize of 65535")
			}
		}
		if len(in.Output.Annotations) > 50 {
			return invalid("CheckRun", "annotations", "annotations exceeds a maximum quantity of 50")
		}
		for _, a := range in.Output.Annotations {
			if utf8.RuneCountInString(a.Title) > 255 || len(a.Message) > 64<<10 || a.StartLine < 1 || a.EndLine < a.StartLine {
				return invalid("CheckRun", "annotations", "annotation is too long or has no lines")
			}
		}
		c.Title, c.Summary, c.Text = in.Output.Title, in.Output.Summary, in.Output.Text
		c.Annotations = append(c.Annotations, in.Output.Annotations...)
	}
	c.Status, c.Conclusion, c.DetailsURL = cmp.Or(in.Status, c.Status), cmp.Or(in.Conclusion, c.Conclusion), cmp.Or(in.DetailsURL, c.DetailsURL)
	c.ExternalID, c.Name = cmp.Or(in.ExternalID, c.ExternalID), cmp.Or(in.Name, c.Name)
	return nil
}

func (c *Check) json(s *Server) map[string]any {
	return map[string]any{"id": c.ID, "head_sha": c.SHA, "name": c.Name, "external_id": c.ExternalID, "status": c.Status, "conclusion": orNull(c.Conclusion),
		"html_url": fmt.Sprintf("https://github.example/%s/runs/%d", s.fullName(), c.ID), "details_url": orNull(c.DetailsURL), "pull_requests": []any{}, "app": map[string]any{"slug": c.App},
		"output": map[string]any{"title": orNull(c.Title), "summary": orNull(c.Summary), "text": orNull(c.Text), "annotations_count": len(c.Annotations)},
	}
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func (s *Server) createCheck(c *call, who Identity) *answer {
	var in incoming
	c.decode(&in)
	run := &Check{ID: s.id(), SHA: in.HeadSHA, Status: "queued", App: strings.TrimSuffix(who.Login, "[bot]")}
	s.tick()
	if a := run.take(in); a != nil {
		return a
	}
	s.checks = append(s.checks, run)
	return created(run.json(s))
}

func (s *Server) updateCheck(c *call, _ Identity) *answer {
	run := find(s.checks, func(run *Check) bool { return run.ID == c.number("check_run_id") })
	if run == nil {
		return notFound()
	}
	var in incoming
	c.decode(&in)
	if a := run.take(in); a != nil {
		return a
	}
	s.tick()
	return ok(run.json(s))
}

// listChecks lists the newest first; without filter=all only the newest of each name.
func (s *Server) listChecks(c *call, _ Identity) *answer {
	query, seen := c.URL.Query(), map[string]bool{}
	return list(s, c, "check_runs", backward(s.checks), func(run *Check) bool {
		if run.SHA != c.text("ref") || query.Has("check_name") && run.Name != query.Get("check_name") || query.Get("filter") != "all" && seen[run.Name] {
			return false
		}
		seen[run.Name] = true
		return true
	}, (*Check).json)
}

func (s *Server) createStatus(c *call, who Identity) *answer {
	var in struct {
		State       string
		Context     string
		Description string
		TargetURL   string `json:"target_url"`
	}
	c.decode(&in)
	if utf8.RuneCountInString(in.Description) > 140 {
		return invalid("Status", "description", "description is too long (maximum is 140 characters)")
	}
	one := &Status{ID: s.id(), SHA: c.text("sha"), Context: cmp.Or(in.Context, "default"), State: in.State, Description: in.Description,
		TargetURL: in.TargetURL, Creator: who.Login, Created: s.tick()}
	s.statuses = append(s.statuses, one)
	return created(one.json(s))
}

func (one *Status) json(*Server) map[string]any {
	return map[string]any{"id": one.ID, "state": one.State, "context": one.Context, "description": orNull(one.Description),
		"target_url": orNull(one.TargetURL), "creator": user(one.Creator), "created_at": stamp(one.Created), "updated_at": stamp(one.Created)}
}

// listStatuses lists the newest first.
func (s *Server) listStatuses(c *call, _ Identity) *answer {
	return list(s, c, "", backward(s.statuses), func(one *Status) bool { return strings.EqualFold(one.SHA, c.text("ref")) }, (*Status).json)
}
