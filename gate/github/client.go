package github

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	gh "github.com/google/go-github/v60/github"
)

// Options say which repository to talk to, and how.
type Options struct {
	APIURL    string            // such as https://api.github.com or https://ghe.example/api/v3; "" is the former
	Token     string            // "" asks without one, which reads public repositories
	Owner     string            // of the repository
	Repo      string            // its name, without the owner
	UserAgent string            // "" is perfgate
	MaxSleep  time.Duration     // longest wait for rate limits and retries, in all; 0 is a minute, less than 0 none
	Log       func(string)      // takes a line when the client waits or tries again; nil drops it
	Transport http.RoundTripper // below everything; nil is http.DefaultTransport
}

// Client talks to one repository. It is safe for use by several goroutines.
type Client struct {
	api    *gh.Client // knows no token: go-github would give it to every place that it is redirected to
	repo   string     // repos/owner/name
	token  string
	sleeps *sleepBudget
}

const (
	defaultMaxSleep = time.Minute
	callLimit       = 30 * time.Second // for one request
	maxAnswer       = 32 << 20         // bytes of an answer: a page of 100 long comments has a third of that
	maxRefusal      = 1 << 20          // bytes of an answer that is an error
	mostRedirects   = 5
)

// New returns a client; it makes no request. An error names the option that is wrong.
func New(o Options) (*Client, error) {
	api, err := url.Parse(strings.TrimRight(cmp.Or(o.APIURL, "https://api.github.com"), "/") + "/")
	if err != nil || api.Host == "" || api.Scheme != "https" && api.Scheme != "http" {
		return nil, fmt.Errorf("github: %.200q is not an http(s) address of an API", o.APIURL)
	}
	if o.Owner == "" || o.Repo == "" || strings.ContainsAny(o.Owner+o.Repo, "/?#% ") {
		return nil, fmt.Errorf("github: %q/%q is not a repository", o.Owner, o.Repo)
	}
	c := &Client{repo: "repos/" + o.Owner + "/" + o.Repo, token: o.Token}
	c.sleeps = &sleepBudget{left: max(0, cmp.Or(o.MaxSleep, defaultMaxSleep)), log: o.Log}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	c.api = gh.NewClient(&http.Client{Transport: bounded{o.Transport}, CheckRedirect: c.redirect})
	c.api.BaseURL = api // its WithEnterpriseURLs would add /api/v3, which GITHUB_API_URL has already where it belongs
	c.api.UserAgent = cmp.Or(o.UserAgent, "perfgate")
	return c, nil
}

// bounded cuts off answers that are errors, which go-github reads to their end.
type bounded struct{ http.RoundTripper }

// RoundTrip sends one request.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	reply, err := b.RoundTripper.RoundTrip(r)
	if err == nil && reply.StatusCode >= 300 {
		reply.Body = http.MaxBytesReader(nil, reply.Body, maxRefusal)
	}
	return reply, err
}

// isOurs says whether an address is one of a repository in the API: no other is shown the token, such as the store of the artifacts.
func (c *Client) isOurs(u *url.URL) bool {
	api := c.api.BaseURL
	within, ok := strings.CutPrefix(u.Path, api.Path)
	return ok && u.Scheme == api.Scheme && u.Host == api.Host && (strings.HasPrefix(within, "repos/") || strings.HasPrefix(within, "repositories/"))
}

// redirect takes the token away from a request that is redirected to another place than the API.
func (c *Client) redirect(to *http.Request, before []*http.Request) error {
	if len(before) > mostRedirects {
		return fmt.Errorf("over %d redirects", mostRedirects)
	}
	if !c.isOurs(to.URL) {
		to.Header.Del("Authorization")
	}
	return nil
}

// request is one that the API is to answer.
type request struct {
	what    string // it does, such as "read pull request 7"
	needs   string // the grant that it takes, such as "pull-requests: read"
	hidden  bool   // a token that lacks it is answered that there is nothing
	method  string // "" is GET
	path    string // below the repository where it begins with a slash, else below the API
	page    int    // of a list, whose path has a query; 0 is the first
	body    any    // sent as JSON; nil: none
	into    any    // takes the answer, JSON or *[]byte as it is; nil drops it
	twice   bool   // done twice is the same as done once, as a GET is
	limit   time.Duration
	maxSize int64 // of the answer; 0: maxAnswer
}

// do makes a request until it is answered for good. The answer tells of further pages; it is nil where there is none. Errors: *ErrPermission,
// ErrRateLimited, ErrNotFound, or what the API answered.
func (c *Client) do(ctx context.Context, q request) (*gh.Response, error) {
	q.method, q.limit, q.maxSize = cmp.Or(q.method, http.MethodGet), cmp.Or(q.limit, callLimit), cmp.Or(q.maxSize, maxAnswer)
	for try := 0; ; try++ {
		reply, text, err := c.send(ctx, q)
		if wait, why := q.again(ctx, err, try); why != "" && try+1 < mostTries && c.sleeps.take(ctx, wait, why) {
			continue
		}
		if err == nil {
			err = decode(text, q.into)
		}
		return reply, q.explain(err)
	}
}

// send makes a request once and reads the answer.
func (c *Client) send(ctx context.Context, q request) (reply *gh.Response, text []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, q.limit)
	defer cancel()
	path := q.path
	if strings.HasPrefix(path, "/") {
		path = c.repo + path
	}
	if q.page > 0 {
		path += fmt.Sprintf("&page=%d", q.page)
	}
	r, err := c.api.NewRequest(q.method, path, q.body, gh.WithVersion("2022-11-28"))
	if err != nil {
		return nil, nil, err
	}
	if c.token != "" && c.isOurs(r.URL) {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	if reply, err = c.api.BareDo(ctx, r); err != nil {
		return reply, nil, c.failure(reply, err)
	}
	defer reply.Body.Close()
	text, err = io.ReadAll(io.LimitReader(reply.Body, q.maxSize+1))
	if err == nil && int64(len(text)) > q.maxSize {
		err = fmt.Errorf("%w: over %d bytes", errTooMuch, q.maxSize)
	}
	return reply, text, err
}

var errTooMuch = errors.New("the answer is too long")

// decode reads an answer.
func decode(text []byte, into any) error {
	switch to := into.(type) {
	case nil:
		return nil
	case *[]byte:
		*to = text
		return nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("an answer that is not as GitHub describes it: %w", err)
	}
	return nil
}

// pages asks for one page of a list after another: until the last one, an error, or enough.
func pages[P any](ctx context.Context, c *Client, q request, take func(P) (enough bool)) error {
	return follow(ctx, c, q, func(r *gh.Response) int { return r.NextPage }, take)
}

// follow asks for a page and for those that each of them leads to, up to page 0.
func follow[P any](ctx context.Context, c *Client, q request, leads func(*gh.Response) int, take func(P) (enough bool)) error {
	for {
		var page P
		q.into = &page
		reply, err := c.do(ctx, q)
		if err != nil || take(page) {
			return err
		}
		if q.page = leads(reply); q.page == 0 {
			return nil
		}
	}
}
