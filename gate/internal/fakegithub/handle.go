package fakegithub

import (
	"net/http"
	"net/url"
	"strconv"
)

// handlers serve the operations, by GitHub's names.
var handlers = map[string]func(*Server, *call, Identity) *answer{
	"repos/list-activities":                   (*Server).listActivities,
	"repos/get-collaborator-permission-level": (*Server).getPermission,
	"repos/create-commit-status":              (*Server).createStatus,
	"repos/list-commit-statuses-for-ref":      (*Server).listStatuses,
	"repos/compare-commits-with-basehead":     (*Server).compare,
	"issues/list-comments":                    (*Server).listComments,
	"issues/create-comment":                   (*Server).createComment,
	"issues/update-comment":                   (*Server).updateComment,
	"issues/list-for-repo":                    (*Server).listIssues,
	"issues/create":                           (*Server).createIssue,
	"issues/update":                           (*Server).updateIssue,
	"issues/list-events":                      (*Server).listEvents,
	"pulls/list":                              (*Server).listPulls,
	"pulls/get":                               (*Server).getPull,
	"checks/create":                           (*Server).createCheck,
	"checks/update":                           (*Server).updateCheck,
	"checks/list-for-ref":                     (*Server).listChecks,
	"actions/list-workflow-run-artifacts":     (*Server).listArtifacts,
	"actions/download-artifact":               (*Server).downloadArtifact,
}

func notFound() *answer { return message(http.StatusNotFound, "Not Found") }

// handle serves an operation on the repository; of others, forks, only the pushes are known.
func (s *Server) handle(c *call, who Identity) *answer {
	serve := handlers[c.operation()]
	if serve == nil {
		s.problems = append(s.problems, c.operation()+" is described, but this fake does not serve it")
		return notFound()
	}
	if c.text("owner")+"/"+c.text("repo") != s.fullName() && c.operation() != "repos/list-activities" {
		return notFound()
	}
	return serve(s, c, who)
}

// text is a parameter of the path.
func (c *call) text(name string) string {
	value := c.params[name]
	if plain, err := url.PathUnescape(value); err == nil {
		return plain
	}
	return value
}

// number is a parameter of the path that the description has as an integer.
func (c *call) number(name string) int64 {
	n, _ := strconv.ParseInt(c.params[name], 10, 64)
	return n
}

func ok(body any) *answer      { return &answer{status: http.StatusOK, body: body} }
func created(body any) *answer { return &answer{status: http.StatusCreated, body: body} }

// invalid is how GitHub answers what it understands and does not want.
func invalid(resource, field, text string) *answer {
	a := message(http.StatusUnprocessableEntity, "Validation Failed")
	a.body.(map[string]any)["errors"] = []map[string]any{{"resource": resource, "code": "custom", "field": field, "message": text}}
	return a
}

// page cuts a list to the page that is asked for, and links the others.
func page[T any](c *call, all []T) (part []T, header map[string]string) {
	query := c.URL.Query()
	size := atLeast(1, query.Get("per_page"), 30)
	size = min(size, 100)
	number := atLeast(1, query.Get("page"), 1)
	last := max(1, (len(all)+size-1)/size)
	start := min(len(all), (number-1)*size)
	part = append([]T{}, all[start:min(len(all), start+size)]...)
	link := ""
	add := func(n int, rel string) {
		query.Set("page", strconv.Itoa(n))
		if link != "" {
			link += ", "
		}
		link += "<http://" + c.Host + c.URL.Path + "?" + query.Encode() + `>; rel="` + rel + `"`
	}
	if number > 1 {
		add(number-1, "prev")
		add(1, "first")
	}
	if number < last {
		add(number+1, "next")
		add(last, "last")
	}
	if link == "" {
		return part, nil
	}
	return part, map[string]string{"Link": link}
}

func atLeast(least int, text string, otherwise int) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return otherwise
	}
	return max(least, n)
}

func (s *Server) repository() map[string]any {
	return map[string]any{"id": s.o.ID, "name": s.o.Repo, "full_name": s.fullName(), "private": s.o.Private, "fork": false,
		"default_branch": s.o.DefaultBranch, "owner": user(s.o.Owner)}
}

func user(login string) map[string]any {
	kind := "User"
	if len(login) > 5 && login[len(login)-5:] == "[bot]" {
		kind = "Bot"
	}
	return map[string]any{"login": login, "type": kind}
}

// SetPermission says what an account may do in the repository: admin, write, read or none. Unknown people may read
// what is public.
func (s *Server) SetPermission(login, level string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.levels[login] = level
}

func (s *Server) getPermission(c *call, _ Identity) *answer {
	login := c.text("username")
	level, known := s.levels[login]
	switch {
	case !known && s.o.Private:
		return notFound()
	case !known:
		level = "read"
	}
	return ok(map[string]any{"permission": level, "role_name": level, "user": user(login)})
}
