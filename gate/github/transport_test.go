package github

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/internal/fakegithub"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// through is a client that waits for nothing, and whose requests f answers.
func through(t *testing.T, api string, f roundTripper) *Client {
	t.Helper()
	c, err := New(Options{APIURL: api, Token: token, Owner: "o", Repo: "r", MaxSleep: -1, Transport: f})
	must(t, err)
	return c
}

// TestTokenStaysWithTheAPI redirects a request to another host, and to the same one without encryption.
func TestTokenStaysWithTheAPI(t *testing.T) {
	for _, to := range []string{"https://elsewhere.example/x", "http://api.github.com/x"} {
		var shown []string
		c := through(t, "", func(q *http.Request) (*http.Response, error) {
			shown = append(shown, q.Header.Get("Authorization"))
			reply := &http.Response{StatusCode: 301, Header: http.Header{"Location": {to}}, Body: io.NopCloser(strings.NewReader("{}")), Request: q}
			if len(shown) > 1 {
				reply.StatusCode = 200
			}
			return reply, nil
		})
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
	r.client.sleeps.sleep = func(context.Context, time.Duration) error { r.client.sleeps.left = 0; return nil }
	r.Inject(fakegithub.Fault{Kind: fakegithub.BadGateway, Times: 1})
	r.Inject(fakegithub.Fault{Kind: fakegithub.SecondaryLimit})
	if _, err := r.client.PullRequest(t.Context(), r.pr); !errors.Is(err, ErrRateLimited) {
		t.Error(err)
	}
	if n := len(r.Log()); n != 2 {
		t.Errorf("%d calls: %q", n, r.calls(0))
	}
}

// What is asked after the last request of the hour waits for the next one, or is refused as GitHub would refuse it.
func TestLastRequestOfTheHour(t *testing.T) {
	asked := 0
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10))
		io.WriteString(w, "{}")
	}))
	defer web.Close()
	c := newClient(t, web.URL, token)
	if _, err := c.PullRequest(t.Context(), 1); err != nil {
		t.Error(err)
	}
	if _, err := c.PullRequest(t.Context(), 1); !errors.Is(err, ErrRateLimited) || asked != 1 {
		t.Errorf("%v after %d requests", err, asked)
	}
}

// The address of an artifact in the store is as good as the artifact: no error has it.
func TestErrorsKeepAddressesSecret(t *testing.T) {
	for _, cut := range []bool{false, true} {
		c := through(t, "", func(q *http.Request) (*http.Response, error) {
			reply := &http.Response{StatusCode: 302, Header: http.Header{"Location": {"https://store.example/x?sig=abc"}}, Body: http.NoBody, Request: q}
			if q.URL.Host == "store.example" {
				reply.StatusCode = 403
				if cut {
					return nil, io.ErrUnexpectedEOF
				}
			}
			return reply, nil
		})
		if _, err := c.DownloadArtifact(t.Context(), 1, 9); err == nil || isPermission(err) || strings.Contains(err.Error(), "sig=") {
			t.Errorf("cut %t: %v", cut, err)
		}
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

// An answer without end is cut off.
func TestAnswersAreBounded(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(`{"sha":"`))
		for n := 0; n < 2*maxAnswer; n += 1 << 20 {
			if _, err := w.Write(bytes.Repeat([]byte("a"), 1<<20)); err != nil {
				return
			}
		}
		w.Write([]byte(`"}`))
	}))
	defer web.Close()
	if _, err := newClient(t, web.URL, "t").PullRequest(t.Context(), 1); !errors.Is(err, errTooMuch) {
		t.Errorf("all of it was read: %v", err)
	}
}
