package fakegithub

import (
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// operations are those that are served, by GitHub's names, with what they need of a token, as docs.github.com lists it. Where two grants are named, one
// is enough.
var operations = map[string]struct {
	serve func(*Server, *call, Identity) *answer
	needs []string
}{
	"repos/list-activities":                   {(*Server).listActivities, []string{"contents:read"}},
	"repos/get-collaborator-permission-level": {(*Server).getPermission, []string{"metadata:read"}},
	"repos/create-commit-status":              {(*Server).createStatus, []string{"statuses:write"}},
	"repos/list-commit-statuses-for-ref":      {(*Server).listStatuses, []string{"statuses:read"}},
	"repos/compare-commits-with-basehead":     {(*Server).compare, []string{"contents:read"}},
	"issues/list-comments":                    {(*Server).listComments, []string{"issues:read", "pull-requests:read"}},
	"issues/create-comment":                   {(*Server).createComment, []string{"issues:write", "pull-requests:write"}},
	"issues/update-comment":                   {(*Server).updateComment, []string{"issues:write", "pull-requests:write"}},
	"issues/list-for-repo":                    {(*Server).listIssues, []string{"issues:read"}},
	"issues/create":                           {(*Server).createIssue, []string{"issues:write"}},
	"issues/update":                           {(*Server).updateIssue, []string{"issues:write"}},
	"issues/list-events":                      {(*Server).listEvents, []string{"issues:read", "pull-requests:read"}},
	"pulls/list":                              {(*Server).listPulls, []string{"pull-requests:read"}},
	"pulls/get":                               {(*Server).getPull, []string{"pull-requests:read"}},
	"checks/create":                           {(*Server).createCheck, []string{"checks:write"}},
	"checks/update":                           {(*Server).updateCheck, []string{"checks:write"}},
	"checks/list-for-ref":                     {(*Server).listChecks, []string{"checks:read"}},
	"actions/list-workflow-run-artifacts":     {(*Server).listArtifacts, []string{"actions:read"}},
	"actions/download-artifact":               {(*Server).downloadArtifact, []string{"actions:read"}},
}

func notFound() *answer { return message(http.StatusNotFound, "Not Found") }

// handle serves an operation on the repository; of others, forks, only the pushes are known.
func (s *Server) handle(c *call, who Identity) *answer {
	serve := operations[c.operation()].serve
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

// find is the first of a list that is wanted; nil where none is.
func find[T any](all []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i]
	}
	return nil
}

// copies are those of a list that are wanted, for a test to look at.
func copies[T any](s *Server, all *[]*T, wanted func(*T) bool) (out []T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range *all {
		if wanted(one) {
			out = append(out, *one)
		}
	}
	return out
}

// list answers with a page of those that are wanted; under a key, where it is not "", and with their number.
func list[T any](s *Server, c *call, key string, all iter.Seq[T], wanted func(T) bool, json func(T, *Server) map[string]any) *answer {
	found := []map[string]any{}
	for one := range all {
		if wanted(one) {
			found = append(found, json(one, s))
		}
	}
	part, header := page(c, found)
	if key == "" {
		return &answer{status: http.StatusOK, header: header, body: part}
	}
	return &answer{status: http.StatusOK, header: header, body: map[string]any{"total_count": len(found), key: part}}
}

// backward goes through a list, the newest first.
func backward[T any](all []T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, one := range slices.Backward(all) {
			if !yield(one) {
				return
			}
		}
	}
}

func every[T any](T) bool { return true }

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
	if strings.HasSuffix(login, "[bot]") {
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
