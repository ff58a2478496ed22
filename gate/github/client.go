package github

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gofri/go-github-ratelimit/v2/github_ratelimit"
	"github.com/gofri/go-github-ratelimit/v2/github_ratelimit/github_secondary_ratelimit"
	gh "github.com/google/go-github/v60/github"
)

// Client talks to one repository. It is safe for use by several goroutines.
type Client struct {
	api   *gh.Client
	owner string
	repo  string
	wire  *wire
	again *again
	plain *http.Client // without the token, for addresses that GitHub redirects to
}

// New returns a client; it makes no request. An error names the option that is wrong.
func New(o Options) (*Client, error) {
	base, err := baseURL(o.APIURL)
	if err != nil {
		return nil, err
	}
	if o.Owner == "" || o.Repo == "" || strings.ContainsAny(o.Owner+o.Repo, "/?#% ") {
		return nil, fmt.Errorf("github: %q/%q is no repository", o.Owner, o.Repo)
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	bottom := &wire{base: o.Transport, token: o.Token, api: base}
	naps := &naps{left: allowed(o.MaxSleep), log: o.Log}
	top := &again{base: limited(bottom, naps), naps: naps}
	api := gh.NewClient(&http.Client{Transport: top})
	api.BaseURL = base
	api.UserAgent = o.UserAgent
	if api.UserAgent == "" {
		api.UserAgent = "perfgate"
	}
	plain := &http.Client{Transport: o.Transport, Timeout: downloadLimit}
	return &Client{api: api, owner: o.Owner, repo: o.Repo, wire: bottom, again: top, plain: plain}, nil
}

// Calls returns how many requests were sent to the API so far, repeated ones included.
func (c *Client) Calls() int { return int(c.wire.calls.Load()) }

// baseURL is where the API lives, with the slash at the end that go-github needs. Unlike its WithEnterpriseURLs this
// adds no /api/v3, which GITHUB_API_URL has already where it belongs.
func baseURL(address string) (*url.URL, error) {
	if address == "" {
		address = "https://api.github.com"
	}
	u, err := url.Parse(strings.TrimRight(address, "/") + "/")
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("github: %.200q is no http(s) address of an API", address)
	}
	return u, nil
}

const defaultMaxSleep = time.Minute

func allowed(maxSleep time.Duration) time.Duration {
	switch {
	case maxSleep == 0:
		return defaultMaxSleep
	case maxSleep < 0:
		return 0
	}
	return maxSleep
}

// limited waits out secondary rate limits, within what naps allows in all, and holds requests back while the primary
// limit is spent.
func limited(base http.RoundTripper, n *naps) http.RoundTripper {
	return github_ratelimit.New(base,
		github_secondary_ratelimit.WithSingleSleepLimit(n.left, nil),
		github_secondary_ratelimit.WithTotalSleepLimit(n.left, nil),
		github_secondary_ratelimit.WithLimitDetectedCallback(func(c *github_secondary_ratelimit.CallbackContext) {
			d := time.Until(*c.ResetTime)
			n.spend(d)
			n.log(fmt.Sprintf("GitHub asks to slow down (secondary rate limit): waiting %s", d.Round(time.Second)))
		}))
}
