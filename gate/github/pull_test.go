package github

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/internal/fakegithub"
)

func TestPullRequest(t *testing.T) {
	r := newRig(t, everything)
	r.Label(r.pr, "perfgate-accept", "hubot")
	pr, err := r.client.PullRequest(t.Context(), r.pr)
	must(t, err)
	if pr.Number != 1 || pr.Head.SHA != shaA || pr.Head.Ref != "topic/x" || pr.Base.SHA != shaB ||
		pr.Base.Ref != "main" || pr.Fork() || pr.Head.Repo.FullName != "o/r" || pr.Head.Repo.ID != 1 || !slices.Equal(pr.Labels, []Label{{"perfgate-accept"}}) {
		t.Errorf("%+v", pr)
	}
	if _, err := r.client.PullRequest(t.Context(), 77); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v", err)
	}
	r.Push(r.pr, shaC, false)
	if now, err := r.client.PullRequest(t.Context(), r.pr); now.Head.SHA != shaC || err != nil {
		t.Errorf("after a push: %+v, %v", now, err)
	}
}

// runOf is a run of a commit on a branch of a repository.
func runOf(owner, branch, sha string, id int64) WorkflowRun {
	return WorkflowRun{HeadSHA: sha, HeadBranch: branch, HeadRepo: Repo{ID: id, FullName: owner + "/r"}}
}

var fork = fakegithub.HeadRepo{FullName: "mallory/r", ID: 66}

func TestFindPullRequest(t *testing.T) {
	r := newRig(t, everything)
	want := r.AddPull(fakegithub.PullRequest{Author: "mallory", HeadSHA: shaC, HeadRef: "topic/x", HeadRepo: fork})
	pr, err := r.client.FindPullRequest(t.Context(), runOf("mallory", "topic/x", shaC, 66))
	if err != nil || pr.Number != want || !pr.Fork() {
		t.Errorf("%+v, %v", pr, err)
	}
	for name, c := range map[string]struct {
		owner, branch, sha string
		id                 int64
	}{
		"another commit":     {"mallory", "topic/x", shaA, 66},
		"another repository": {"mallory", "topic/x", shaC, 67},
		"another branch":     {"mallory", "topic/y", shaC, 66},
		"another owner":      {"o", "topic/x", shaC, 66},
	} {
		if pr, err := r.client.FindPullRequest(t.Context(), runOf(c.owner, c.branch, c.sha, c.id)); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %+v, %v", name, pr, err)
		}
	}
	before := len(r.Log())
	if _, err := r.client.FindPullRequest(t.Context(), runOf("mallory", "", shaC, 66)); err == nil || len(r.Log()) != before {
		t.Errorf("without a branch: %v", err)
	}
	r.Close(want)
	if _, err := r.client.FindPullRequest(t.Context(), runOf("mallory", "topic/x", shaC, 66)); !errors.Is(err, ErrNotFound) {
		t.Errorf("closed: %v", err)
	}
}

func TestFindPullRequestAmbiguous(t *testing.T) {
	r := newRig(t, everything)
	for _, base := range []string{"main", "release"} {
		r.AddPull(fakegithub.PullRequest{Author: "mallory", HeadSHA: shaC, HeadRef: "x", HeadRepo: fork, BaseRef: base})
	}
	if _, err := r.client.FindPullRequest(t.Context(), runOf("mallory", "x", shaC, 66)); !errors.Is(err, ErrAmbiguous) {
		t.Errorf("%v", err)
	}
}

func TestArtifacts(t *testing.T) {
	r := newRig(t, everything)
	run := r.AddRun()
	var first int64
	for i := range 130 {
		id := r.AddArtifact(run, strings.Repeat("x", i+1), []byte("zip of "+strings.Repeat("x", i)))
		if i == 0 {
			first = id
		}
	}
	list, err := r.client.Artifacts(t.Context(), run)
	if err != nil || len(list) != 130 || list[0].ID != first {
		t.Errorf("%d, %v", len(list), err)
	}
	calls := len(r.Log())
	data, err := r.client.DownloadArtifact(t.Context(), first, 7)
	if err != nil || string(data) != "zip of " {
		t.Errorf("%q, %v", data, err)
	}
	if n := len(r.Log()) - calls; n != 1 {
		t.Errorf("%d calls for a download", n)
	}
	if _, err := r.client.DownloadArtifact(t.Context(), first, 6); err == nil || !strings.Contains(err.Error(), "over 6 bytes") {
		t.Errorf("%v", err)
	}
	if _, err := r.client.DownloadArtifact(t.Context(), 5, 7); err == nil {
		t.Error("an artifact that is not there")
	}
	if _, err := r.client.Artifacts(t.Context(), 5); !isPermission(err) {
		t.Errorf("%v", err)
	}
}

func TestArtifactsOfAFlood(t *testing.T) {
	r := newRig(t, everything)
	run := r.AddRun()
	for range 600 {
		r.AddArtifact(run, "x", nil)
	}
	if _, err := r.client.Artifacts(t.Context(), run); err == nil || !strings.Contains(err.Error(), "over 500") {
		t.Errorf("%v", err)
	}
}
