package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/gofri/go-github-ratelimit/v2/github_ratelimit/github_primary_ratelimit"
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
	What  string // what was tried, such as "write a comment on pull request 7"
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

// status is the HTTP status of GitHub's answer, 0 if there was none.
func status(err error) int {
	var answer *gh.ErrorResponse
	if errors.As(err, &answer) && answer.Response != nil {
		return answer.Response.StatusCode
	}
	return 0
}

// isRateLimit reports whether GitHub refused for the number of requests. go-github knows the limits by 403 only.
func isRateLimit(err error) bool {
	var primary *gh.RateLimitError
	var secondary *gh.AbuseRateLimitError
	var held *github_primary_ratelimit.RateLimitReachedError
	if errors.As(err, &primary) || errors.As(err, &secondary) || errors.As(err, &held) {
		return true
	}
	var answer *gh.ErrorResponse
	return status(err) == http.StatusTooManyRequests ||
		errors.As(err, &answer) && status(err) == http.StatusForbidden && strings.Contains(strings.ToLower(answer.Message), "rate limit")
}

// explain says what could not be done, and what the token lacks if that is why. GitHub answers 403 where the token may
// read, and 404 where it may not even know.
func explain(err error, what, needs string, hidden bool) error {
	switch code := status(err); {
	case err == nil:
		return nil
	case isRateLimit(err):
		return fmt.Errorf("%s: %w: %w", what, ErrRateLimited, err)
	case code == http.StatusUnauthorized:
		return &ErrPermission{What: what, Err: err}
	case code == http.StatusForbidden, code == http.StatusNotFound && hidden:
		return &ErrPermission{What: what, Needs: needs, Err: err}
	case code == http.StatusNotFound:
		return fmt.Errorf("%s: %w: %w", what, ErrNotFound, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// Whether 404 may mean that the token sees nothing.
const (
	mayBeHidden = true
	isThere     = false
)

// uncertain reports whether a request may have been done all the same.
func uncertain(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) || isRateLimit(err) {
		return false
	}
	code := status(err)
	return code == 0 || code >= 500
}

// once does send until it is known to be done. What may have been done is looked for with find before it is sent again.
func (c *Client) once(ctx context.Context, send func() error, find func() (found bool, err error)) error {
	for try := 0; ; try++ {
		err := send()
		if !uncertain(err) {
			return err
		}
		found, lost := find()
		if lost != nil {
			return errors.Join(err, lost)
		}
		if found {
			return nil
		}
		if try+1 >= mostTries || ctx.Err() != nil || !c.sleeps.take(ctx, pause(try), fmt.Sprintf("not done (%v)", err)) {
			return err
		}
	}
}
