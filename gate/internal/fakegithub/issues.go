package fakegithub

import (
	"fmt"
	"slices"
)

// Issue is an issue of the repository.
type Issue struct {
	Number    int
	Author    string
	Title     string
	Body      string
	Closed    bool
	Edits     int
	Labels    []string
	Assignees []string
}

// AddIssue opens an issue of an account, and returns its number.
func (s *Server) AddIssue(author, title, body string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addIssue(Issue{Author: author, Title: title, Body: body}).Number
}

func (s *Server) addIssue(i Issue) *Issue {
	i.Number = 1000 + len(s.issues) // pull requests have the numbers below
	s.issues = append(s.issues, &i)
	s.tick()
	return &i
}

// Issues are all issues, oldest first.
func (s *Server) Issues() []Issue { return copies(s, &s.issues, every) }

func (s *Server) issue(number int) *Issue {
	return find(s.issues, func(i *Issue) bool { return i.Number == number })
}

func (i *Issue) json(s *Server) map[string]any {
	state := map[bool]string{false: "open", true: "closed"}[i.Closed]
	return map[string]any{"number": i.Number, "title": i.Title, "body": i.Body, "state": state, "user": user(i.Author),
		"html_url": fmt.Sprintf("https://github.example/%s/issues/%d", s.fullName(), i.Number)}
}

func (s *Server) listIssues(c *call, _ Identity) *answer {
	state, creator := c.URL.Query().Get("state"), c.URL.Query().Get("creator")
	return list(s, c, "", slices.Values(s.issues), func(i *Issue) bool {
		return (state == "all" || i.Closed == (state == "closed")) && (creator == "" || creator == i.Author)
	}, (*Issue).json)
}

func (s *Server) createIssue(c *call, who Identity) *answer {
	var in struct {
		Title, Body       string
		Labels, Assignees []string
	}
	c.decode(&in)
	for _, login := range in.Assignees {
		if s.levels[login] == "" {
			return invalid("Issue", "assignees", "assignees is invalid")
		}
	}
	return created(s.addIssue(Issue{Author: who.Login, Title: in.Title, Body: in.Body, Labels: in.Labels, Assignees: in.Assignees}).json(s))
}

func (s *Server) updateIssue(c *call, _ Identity) *answer {
	i := s.issue(int(c.number("issue_number")))
	if i == nil {
		return notFound()
	}
	var in struct{ Body, State string }
	c.decode(&in)
	i.Body, i.Closed = in.Body, in.State == "closed"
	i.Edits++
	s.tick()
	return ok(i.json(s))
}
