package github

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/internal/fakegithub"
)

const (
	bot   = "github-actions[bot]"
	token = "ghs_secret"
)

var (
	shaA = strings.Repeat("a", 40)
	shaB = strings.Repeat("b", 40)
	shaC = strings.Repeat("c", 40)
)

// rig is a client on a fake GitHub with one pull request.
type rig struct {
	*fakegithub.Server
	client *Client
	pr     int
	slept  []time.Duration
}

func newRig(t *testing.T, grants map[string]string) *rig {
	t.Helper()
	server, err := fakegithub.New(fakegithub.Options{Owner: "o", Repo: "r"})
	must(t, err)
	server.AddToken(token, fakegithub.Identity{Login: bot, Grants: grants})
	pr := server.AddPull(fakegithub.PullRequest{Title: "faster", Author: "mona", HeadSHA: shaA, HeadRef: "topic/x", BaseSHA: shaB})
	web := httptest.NewServer(server)
	r := &rig{Server: server, pr: pr}
	r.client = newClient(t, web.URL, token)
	r.client.sleeps.sleep = func(_ context.Context, d time.Duration) error {
		r.slept = append(r.slept, d)
		return nil
	}
	t.Cleanup(func() {
		web.Close()
		for _, problem := range server.Problems() {
			t.Errorf("not as GitHub describes it: %s", problem)
		}
	})
	return r
}

func newClient(t *testing.T, url, token string) *Client {
	t.Helper()
	c, err := New(Options{APIURL: url, Token: token, Owner: "o", Repo: "r", Log: func(line string) { t.Log(line) }})
	must(t, err)
	return c
}

// everything is what the gate's job is granted.
var everything = map[string]string{"contents": "read", "pull-requests": "write", "checks": "write", "statuses": "write", "actions": "read", "issues": "write"}

// calls are the log's lines from the n-th on.
func (r *rig) calls(n int) []string {
	var out []string
	for _, c := range r.Log()[n:] {
		out = append(out, c.String())
	}
	return out
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
