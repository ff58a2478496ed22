package action

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/internal/fakegithub"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

// The head of the event is not the head of the pull request any more, or the run is none of the gate's business: nothing is set.
func TestForkReportLeavesAlone(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	for name, c := range map[string]struct {
		play func(*rig)
		says string
	}{
		"pushed meanwhile":             {func(r *rig) { r.github.Push(1, r.files("newer", nil), false) }, "superseded"},
		"closed meanwhile":             {func(r *rig) { r.github.Close(1) }, "not the head of an open pull request"},
		"same branch of another fork":  {func(r *rig) { r.repository("mallory", 78) }, "not the head of an open pull request"},
		"same branch, other owner":     {func(r *rig) { r.repository("eve", 77) }, "not the head of an open pull request"},
		"other branch":                 {func(r *rig) { r.about("head_branch", "patch-2") }, "not the head of an open pull request"},
		"other commit":                 {func(r *rig) { r.about("head_sha", r.base) }, "not the head of an open pull request"},
		"cancelled":                    {func(r *rig) { r.about("conclusion", "cancelled") }, "cancelled"},
		"skipped":                      {func(r *rig) { r.about("conclusion", "skipped") }, "skipped"},
		"push":                         {func(r *rig) { r.about("event", "push") }, `started by "push"`},
		"target":                       {func(r *rig) { r.about("event", "pull_request_target") }, "pull_request_target"},
		"merge group of a fork":        {func(r *rig) { r.about("event", "merge_group") }, "another repository"},
		"not ended":                    {func(r *rig) { r.event["action"] = "requested" }, "has not ended"},
		"pushed while it was reported": {func(r *rig) { r.pushDuring("/artifacts") }, "superseded"},
		"turned while it was reported": {func(r *rig) {
			r.meanwhile = func(at string) {
				if strings.HasSuffix(at, "/artifacts") {
					r.meanwhile = nil
					r.github.Retarget(1, "strict", "mallory")
				}
			}
		}, "superseded"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newForkRun(t)
			r.keep("perfgate", r.measured(0))
			c.play(r)
			r.ends(Report, result.ExitPassed)
			for _, call := range r.github.Log() {
				if call.Method != "GET" {
					t.Errorf("something was written: %s", call)
				}
			}
			summary := r.summary()
			if !strings.Contains(unescaped(summary), c.says) {
				t.Errorf("the summary does not say %q:\n%s", c.says, summary)
			}
			outputs := r.outputs()
			if strings.Contains(outputs, "\npass\n") {
				t.Errorf("outputs say pass:\n%s", outputs)
			}
		})
	}
}

// pushDuring pushes to the pull request once the report has come to a request.
func (r *rig) pushDuring(path string) {
	sha := r.files("newer", nil)
	r.meanwhile = func(at string) {
		if strings.HasSuffix(at, path) {
			r.meanwhile = nil
			r.github.Push(1, sha, false)
		}
	}
}

// Two pull requests from one commit: which one it is cannot be told.
func TestForkAmbiguous(t *testing.T) {
	t.Parallel()
	r := newForkRun(t)
	r.github.AddPull(fakegithub.PullRequest{Number: 2, Author: "mallory", HeadSHA: r.head, HeadRef: "patch-1", HeadRepo: mallorys, BaseSHA: r.base})
	r.keep("perfgate", r.measured(0))
	r.report()
	if got := r.status(r.head); !strings.HasPrefix(got, "perfgate/verdict error: ") || len(r.github.Comments(1))+len(r.github.Comments(2)) > 0 {
		t.Errorf("status %q, comments %v", got, r.github.Comments(1))
	}
}

// Without the right to set a status the report has failed, whatever the verdict.
func TestForkStatusCannotBeSet(t *testing.T) {
	t.Parallel()
	r := newForkRun(t)
	r.github.AddToken("ghs_x", fakegithub.Identity{Login: "github-actions[bot]", Grants: map[string]string{"contents": "read", "pull-requests": "write", "checks": "write", "actions": "read"}})
	r.keep("perfgate", r.measured(0))
	if r.ends(Report, result.ExitNotMeasurable); !strings.Contains(r.log.String(), "statuses: write") {
		t.Error(r.log.String())
	}
}

// The status has a name of its own: a check run or a job of that name could be taken for it.
func TestStatusContext(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"perfgate", "l4"} {
		if name := statusContext(key); name == "perfgate" || name == CheckName(key) || name == key {
			t.Errorf("the status of %s is called %s", key, name)
		}
	}
}
