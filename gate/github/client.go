package github

import (
	"cmp"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	gh "github.com/google/go-github/v60/github"
)

// Client talks to one repository. It is safe for use by several goroutines.
type Client struct {
	api    *gh.Client
	owner  string
	repo   string
	sleeps *sleepBudget
	plain  *http.Client // without the token, for addresses that GitHub redirects to
}

const defaultMaxSleep = time.Minute

// New returns a client; it makes no request. An error names the option that is wrong.
func New(o Options) (*Client, error) {
	base, err := baseURL(o.APIURL)
	if err != nil {
		return nil, err
	}
	if o.Owner == "" || o.Repo == "" || strings.ContainsAny(o.Owner+o.Repo, "/?#% ") {
		return nil, fmt.Errorf("github: %q/%q is not a repository", o.Owner, o.Repo)
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	sleeps := &sleepBudget{left: max(0, cmp.Or(o.MaxSleep, defaultMaxSleep)), log: o.Log}
	limited := sleeps.limited(&apiTransport{base: o.Transport, token: o.Token, api: base})
	api := gh.NewClient(&http.Client{Transport: &retryTransport{base: limited, budget: sleeps}})
	api.BaseURL = base
	api.UserAgent = cmp.Or(o.UserAgent, "perfgate")
	plain := &http.Client{Transport: o.Transport, Timeout: downloadLimit}
	return &Client{api: api, owner: o.Owner, repo: o.Repo, sleeps: sleeps, plain: plain}, nil
}

// pages asks for one page of a list after another: until the last one, an error, or a caller that has enough.
func pages[P any](opt *gh.ListOptions, ask func() (P, *gh.Response, error)) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		for {
			page, reply, err := ask()
			if !yield(page, err) || err != nil || reply.NextPage == 0 {
				return
			}
			opt.Page = reply.NextPage
		}
	}
}

// baseURL is where the API lives, with the slash at the end that go-github needs. Unlike its WithEnterpriseURLs this
// adds no /api/v3, which GITHUB_API_URL has already where it belongs.
func baseURL(address string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(cmp.Or(address, "https://api.github.com"), "/") + "/")
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("github: %.200q is not an http(s) address of an API", address)
	}
	return u, nil
}
