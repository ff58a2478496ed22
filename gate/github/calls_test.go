package github

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/internal/fakegithub"
	"github.com/org/perfgate/gate/report"
)

// calls are what the gate asks of GitHub, the grant that each takes, and what there is of it on the rig's commit.
var calls = map[string]struct {
	needs string
	try   func(context.Context, *Client) error
	done  func(*rig) int
}{
	"comment": {"pull-requests: write", func(ctx context.Context, c *Client) error {
		_, err := c.UpsertComment(ctx, Comment{PR: 1, Key: "k", Body: "x", Create: true})
		return err
	}, func(r *rig) int { return len(r.Comments(r.pr)) }},
	"issue": {"issues: write", func(ctx context.Context, c *Client) error {
		found, err := c.OpenIssue(ctx, "k", "")
		if err == nil {
			_, err = c.KeepIssue(ctx, Issue{Number: found.Number, Key: "k", Title: "t", Body: "x\n" + Marker("k")})
		}
		return err
	}, func(r *rig) int { return len(r.Issues()) }},
	"check": {"checks: write", func(ctx context.Context, c *Client) error { return c.PublishCheck(ctx, sampleCheck(120)) }, func(r *rig) int {
		n := 0
		for _, one := range r.Checks(shaA) {
			n += 1 + len(one.Annotations) - 120
		}
		return n
	}},
	"status": {"statuses: write", func(ctx context.Context, c *Client) error {
		return c.SetStatus(ctx, Status{SHA: shaA, Context: "c", State: StatusSuccess})
	}, func(r *rig) int { return len(r.Statuses(shaA)) }},
	"pull": {"", func(ctx context.Context, c *Client) error { _, err := c.PullRequest(ctx, 1); return err }, nil},
	"find": {"", func(ctx context.Context, c *Client) error {
		_, err := c.FindPullRequest(ctx, runOf("o", "x", shaA, 1))
		return err
	}, nil},
	"approval": {"", func(ctx context.Context, c *Client) error { _, err := c.Approval(ctx, 1, label); return err }, nil},
	"list":     {"", func(ctx context.Context, c *Client) error { _, err := c.Artifacts(ctx, 1); return err }, nil},
	"download": {"", func(ctx context.Context, c *Client) error { _, err := c.DownloadArtifact(ctx, 1, 1); return err }, nil},
}

