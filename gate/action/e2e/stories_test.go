package e2e

import (
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/internal/fakegithub"
	"github.com/org/perfgate/kernels/sandbox"
)

// A pull request that touches only what paths leaves out passes at once, and says so.
func TestUnwatched(t *testing.T) {
	t.Parallel()
	c := newCell(t, newSite(t))
	c.pullRequest("docs", "main")
	c.start()
	c.gated(want{exit: "0", says: "only files that paths leaves out", calls: silent})
}

// A run whose commit is not the head any more measures nothing, passes nothing and leaves the comment alone.
func TestSuperseded(t *testing.T) {
	t.Parallel()
	c := newCell(t, newSite(t))
	c.pullRequest("slow", "main")
	c.github.Push(1, c.site.commits["fine"], true)
	c.start()
	if c.jobs["gate"] != "failure" || c.jobs["perfgate"] != "failure" || !strings.Contains(c.summary, "superseded") {
		t.Errorf("jobs %v, summary:\n%s", c.jobs, c.summary)
	}
	if got := c.calls(); !slices.Equal(got, []string{look}) {
		t.Errorf("requests: %v", got)
	}
	if out := c.outputs["gate"]; out["verdict"] != "error" || out["exit-code"] != "3" {
		t.Errorf("outputs: %v", out)
	}
}

// A token that may read alone changes nothing about the verdict; what is missing is said.
func TestMissingPermissions(t *testing.T) {
	t.Parallel()
	c := newCell(t, newSite(t))
	c.github.AddToken(token, fakegithub.Identity{Login: "github-actions[bot]", Grants: map[string]string{"contents": "read"}})
	c.pullRequest("slow", "main")
	c.rehearse = saved(t, regression)
	c.start()
	if got := c.outputs["gate"]["exit-code"]; got != "1" {
		t.Errorf("exit code %q, want 1", got)
	}
	for _, need := range []string{"checks: write", "pull-requests: write"} {
		if !strings.Contains(c.summary, need) {
			t.Errorf("the summary does not say that %s is missing:\n%s", need, c.summary)
		}
	}
}

