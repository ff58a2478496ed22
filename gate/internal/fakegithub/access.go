package fakegithub

import (
	"net/http"
	"strings"
)

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
	operation, served := operations[c.operation()]
	if !served {
		return who, nil
	}
	for _, need := range operation.needs {
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