// TestNoConnection asks a GitHub that is gone: an error each, and no panic.
func TestNoConnection(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	web.Close()
	c := through(t, web.URL, http.DefaultTransport.RoundTrip)
	for name, call := range calls {
		if err := call.try(t.Context(), c); err == nil || isPermission(err) || strings.Contains(err.Error(), token) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWithoutPermission writes with tokens that may not: each refusal is one call, and an error that names the grant. GitHub may answer as if there
// were nothing there.
func TestWithoutPermission(t *testing.T) {
	for name, call := range calls {
		scope, _, _ := strings.Cut(call.needs, ":")
		others := maps.Clone(everything)
		delete(others, scope)
		delete(others, "issues") // which is enough for comments as well
		for what, grants := range map[string]map[string]string{"none": {}, "reads only": {scope: "read"}, "others": others, "hidden": everything} {
			if call.needs == "" {
				continue
			}
			r := newRig(t, grants)
			if what == "hidden" {
				r.Inject(fakegithub.Fault{Kind: fakegithub.Hidden})
			}
			err := call.try(t.Context(), r.client)
			if p, ok := IsPermission(err); !ok || p.Needs != call.needs || name == "comment" && !strings.Contains(err.Error(), "pull request 1") {
				t.Errorf("%s, %s: %v", name, what, err)
			}
			writes := r.writes()
			if writes > 1 || len(r.Log())-writes > 1 || call.done(r) > 0 {
				t.Errorf("%s, %s: %q", name, what, r.calls(0))
			}
		}
	}
}

// TestNothingIsDoneTwice fails requests before and after they were done: in the end each is done once.
func TestNothingIsDoneTwice(t *testing.T) {
	for name, call := range calls {
		for _, kind := range []fakegithub.Kind{fakegithub.BadGateway, fakegithub.BadGatewayAfter} {
			for _, method := range []string{http.MethodPost, http.MethodPatch} {
				if call.done == nil {
					continue
				}
				r := newRig(t, everything)
				r.Inject(fakegithub.Fault{Kind: kind, Method: method, Times: 2})
				if err := call.try(t.Context(), r.client); err != nil || call.done(r) != 1 {
					t.Errorf("%s, kind %d, %s: %d, %v", name, kind, method, call.done(r), err)
				}
			}
		}
	}
}

// TestRateLimitsLongerThanAllowed asks without time to wait: one request, and the error says why.
func TestRateLimitsLongerThanAllowed(t *testing.T) {
	for name, call := range calls {
		for limit, kind := range limits {
			r := newRig(t, everything)
			r.Inject(fakegithub.Fault{Kind: kind})
			r.client.sleeps.left = 0
			if err := call.try(t.Context(), r.client); !errors.Is(err, ErrRateLimited) || isPermission(err) || len(r.Log()) != 1 {
				t.Errorf("%s, %s: %v in %d calls", name, limit, err, len(r.Log()))
			}
		}
	}
}

// mostCalls is what a normal run may ask of GitHub, whose limit is 1 000 requests an hour for all jobs of a repository.
const mostCalls = 12

// publish is what both ways of publishing do with a finished run.
func publish(t *testing.T, c *Client, pr int, sha string) {
	t.Helper()
	r := sample(t, "regression")
	d, m := report.New(r), Meta{Key: "perfgate", SHA: sha, ReportURL: reportURL}
	if _, err := c.UpsertComment(t.Context(), Comment{PR: pr, Key: m.Key, Body: RenderComment(d, m), Create: true}); err != nil {
		t.Fatal(err)
	}
	out := RenderCheck(d, m)
	out.Annotations = Annotations(r, map[string][]string{"attention": {"a.cu", "b.cu"}}, []Lines{{"a.cu", 1, 2}, {"b.cu", 4, 4}})
	must(t, c.PublishCheck(t.Context(), Check{SHA: sha, Name: "perfgate details", ExternalID: "1-1", Conclusion: CheckFailure, Output: out}))
	must(t, c.SetStatus(t.Context(), Status{SHA: sha, Context: "perfgate/verdict", State: StatusFailure, Description: Describe(d)}))
}

// TestGateTakesFewCalls publishes from the job that measured: superseded?, comment, check, status, superseded meanwhile?
func TestGateTakesFewCalls(t *testing.T) {
	r := newRig(t, everything)
	for range 250 { // a lively pull request
		r.AddComment(r.pr, "mona", "hello")
	}
	for range 2 {
		before := len(r.Log())
		if now, err := r.client.PullRequest(t.Context(), r.pr); err != nil || now.Head.SHA != shaA {
			t.Fatal(now, err)
		}
		publish(t, r.client, r.pr, shaA)
		if _, err := r.client.PullRequest(t.Context(), r.pr); err != nil {
			t.Fatal(err)
		}
		if n := len(r.Log()) - before; n > mostCalls {
			t.Errorf("%d calls: %q", n, r.calls(0))
		}
	}
}

// TestReportTakesFewCalls publishes from a workflow_run: whose artifact, whose pull request, approved?, comment,
// check, status.
func TestReportTakesFewCalls(t *testing.T) {
	r := newRig(t, everything)
	r.SetPermission("hubot", "write")
	pr := r.AddPull(fakegithub.PullRequest{Author: "mallory", HeadSHA: shaC, HeadRef: "x", HeadRepo: fork})
	r.Label(pr, label, "hubot")
	run := r.AddRun()
	r.AddArtifact(run, "perfgate", []byte("zip"))
	list, err := r.client.Artifacts(t.Context(), run)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if _, err := r.client.DownloadArtifact(t.Context(), list[0].ID, 1<<20); err != nil {
		t.Fatal(err)
	}
	found, err := r.client.FindPullRequest(t.Context(), runOf("mallory", "x", shaC, fork.ID))
	must(t, err)
	if a, err := r.client.Approval(t.Context(), found.Number, label); err != nil || !a.Granted {
		t.Fatal(a, err)
	}
	publish(t, r.client, found.Number, shaC)
	if n := len(r.Log()); n > mostCalls {
		t.Errorf("%d calls: %q", n, r.calls(0))
	}
}
