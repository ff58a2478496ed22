package github

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/internal/fakegithub"
)

// TestNoConnection asks a GitHub that is gone: an error each, and no panic.
func TestNoConnection(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	web.Close()
	c, err := New(Options{APIURL: web.URL, Token: token, Owner: "o", Repo: "r", MaxSleep: -1})
	if err != nil {
		t.Fatal(err)
	}
	for name, try := range map[string]func() error{
		"comment": func() error {
			_, err := c.UpsertComment(t.Context(), Comment{PR: 1, Body: "x", Create: true})
			return err
		},
		"check":    func() error { return c.PublishCheck(t.Context(), sampleCheck(1)) },
		"status":   func() error { return c.SetStatus(t.Context(), Status{SHA: shaA, Context: "c", State: StatusError}) },
		"pull":     func() error { _, err := c.PullRequest(t.Context(), 1); return err },
		"find":     func() error { _, err := c.FindPullRequest(t.Context(), "o", "x", shaA, 1); return err },
		"approval": func() error { _, err := c.Approval(t.Context(), 1, label); return err },
		"list":     func() error { _, err := c.Artifacts(t.Context(), 1); return err },
		"download": func() error { _, err := c.DownloadArtifact(t.Context(), 1, 1); return err },
	} {
		if err := try(); err == nil || isPermission(err) || strings.Contains(err.Error(), token) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestApprovalLosesTheConnection cuts each of its requests.
func TestApprovalLosesTheConnection(t *testing.T) {
	for n := range 4 {
		r := newRig(t, everything)
		r.SetPermission("hubot", "write")
		r.Label(r.pr, label, "hubot")
		sent := 0
		c, err := New(Options{APIURL: r.client.api.BaseURL.String(), Token: token, Owner: "o", Repo: "r", MaxSleep: -1,
			Transport: roundTripper(func(q *http.Request) (*http.Response, error) {
				if sent++; sent > n {
					return nil, io.ErrUnexpectedEOF
				}
				return http.DefaultTransport.RoundTrip(q)
			})})
		if err != nil {
			t.Fatal(err)
		}
		if a, err := c.Approval(t.Context(), r.pr, label); a.Granted || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut after %d: %+v, %v", n, a, err)
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestTokenStaysWithTheAPI redirects a request to another host, and to the same one without encryption.
func TestTokenStaysWithTheAPI(t *testing.T) {
	for _, to := range []string{"https://elsewhere.example/x", "http://api.github.com/x"} {
		var shown []string
		c, err := New(Options{Token: token, Owner: "o", Repo: "r", MaxSleep: -1, Transport: roundTripper(func(q *http.Request) (*http.Response, error) {
			shown = append(shown, q.Header.Get("Authorization"))
			reply := &http.Response{StatusCode: 301, Header: http.Header{"Location": {to}}, Body: io.NopCloser(strings.NewReader("{}")), Request: q}
			if len(shown) > 1 {
				reply.StatusCode = 200
			}
			return reply, nil
		})})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.PullRequest(t.Context(), 1); err != nil {
			t.Error(err)
		}
		if len(shown) != 2 || shown[0] != "Bearer "+token || shown[1] != "" {
			t.Errorf("to %s: %q", to, shown)
		}
	}
}

// TestSleepsAreBoundedTogether spends the time on 5xx first: none is left for a rate limit.
func TestSleepsAreBoundedTogether(t *testing.T) {
	r := newRig(t, everything)
	r.client.sleeps.left = 3 * time.Second
	r.client.sleeps.sleep = func(context.Context, time.Duration) error { r.client.sleeps.spend(3*time.Second, true); return nil }
	r.Inject(fakegithub.Fault{Kind: fakegithub.BadGateway, Times: 1})
	r.Inject(fakegithub.Fault{Kind: fakegithub.SecondaryLimit})
	if _, err := r.client.PullRequest(t.Context(), r.pr); !errors.Is(err, ErrRateLimited) {
		t.Error(err)
	}
	if n := len(r.Log()); n != 2 {
		t.Errorf("%d calls: %q", n, r.calls(0))
	}
}

func TestEndsWithItsContext(t *testing.T) {
	r := newRig(t, everything)
	ctx, cancel := context.WithCancel(t.Context())
	r.client.sleeps.sleep = func(context.Context, time.Duration) error { cancel(); return ctx.Err() }
	r.Inject(fakegithub.Fault{Kind: fakegithub.BadGateway})
	if _, err := r.client.UpsertComment(ctx, Comment{PR: r.pr, Key: "k", Body: "x", Create: true}); err == nil || len(r.Log()) != 1 {
		t.Errorf("%v after %q", err, r.calls(0))
	}
}
