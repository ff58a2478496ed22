package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	gh "github.com/google/go-github/v60/github"
)

// ErrNotFound says that what was looked for is not there.
var ErrNotFound = errors.New("not found")

// ErrAmbiguous says that there is more than one of what was looked for.
var ErrAmbiguous = errors.New("more than one fits")

// ErrRateLimited says that GitHub refused for the number of requests, for longer than the client may wait.
var ErrRateLimited = errors.New("GitHub's rate limit is spent")

// ErrPermission says that the token may not do something. The gate's verdict does not depend on it: the caller warns
// and goes on with what it may do.
type ErrPermission struct {
	What  string // was tried, such as "write a comment on pull request 7"
	Needs string // what the job must be granted, such as "pull-requests: write"; "" if GitHub does not know the token at all
	Err   error  // GitHub's answer
}

func (e *ErrPermission) Error() string {
	if e.Needs == "" {
		return fmt.Sprintf("cannot %s: GitHub does not accept the token: %v", e.What, e.Err)
	}
	return fmt.Sprintf("cannot %s: the token lacks `%s` (grant it under `permissions:` of the job; a pull request from a fork never has it): %v",
		e.What, e.Needs, e.Err)
}

func (e *ErrPermission) Unwrap() error { return e.Err }

// IsPermission returns the permission error in err's chain, if there is one.
func IsPermission(err error) (*ErrPermission, bool) {
	var p *ErrPermission
	ok := errors.As(err, &p)
	return p, ok
}

// refusal is an answer of GitHub, or of its store, that is not what was asked for. The text of go-github's error is not repeated: it has the address,
// and whoever has that of an artifact in the store can read it.
type refusal struct {
	error  // of go-github
	reply  *gh.Response
	stored bool // by a store that the API redirected to
}

// failure is what came of a request that was not done, without its address.
func (c *Client) failure(reply *gh.Response, err error) error {
	var lost *url.Error
	switch {
	case reply != nil:
		return &refusal{err, reply, !c.isOurs(reply.Request.URL)}
	case errors.As(err, &lost):
		return lost.Err
	}
	return err
}

// Error is what GitHub answers.
func (r *refusal) Error() string {
	who := "GitHub"
	if r.stored {
		who = "the store"
	}
	return fmt.Sprintf("%s answers %d: %.500s", who, r.status(), cmp.Or(r.message(), http.StatusText(r.status())))
}

func (r *refusal) Unwrap() error { return r.error }

// message is what an answer says of itself.
func (r refusal) message() string {
	var other *gh.ErrorResponse
	var primary *gh.RateLimitError
	var secondary *gh.AbuseRateLimitError
	switch {
	case errors.As(r.error, &other):
		return other.Message
	case errors.As(r.error, &primary):
		return primary.Message
	case errors.As(r.error, &secondary):
		return secondary.Message
	}
	return ""
}

// status is 0 where there was no answer.
func (r refusal) status() int {
	if r.reply == nil {
		return 0
	}
	return r.reply.StatusCode
}

// isLimited says whether GitHub refused for the number of requests. go-github knows the limits by 403 only.
func (r refusal) isLimited() bool {
	var primary *gh.RateLimitError
	var secondary *gh.AbuseRateLimitError
	return errors.As(r.error, &primary) || errors.As(r.error, &secondary) || r.status() == http.StatusTooManyRequests ||
		r.status() == http.StatusForbidden && (r.reply.Header.Get("Retry-After") != "" || strings.Contains(strings.ToLower(r.message()), "rate limit"))
}

// refused is GitHub's answer in err's chain; the zero refusal if there was none.
func refused(err error) refusal {
	var r *refusal
	if errors.As(err, &r) {
		return *r
	}
	return refusal{}
}

// explain says what could not be done, and what the token lacks if that is why. GitHub answers 403 where the token may
// read, and 404 where it may not even know.
func (q request) explain(err error) error {
	switch r := refused(err); {
	case err == nil:
		return nil
	case r.isLimited():
		return fmt.Errorf("%s: %w: %w", q.what, ErrRateLimited, err)
	case r.stored:
	case r.status() == http.StatusUnauthorized:
		return &ErrPermission{What: q.what, Err: err}
	case r.status() == http.StatusForbidden, r.status() == http.StatusNotFound && q.hidden:
		return &ErrPermission{What: q.what, Needs: q.needs, Err: err}
	case r.status() == http.StatusNotFound:
		return fmt.Errorf("%s: %w: %w", q.what, ErrNotFound, err)
	}
	return fmt.Errorf("%s: %w", q.what, err)
}

// uncertain says whether a request may have been done all the same.
func uncertain(err error) bool {
	r := refused(err)
	return err != nil && !errors.Is(err, context.Canceled) && !r.isLimited() && (r.status() == 0 || r.status() >= 500)
}
