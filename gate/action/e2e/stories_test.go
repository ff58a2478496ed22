package e2e

import (
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/internal/fakegithub"
	"github.com/org/perfgate/kernels/sandbox"
)

// A pull request that touches nothing that is watched passes at once, and says so.
func TestUnwatched(t *testing.T) {
	t.Parallel()
	c := newCell(t, newSite(t))
	c.pullRequest("docs", "main")
	c.start()
	c.gated(want{exit: "0", says: "no file of the configured paths", calls: silent})
}

// The comment is one, and says what the last run found.
func TestCommentIsEdited(t *testing.T) {
	t.Parallel()
	c := newCell(t, newSite(t))
	c.pullRequest("slow", "main")
	c.rehearse = saved(t, regression)
	c.start()
	c.rehearse = saved(t, pass)
	c.start()
	all := c.github.Comments(1)
	if len(all) != 1 || !strings.Contains(all[0].Body, phrases[pass]) {
		t.Errorf("comments: %+v", all)
	}
	if calls := c.calls(); !strings.HasPrefix(calls[len(calls)-2], "PATCH /issues/comments/") {
		t.Errorf("requests: %v", calls)
	}
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
	for outcome, exit := range map[string]string{pass: "0", regression: "1"} {
		t.Run(outcome, func(t *testing.T) {
			t.Parallel()
			c := newCell(t, newSite(t))
			c.github.AddToken(token, fakegithub.Identity{Login: "github-actions[bot]", Grants: map[string]string{"contents": "read"}})
			c.pullRequest("slow", "main")
			c.rehearse = saved(t, outcome)
			c.start()
			if got := c.outputs["gate"]["exit-code"]; got != exit {
				t.Errorf("exit code %q, want %s", got, exit)
			}
			for _, need := range []string{"checks: write"} {
				if !strings.Contains(c.summary, need) {
					t.Errorf("the summary does not say that %s is missing:\n%s", need, c.summary)
				}
			}
			if outcome == regression && !strings.Contains(c.summary, "pull-requests: write") {
				t.Errorf("the summary does not say that pull-requests: write is missing:\n%s", c.summary)
			}
		})
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

// A pull request that loosens parity's tolerances is judged by base's configuration, unless a person who may write says
// otherwise after its last push.
func TestChangedConfiguration(t *testing.T) {
	const changed = "parity"
	for name, s := range map[string]struct {
		prepare func(*cell)
		exit    string
	}{
		"no label":            {func(c *cell) { c.pullRequest("lax", "main") }, "1"},
		"label of a stranger": {func(c *cell) { c.pullRequest("lax", "main"); c.labelBy("stranger") }, "1"},
		"label before the push": {func(c *cell) {
			c.pullRequest("lax", "main")
			c.labelBy("mona")
			c.github.Push(1, c.site.commits["lax"], false)
		}, "1"},
		"label of a maintainer": {func(c *cell) { c.pullRequest("lax", "main"); c.labelBy("mona") }, "0"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCell(t, newSite(t))
			s.prepare(c)
			c.start()
			if got := c.outputs["gate"]["exit-code"]; got != s.exit {
				t.Errorf("exit code %q, want %s", got, s.exit)
			}
			if comments := c.github.Comments(1); len(comments) != 1 || !strings.Contains(comments[0].Body, changed) {
				t.Errorf("the comment does not name what was changed: %+v", comments)
			}
			if n := len(c.calls()); n > 2*mostCalls {
				t.Errorf("%d requests: %v", n, c.calls())
			}
		})
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
	for _, vouched := range []bool{false, true} {
		c := newCell(t, newSite(t))
		c.pullRequest("asking", "main")
		exit := "1"
		if vouched {
			c.labelBy("mona")
			exit = "0"
		}
		c.rehearse = saved(t, regression)
		c.start()
		if got := c.outputs["gate"]["exit-code"]; got != exit || c.failed == vouched {
			t.Errorf("vouched for: %v, exit code %q", vouched, got)
		}
		comments := c.github.Comments(1)
		if len(comments) != 1 || strings.Contains(comments[0].Body, "needed for accuracy") != vouched || strings.Contains(comments[0].Body, "mona") != vouched {
			t.Errorf("vouched for: %v, comments: %+v", vouched, comments)
		}
	}
}

// Code under test finds no token in any process above it, even where the workflow hands one to all of its steps: neither in
// the sandbox nor without it.
func TestNoTokenAboveTheKernel(t *testing.T) {
	for name, heads := range map[string][2]string{"sandbox": {"spy", "main"}, "no sandbox": {"wide-spy", "wide"}} {
		t.Run(name, func(t *testing.T) {
			c := newCell(t, newSite(t))
			c.env = map[string]string{"GITHUB_TOKEN": token, "GH_TOKEN": token}
			c.pullRequest(heads[0], heads[1])
			c.start()
			c.gated(want{exit: "1", says: "computes the wrong result", comment: true, calls: spoken})
		})
	}
}

// Code under test reaches neither the runner that started its job nor the time after it.
func TestKernelDoesNotReachTheRunner(t *testing.T) {
	if !sandbox.Seccomp() || sandbox.LandlockABI() == 0 {
		t.Skip("this kernel has no sandbox for it")
	}
	port, err := net.Listen("unix", diagnosticPort)
	if err != nil {
		t.Fatal(err)
	}
	defer port.Close()
	c := newCell(t, newSite(t))
	c.pullRequest("intruder", "main")
	c.start()
	c.gated(want{exit: "1", says: "computes the wrong result", comment: true, calls: spoken})
}

// A header of head that takes the place of base's reference is an adapter change, which needs the label.
func TestHeaderThatChangesTheAdapter(t *testing.T) {
	c := newCell(t, newSite(t))
	c.pullRequest("impostor", "main")
	c.start()
	c.gated(want{exit: "1", says: "needs an adapter change and the label", comment: true, calls: spoken})
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
	for _, start := range []func(*cell){func(c *cell) { c.pullRequest("slow", "main") }, func(c *cell) { c.push("newer") }} {
		c := newCell(t, newSite(t))
		c.url += "/api/v3"
		start(c)
		c.rehearse = saved(t, pass)
		c.start()
		if c.event == "push" {
			c.recorded(true)
			continue
		}
		c.gated(want{exit: "0", says: phrases[pass], calls: silent})
	}
}

// labelBy puts the label on the pull request, in the event as well.
func (c *cell) labelBy(login string) {
	c.github.Label(1, label, login)
	c.set("pull_request.labels", []any{map[string]any{"name": label}})
}
