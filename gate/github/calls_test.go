package github

import (
	"slices"
	"testing"

	"github.com/org/perfgate/gate/internal/fakegithub"
	"github.com/org/perfgate/gate/report"
)

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
	if err := c.PublishCheck(t.Context(), Check{SHA: sha, Name: "perfgate details", ExternalID: "1-1", Conclusion: CheckFailure, Output: out}); err != nil {
		t.Fatal(err)
	}
	if err := c.SetStatus(t.Context(), Status{SHA: sha, Context: "perfgate/verdict", State: StatusFailure, Description: Describe(d)}); err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	if a, err := r.client.Approval(t.Context(), found.Number, label); err != nil || !a.Granted {
		t.Fatal(a, err)
	}
	publish(t, r.client, found.Number, shaC)
	if n := len(r.Log()); n > mostCalls {
		t.Errorf("%d calls: %q", n, r.calls(0))
	}
}

// TestDegrades publishes with a token that may do nothing but read: each refusal is one call, and a permission error.
func TestDegrades(t *testing.T) {
	r := newRig(t, map[string]string{"contents": "read"})
	var needs []string
	for _, try := range []func() error{
		func() error {
			_, err := r.client.UpsertComment(t.Context(), Comment{PR: r.pr, Key: "k", Body: "x", Create: true})
			return err
		},
		func() error { return r.client.PublishCheck(t.Context(), sampleCheck(60)) },
		func() error {
			return r.client.SetStatus(t.Context(), Status{SHA: shaA, Context: "c", State: StatusSuccess})
		},
	} {
		p, ok := IsPermission(try())
		if !ok {
			t.Fatalf("%q, then no permission error", needs)
		}
		needs = append(needs, p.Needs)
	}
	if want := []string{"pull-requests: write", "checks: write", "statuses: write"}; !slices.Equal(needs, want) || len(r.Log()) != 4 {
		t.Errorf("%q in %d calls", needs, len(r.Log()))
	}
}
