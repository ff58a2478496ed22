package github

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/gofri/go-github-ratelimit/v2/github_ratelimit"
	"github.com/gofri/go-github-ratelimit/v2/github_ratelimit/github_primary_ratelimit"
	"github.com/gofri/go-github-ratelimit/v2/github_ratelimit/github_secondary_ratelimit"
)

const (
	callLimit     = 30 * time.Second // for one request
	downloadLimit = 5 * time.Minute
	maxAnswer     = 96 << 20 // bytes: a file of 64 MiB in base64, and what is around it
	mostTries     = 4
	firstPause    = time.Second // before the second try; doubled each time, and randomized
)

// apiTransport is the lowest layer: it bounds the time of a request and the size of its answer, and gives the token to the API's host alone.
type apiTransport struct {
	base  http.RoundTripper
	token string
	api   *url.URL
}

// RoundTrip sends one request.
func (t *apiTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(r.Context(), callLimit)
	r, err := rewound(r.WithContext(ctx)) // the layer above sends a request again as it is, with its body read
	if err != nil {
		cancel()
		return nil, err
	}
	r.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	if t.token != "" && r.URL.Host == t.api.Host && r.URL.Scheme == t.api.Scheme {
		r.Header.Set("Authorization", "Bearer "+t.token)
	}
	reply, err := t.base.RoundTrip(r)
	if err != nil {
		cancel()
		return nil, err
	}
	reply.Body = &answer{io.LimitReader(reply.Body, maxAnswer), reply.Body, cancel}
	return reply, nil
}

// answer is cut off where it is too long, and ends the time of its request when it was read.
type answer struct {
	io.Reader
	body   io.Closer
	cancel context.CancelFunc
}

// Close closes the answer.
func (a *answer) Close() error {
	defer a.cancel()
	return a.body.Close()
}

// sleepBudget is the time that may be slept, in all.
type sleepBudget struct {
	mu    sync.Mutex
	left  time.Duration
	log   func(string)
	sleep func(context.Context, time.Duration) error // a stand-in for the clock; nil is the clock
}

// spend takes d off, and says whether that much was left; what is slept anyway may overdraw.
func (b *sleepBudget) spend(d time.Duration, overdraw bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if d > b.left && !overdraw {
		return false
	}
	b.left -= d
	return true
}

// limited waits out secondary rate limits within the budget, and holds requests back while the primary limit is spent.
func (b *sleepBudget) limited(base http.RoundTripper) http.RoundTripper {
	return github_ratelimit.New(base,
		github_secondary_ratelimit.WithSingleSleepLimit(b.left, nil),
		github_secondary_ratelimit.WithTotalSleepLimit(b.left, nil),
		github_secondary_ratelimit.WithLimitDetectedCallback(func(c *github_secondary_ratelimit.CallbackContext) {
			d := time.Until(*c.ResetTime)
			b.spend(d, true)
			b.log(fmt.Sprintf("GitHub asks to slow down (secondary rate limit): waiting %s", d.Round(time.Second)))
		}))
}

// bounded lets the layer that waits for secondary limits sleep no longer than is left.
func (b *sleepBudget) bounded(r *http.Request) *http.Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	limit := github_secondary_ratelimit.WithSingleSleepLimit(max(0, b.left), nil)
	return r.WithContext(github_ratelimit.WithOverrideConfig(r.Context(), limit))
}

// take sleeps for d if that much is left; false if not, or if ctx ended.
func (b *sleepBudget) take(ctx context.Context, d time.Duration, why string) bool {
	if !b.spend(d, false) {
		return false
	}
	b.log(fmt.Sprintf("%s: trying again in %s", why, d.Round(time.Millisecond)))
	if b.sleep != nil {
		return b.sleep(ctx, d) == nil
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// pause is how long to wait before try number n (the first is 0): twice as long each time, spread over half of it so
// that jobs that failed together do not come back together.
func pause(n int) time.Duration {
	most := firstPause << n
	return most/2 + rand.N(most/2)
}

// retryTransport repeats requests: those that were refused for their number, whatever they do, since they did nothing; and those
// that failed in the network or with 5xx if doing them twice is the same as doing them once.
type retryTransport struct {
	base   http.RoundTripper
	budget *sleepBudget
}

type repeatable struct{}

// mayRepeat marks a PATCH or POST that may be done twice.
func mayRepeat(ctx context.Context) context.Context {
	return context.WithValue(ctx, repeatable{}, true)
}

// RoundTrip sends a request until it is answered for good.
func (t *retryTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	for try := 0; ; try++ {
		reply, err := t.base.RoundTrip(t.budget.bounded(r))
		wait, why := retryIn(r, reply, err, try)
		if why == "" || try+1 >= mostTries || !t.budget.take(r.Context(), wait, why) {
			hideRate(reply)
			return reply, err
		}
		drain(reply)
	}
}

// rewound is r with its body from the beginning.
func rewound(r *http.Request) (*http.Request, error) {
	out := r.Clone(r.Context())
	if r.GetBody == nil {
		return out, nil
	}
	r.Body.Close()
	body, err := r.GetBody()
	out.Body = body
	return out, err
}

// retryIn says how long to wait before a request is sent again, and why; "" if it is not to be.
func retryIn(r *http.Request, reply *http.Response, err error, try int) (time.Duration, string) {
	var spent *github_primary_ratelimit.RateLimitReachedError
	twice := r.Method == http.MethodGet || r.Method == http.MethodHead || r.Context().Value(repeatable{}) != nil
	switch {
	case errors.As(err, &spent) && spent.ResetTime != nil:
		return max(time.Until(*spent.ResetTime), 0) + pause(0), "the hourly rate limit of GitHub is spent"
	case err != nil && twice && r.Context().Err() == nil:
		return pause(try), fmt.Sprintf("%s %s failed (%v)", r.Method, r.URL.Path, err)
	case err != nil:
		return 0, ""
	case reply.StatusCode == http.StatusTooManyRequests && reply.Header.Get("X-RateLimit-Remaining") != "0":
		return retryAfter(reply, pause(try)), "GitHub answers 429 (too many requests)"
	case reply.StatusCode >= 500 && twice:
		return retryAfter(reply, pause(try)), fmt.Sprintf("%s %s was answered with %d", r.Method, r.URL.Path, reply.StatusCode)
	}
	return 0, ""
}

func retryAfter(reply *http.Response, otherwise time.Duration) time.Duration {
	seconds, err := strconv.Atoi(reply.Header.Get("Retry-After"))
	if err != nil || seconds < 0 || seconds > 24*3600 {
		return otherwise
	}
	return time.Duration(seconds) * time.Second
}

func drain(reply *http.Response) {
	if reply != nil {
		io.Copy(io.Discard, io.LimitReader(reply.Body, 1<<20))
		reply.Body.Close()
	}
}

// hideRate hides the rate of a good answer from go-github, which would refuse the next request by itself as soon as
// nothing is left; the layer below knows better, and can wait.
func hideRate(reply *http.Response) {
	if reply != nil && reply.StatusCode < 400 {
		for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
			reply.Header.Del(name)
		}
	}
}
