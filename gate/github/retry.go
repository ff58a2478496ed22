package github

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"

	gh "github.com/google/go-github/v60/github"
)

const (
	mostTries  = 4
	firstPause = time.Second // before the second try; doubled each time, and randomized
)

// sleepBudget is the time that may be slept, in all.
type sleepBudget struct {
	mu    sync.Mutex
	left  time.Duration
	log   func(string)
	sleep func(context.Context, time.Duration) error // a stand-in for the clock; nil is the clock
}

// take sleeps for d if that much is left; false if not, or if ctx ended.
func (b *sleepBudget) take(ctx context.Context, d time.Duration, why string) bool {
	b.mu.Lock()
	enough := d <= b.left
	if enough {
		b.left -= d
	}
	b.mu.Unlock()
	if !enough {
		return false
	}
	if b.log != nil {
		b.log(fmt.Sprintf("%s: trying again in %s", why, d.Round(time.Millisecond)))
	}
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

// again says how long to wait before a request is sent again, and why; "" if it is not to be. One that was refused for the number of requests did
// nothing, so it is sent again whatever it does; one that failed in the network or with a 5xx if doing it twice is the same as doing it once.
func (q request) again(ctx context.Context, err error, try int) (time.Duration, string) {
	twice := q.twice || q.method == http.MethodGet
	r := refused(err)
	switch {
	case err == nil || errors.Is(err, errTooMuch) || ctx.Err() != nil:
		return 0, ""
	case r.isLimited():
		return r.limitEnds(try), "GitHub asks to slow down (rate limit)"
	case r.status() >= 500 && twice:
		return r.retryAfter(pause(try)), fmt.Sprintf("cannot %s (%d)", q.what, r.status())
	case r.status() == 0 && twice:
		return pause(try), fmt.Sprintf("cannot %s (%v)", q.what, err)
	}
	return 0, ""
}

// limitEnds is how long a limit lasts. Where GitHub does not say how long a secondary one does, it asks to wait for a minute.
func (r refusal) limitEnds(try int) time.Duration {
	var secondary *gh.AbuseRateLimitError
	switch {
	case r.reply.Rate.Remaining == 0 && !r.reply.Rate.Reset.IsZero():
		return max(time.Until(r.reply.Rate.Reset.Time), 0) + pause(0)
	case errors.As(r.error, &secondary) && secondary.RetryAfter != nil:
		return max(*secondary.RetryAfter, 0)
	case r.status() == http.StatusForbidden:
		return r.retryAfter(time.Minute)
	}
	return r.retryAfter(pause(try))
}

func (r refusal) retryAfter(otherwise time.Duration) time.Duration {
	seconds, err := strconv.Atoi(r.reply.Header.Get("Retry-After"))
	if err != nil || seconds < 0 || seconds > 24*3600 {
		return otherwise
	}
	return time.Duration(seconds) * time.Second
}

// once makes a request until it is known to be done. What may have been done is looked for with find before it is sent again.
func (c *Client) once(ctx context.Context, q request, find func() (found bool, err error)) error {
	for try := 0; ; try++ {
		_, err := c.do(ctx, q)
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
