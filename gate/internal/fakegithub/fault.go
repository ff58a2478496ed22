package fakegithub

import (
	"fmt"
	"net/http"
	"regexp"
	"time"
)

// Kind is a way for a request to fail.
type Kind int

// Kinds of faults.
const (
	Forbidden         Kind = iota + 1 // 403: Resource not accessible by integration
	Hidden                            // 404, as a token that may not know of a repository gets
	PrimaryLimit                      // 403 with nothing remaining until a second from now
	PrimaryLimit429                   // the same as 429
	SecondaryLimit                    // 403 with Retry-After: 1
	SecondaryLimit429                 // the same as 429
	TooMany                           // 429 and no word of why
	BadGateway                        // 502, nothing done
	BadGatewayAfter                   // 502 though it was done
)

// Fault makes requests fail.
type Fault struct {
	Kind   Kind
	Method string // "" is any
	Path   string // a regular expression; "" is any
	Skip   int    // how many such requests pass first
	Times  int    // how many fail; 0 is all
	path   *regexp.Regexp
	seen   int
}

// Inject adds a fault. It panics if Path is no regular expression.
func (s *Server) Inject(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.path = regexp.MustCompile(f.Path)
	s.faults = append(s.faults, &f)
}

// fault returns the first fault that concerns a request, nil if none does.
func (s *Server) fault(r *http.Request) *Fault {
	for _, f := range s.faults {
		if f.Method != "" && f.Method != r.Method || !f.path.MatchString(r.URL.Path) {
			continue
		}
		f.seen++
		if f.seen > f.Skip && (f.Times == 0 || f.seen <= f.Skip+f.Times) {
			return f
		}
	}
	return nil
}

const secondaryText = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."

// before is what a request gets in place of being served; nil if it is served.
func (f *Fault) before() *answer {
	if f == nil {
		return nil
	}
	switch f.Kind {
	case Forbidden:
		return message(http.StatusForbidden, "Resource not accessible by integration")
	case Hidden:
		return message(http.StatusNotFound, "Not Found")
	case PrimaryLimit:
		return primary(http.StatusForbidden)
	case PrimaryLimit429:
		return primary(http.StatusTooManyRequests)
	case SecondaryLimit:
		return secondary(http.StatusForbidden)
	case SecondaryLimit429:
		return secondary(http.StatusTooManyRequests)
	case TooMany:
		return message(http.StatusTooManyRequests, "Too many requests")
	case BadGateway:
		return message(http.StatusBadGateway, "Server Error")
	}
	return nil
}

func primary(status int) *answer {
	a := message(status, "API rate limit exceeded for installation ID 1.")
	a.header = map[string]string{
		"X-RateLimit-Limit": "1000", "X-RateLimit-Remaining": "0", "X-RateLimit-Resource": "core",
		"X-RateLimit-Reset": fmt.Sprint(time.Now().Add(time.Second).Unix()),
	}
	return a
}

func secondary(status int) *answer {
	a := message(status, secondaryText)
	a.body.(map[string]any)["documentation_url"] = "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"
	a.header = map[string]string{"Retry-After": "1"}
	return a
}
