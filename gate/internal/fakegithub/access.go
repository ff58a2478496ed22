package fakegithub

import (
	"net/http"
	"strings"
)

// grants are what operations need of a token, as docs.github.com lists them; all others need contents: read. Where two
// are named, one is enough.
var grants = map[string][]string{
	"issues/list-comments":                    {"issues:read", "pull-requests:read"},
	"issues/create-comment":                   {"issues:write", "pull-requests:write"},
	"issues/update-comment":                   {"issues:write", "pull-requests:write"},
	"issues/list-for-repo":                    {"issues:read"},
	"issues/create":                           {"issues:write"},
	"issues/update":                           {"issues:write"},
	"issues/list-events":                      {"issues:read", "pull-requests:read"},
	"pulls/list":                              {"pull-requests:read"},
	"pulls/get":                               {"pull-requests:read"},
	"checks/create":                           {"checks:write"},
	"checks/update":                           {"checks:write"},
	"checks/list-for-ref":                     {"checks:read"},
	"repos/create-commit-status":              {"statuses:write"},
	"repos/list-commit-statuses-for-ref":      {"statuses:read"},
	"repos/get-collaborator-permission-level": {"metadata:read"},
	"actions/list-workflow-run-artifacts":     {"actions:read"},
	"actions/download-artifact":               {"actions:read"},
}

// admit finds out who calls, and refuses what the token may not do. Public repositories are read without any grant.
func (s *Server) admit(c *call) (Identity, *answer) {
	var who Identity
	header := c.Header.Get("Authorization")
	if header != "" {
		token := strings.TrimPrefix(strings.TrimPrefix(header, "Bearer "), "token ")
		known, ok := s.tokens[token]
		if !ok {
			return who, message(http.StatusUnauthorized, "Bad credentials")
		}
		who = known
	}
	needs := grants[c.operation()]
	if needs == nil {
		needs = []string{"contents:read"}
	}
	for _, need := range needs {
		scope, level, _ := strings.Cut(need, ":")
		have := who.Grants[scope]
		if have == "write" || have == level || level == "read" && !s.o.Private || scope == "metadata" && header != "" {
			return who, nil
		}
	}
	switch {
	case header == "" && !s.o.Private:
		return who, message(http.StatusUnauthorized, "Requires authentication")
	case s.o.Private && len(who.Grants) == 0:
		return who, message(http.StatusNotFound, "Not Found")
	}
	return who, message(http.StatusForbidden, "Resource not accessible by integration")
}