// Labels that are not perfgate's, and edits of a title, start a run of the workflow that neither measures nor reports under
// the required name.
func TestNothingToMeasure(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for name, change := range map[string]map[string]any{
		"another label": {"action": "labeled", "label": map[string]any{"name": "bug"}},
		"another title": {"action": "edited", "changes": map[string]any{"title": map[string]any{"from": "slow"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCell(t, s)
			c.pullRequest("slow", "main", "bug")
			for field, value := range change {
				c.payload[field] = value
			}
			c.start()
			if len(c.calls()) > 0 || c.failed || c.jobs["gate"] == "failure" {
				t.Errorf("jobs %v, requests %v", c.jobs, c.calls())
			}
			if c.jobs["perfgate"] != "" || c.jobs["perfgate (nothing to measure)"] != "success" {
				t.Errorf("jobs %v: none may have the name of the required check", c.jobs)
			}
		})
	}
}

// A pull request that is turned to another base branch is measured again: its verdict is on the commit, and was about the
// branch before.
func TestRetargeted(t *testing.T) {
	t.Parallel()
	c := newCell(t, newSite(t))
	c.pullRequest("slow", "main")
	c.payload["action"] = "edited"
	c.payload["changes"] = map[string]any{"base": map[string]any{"ref": map[string]any{"from": "lax"}, "sha": map[string]any{"from": c.site.commits["main"]}}}
	c.rehearse = saved(t, regression)
	c.start()
	if got := c.outputs["gate"]["exit-code"]; got != "1" || c.jobs["perfgate"] != "failure" {
		t.Errorf("exit code %q, jobs %v", got, c.jobs)
	}
}

// A pull request from a fork is not run, and its required check does not pass.
func TestFork(t *testing.T) {
	t.Parallel()
	c := newCell(t, newSite(t))
	c.pullRequest("slow", "main")
	c.set("pull_request.head.repo.full_name", "stranger/consumer")
	c.start()
	if c.jobs["perfgate"] != "failure" || len(c.calls()) > 0 || len(c.outputs["gate"]) > 0 {
		t.Errorf("jobs %v, requests %v, outputs %v", c.jobs, c.calls(), c.outputs)
	}
}

// A pull request that loosens parity's tolerances is judged by base's configuration, unless a label approves its own: whose label does is
// gate/action's to test.
func TestChangedConfiguration(t *testing.T) {
	for _, approved := range []bool{false, true} {
		c := newCell(t, newSite(t))
		c.pullRequest("lax", "main")
		exit := "1"
		if approved {
			c.labelBy("mona")
			exit = "0"
		}
		c.start()
		if got := c.outputs["gate"]["exit-code"]; got != exit {
			t.Errorf("approved: %v, exit code %q, want %s", approved, got, exit)
		}
		if comments := c.github.Comments(1); len(comments) != 1 || !strings.Contains(comments[0].Body, "parity") {
			t.Errorf("the comment does not name what was changed: %+v", comments)
		}
		if n := len(c.calls()); n > 2*mostCalls {
			t.Errorf("%d requests: %v", n, c.calls())
		}
	}
}

// A mistake in the configuration is the reader's to correct: file and line as the repository has them, exit code 2.
func TestBadConfiguration(t *testing.T) {
	t.Parallel()
	c := newCell(t, newSite(t))
	c.pullRequest("onward", "typo")
	c.start()
	if got := c.outputs["gate"]["exit-code"]; got != "2" {
		t.Errorf("exit code %q, want 2", got)
	}
	comments := c.github.Comments(1)
	if len(comments) != 1 || !strings.Contains(comments[0].Body, "perfgate.yaml:") || !strings.Contains(comments[0].Body, "tolerence") || strings.Contains(comments[0].Body, "/tmp/") {
		t.Errorf("comments: %+v", comments)
	}
}

// A regression that a commit asks to accept passes with the label, and the report says who vouched for it.
func TestAcceptedRegression(t *testing.T) {
	t.Parallel()
	c := newCell(t, newSite(t))
	c.pullRequest("asking", "main")
	c.labelBy("mona")
	c.rehearse = saved(t, regression)
	c.start()
	if got := c.outputs["gate"]["exit-code"]; got != "0" || c.failed {
		t.Errorf("exit code %q, jobs %v", got, c.jobs)
	}
	if all := c.github.Comments(1); len(all) != 1 || !strings.Contains(all[0].Body, "needed for accuracy") || !strings.Contains(all[0].Body, "mona") {
		t.Errorf("comments: %+v", all)
	}
}

// Code under test finds no token in any process above it, even where the workflow hands one to all of its steps: neither in the sandbox nor without it.
// In the sandbox it reaches neither the runner that started its job nor the time after it.
func TestKernelReachesNothing(t *testing.T) {
	heads := map[string]string{"spy": "main", "wide-spy": "wide"}
	if sandbox.Seccomp() && sandbox.LandlockABI() > 0 {
		port, err := net.Listen("unix", diagnosticPort)
		must(t, err)
		defer port.Close()
		delete(heads, "spy")
		heads["intruder"] = "main" // a spy as well
	}
	for head, base := range heads {
		t.Run(head, func(t *testing.T) {
			c := newCell(t, newSite(t))
			c.env = map[string]string{"GITHUB_TOKEN": token, "GH_TOKEN": token}
			c.pullRequest(head, base)
			c.start()
			c.gated(want{exit: "1", says: "computes the wrong result", comment: true, calls: spoken})
		})
	}
}

// A schedule measures the default branch again, whatever records there are.
func TestSchedule(t *testing.T) {
	t.Parallel()
	c := newCell(t, newSite(t))
	c.push("newer")
	c.event, c.payload = "schedule", map[string]any{"schedule": "17 3 * * 1"}
	c.rehearse = saved(t, pass)
	c.start()
	c.recorded(true)
}

// The API of a GitHub Enterprise Server lies elsewhere.
func TestEnterpriseServer(t *testing.T) {
	t.Parallel()
	c := newCell(t, newSite(t))
	c.url += "/api/v3"
	c.pullRequest("slow", "main")
	c.rehearse = saved(t, pass)
	c.start()
	c.gated(want{exit: "0", says: phrases[pass], calls: silent})
}

// labelBy puts the label on the pull request, in the event as well.
func (c *cell) labelBy(login string) {
	c.github.Label(1, label, login)
	c.set("pull_request.labels", []any{map[string]any{"name": label}})
}
