package github

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/internal/fakegithub"
)

const label = "perfgate-accept"

// TestApproval plays what people do to a pull request of a fork, and asks in the end.
func TestApproval(t *testing.T) {
	type world struct {
		*rig
		pr int
	}
	writer := func(w world) { w.Label(w.pr, label, "hubot") }
	for name, c := range map[string]struct {
		play   func(w world)
		reason string // "" if granted
	}{
		"by a writer":         {writer, ""},
		"by a maintainer":     {func(w world) { w.Label(w.pr, label, "ada") }, ""},
		"nobody":              {func(world) {}, "not there"},
		"another label":       {func(w world) { w.Label(w.pr, "bug", "hubot") }, "not there"},
		"by the author":       {func(w world) { w.Label(w.pr, label, "mallory") }, "may not write"},
		"by a triager":        {func(w world) { w.Label(w.pr, label, "tess") }, "may not write"},
		"taken away":          {func(w world) { writer(w); w.Unlabel(w.pr, label, "hubot") }, "not there"},
		"pushed after":        {func(w world) { writer(w); w.Push(w.pr, shaA, false) }, "before the last push"},
		"pushed, then again":  {func(w world) { writer(w); w.Push(w.pr, shaA, false); w.Unlabel(w.pr, label, "hubot"); writer(w) }, ""},
		"forced after":        {func(w world) { writer(w); w.Push(w.pr, shaA, true) }, "force-pushed"},
		"another base":        {func(w world) { writer(w); w.Retarget(w.pr, "unprotected", "mallory") }, "base branch"},
		"re-applied by other": {func(w world) { writer(w); w.Unlabel(w.pr, label, "tess"); w.Label(w.pr, label, "tess") }, "may not write"},
		// The head was there before, so no check suite or workflow run of it is newer than the label; the force push that
		// made room was before the label, and the push that brings it back is a plain one.
		"away and back":                  {func(w world) { w.Push(w.pr, shaB, true); writer(w); w.Push(w.pr, shaC, false) }, "before the last push"},
		"merged, and its branch deleted": {func(w world) { writer(w); w.Merge(w.pr, shaA) }, ""},
		"labelled after the merge":       {func(w world) { w.Merge(w.pr, shaA); writer(w) }, ""},
		"merged after a push":            {func(w world) { writer(w); w.Push(w.pr, shaA, false); w.Merge(w.pr, shaB) }, "before the last push"},
		"in the same second":             {func(w world) { w.StopClock(); w.Push(w.pr, shaA, false); writer(w) }, "same second"},
		"no list of pushes":              {func(w world) { writer(w); w.ForgetPushes() }, "does not have the present head"},
		// A push that the list does not show yet would otherwise look as if there had been none.
		"list lags behind": {func(w world) { writer(w); w.Push(w.pr, shaA, false); w.ForgetLastPush() }, "does not have the present head"},
		"on the second page of events": {func(w world) {
			for range 60 {
				w.Label(w.pr, "bug", "mallory")
				w.Unlabel(w.pr, "bug", "mallory")
			}
			writer(w)
			for range 150 {
				w.Label(w.pr, "bug", "mallory")
			}
		}, ""},
		"list cannot be read": {func(w world) {
			writer(w)
			w.Inject(fakegithub.Fault{Kind: fakegithub.Hidden, Path: "/repos/mallory/r/activity"})
		}, "does not show this token"},
		"many events": {func(w world) {
			for range 150 {
				w.Label(w.pr, "bug", "mallory")
				w.Unlabel(w.pr, "bug", "mallory")
			}
			writer(w)
			for range 150 {
				w.Label(w.pr, "bug", "mallory")
			}
		}, ""},
	} {
		r := newRig(t, everything)
		r.SetPermission("hubot", "write")
		r.SetPermission("ada", "admin")
		r.SetPermission("tess", "read") // as triage is mapped
		w := world{r, r.AddPull(fakegithub.PullRequest{Author: "mallory", HeadSHA: shaC, HeadRef: "x", HeadRepo: fork, BaseSHA: shaB})}
		c.play(w)
		a, err := r.client.Approval(t.Context(), w.pr, label)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if a.Granted != (c.reason == "") || !strings.Contains(a.Reason, c.reason) || a.Reason == "" {
			t.Errorf("%s: %+v", name, a)
		}
		if now, _ := r.client.PullRequest(t.Context(), w.pr); a.SHA != now.Head.SHA {
			t.Errorf("%s: is about %s, the head is %s", name, a.SHA, now.Head.SHA)
		}
	}
}

// TestApprovalOfStrangers asks in a private repository, where GitHub does not know everybody.
func TestApprovalOfStrangers(t *testing.T) {
	r := newRig(t, everything)
	r.Label(r.pr, label, "ghost")
	r.Inject(fakegithub.Fault{Kind: fakegithub.Hidden, Path: "/collaborators/"})
	if a, err := r.client.Approval(t.Context(), r.pr, label); err != nil || a.Granted || !strings.Contains(a.Reason, "not a collaborator") {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestApprovalNeedsAnAnswer(t *testing.T) {
	for _, path := range []string{"/pulls/", "/events", "/collaborators/", "/activity"} {
		r := newRig(t, everything)
		r.SetPermission("hubot", "write")
		r.Label(r.pr, label, "hubot")
		r.Inject(fakegithub.Fault{Kind: fakegithub.BadGateway, Path: path})
		if a, err := r.client.Approval(t.Context(), r.pr, label); err == nil || a.Granted {
			t.Errorf("%s: %+v, %v", path, a, err)
		}
	}
}

func TestApprovalTakesFewCalls(t *testing.T) {
	r := newRig(t, everything)
	r.SetPermission("hubot", "write")
	r.Label(r.pr, label, "hubot")
	if a, err := r.client.Approval(t.Context(), r.pr, label); err != nil || !a.Granted || len(r.Log()) != 4 {
		t.Errorf("%+v, %v, %d calls", a, err, len(r.Log()))
	}
}
