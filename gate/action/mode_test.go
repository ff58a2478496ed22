package action

import (
	"testing"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/request"
)

// Without a token, head's rules are used in a run that the label has started and in no other: a push comes after the label, and
// a label of another name means nothing.
func TestTrustWithoutToken(t *testing.T) {
	t.Parallel()
	in := Inputs{AcceptLabel: "perfgate-accept"}
	pr := &github.PullRequest{Number: 1, Labels: []github.Label{{Name: "perfgate-accept"}}}
	for _, c := range []struct {
		e    github.Event
		want string
	}{
		{github.Event{PR: pr, Action: "labeled", Label: github.Label{Name: "perfgate-accept"}}, repo.TrustWorktree},
		{github.Event{PR: pr, Action: "labeled", Label: github.Label{Name: "bug"}}, repo.TrustBase},
		{github.Event{PR: pr, Action: "unlabeled", Label: github.Label{Name: "perfgate-accept"}}, repo.TrustBase},
		{github.Event{PR: pr, Action: "synchronize"}, repo.TrustBase},
		{github.Event{PR: pr, Action: "opened"}, repo.TrustBase},
		{github.Event{Action: "labeled", Label: github.Label{Name: "perfgate-accept"}}, repo.TrustBase},
	} {
		if got := trustWithoutToken(c.e, in); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.e.Action, c.e.Label.Name, got, c.want)
		}
	}
}

// A label approves the head that the event is of, and no commit that was pushed before or after it.
func TestApprovalIsOfOneHead(t *testing.T) {
	t.Parallel()
	pr := &github.PullRequest{Number: 1}
	for _, c := range []struct {
		a    github.Approval
		e    github.Event
		want bool
	}{
		{github.Approval{Granted: true, SHA: "a"}, github.Event{PR: pr, HeadSHA: "a"}, true},
		{github.Approval{Granted: true, SHA: "b"}, github.Event{PR: pr, HeadSHA: "a"}, false},
		{github.Approval{SHA: "a"}, github.Event{PR: pr, HeadSHA: "a"}, false},
		{github.Approval{Granted: true, SHA: "a"}, github.Event{HeadSHA: "merge"}, true}, // of a merge group
		{github.Approval{SHA: "a"}, github.Event{HeadSHA: "merge"}, false},
	} {
		if got := approves(c.a, c.e); got != c.want {
			t.Errorf("%+v for %q: approves is %v", c.a, c.e.HeadSHA, got)
		}
	}
}

// A part that is run again keeps the seed of its plan; a run that is repeated gets a new one.
func TestSeedAttempt(t *testing.T) {
	t.Parallel()
	first, second := github.Event{RunAttempt: 1}, github.Event{RunAttempt: 2}
	if seedAttempt(first, Inputs{Run: request.Run{Shard: "1/3"}}) != seedAttempt(second, Inputs{Run: request.Run{Shard: "1/3"}}) || seedAttempt(first, Inputs{}) == seedAttempt(second, Inputs{}) {
		t.Error("attempts and seeds do not go together")
	}
	if seedAttempt(first, Inputs{Machine: "l4"}) != seedAttempt(second, Inputs{Machine: "l4"}) {
		t.Error("one of several machines that is run again has another seed than the others")
	}
}
