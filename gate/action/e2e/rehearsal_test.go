package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/internal/fakegithub"
	"github.com/org/perfgate/gate/result"
)

// want is what a cell must come to.
type want struct {
	exit    string // the gate's exit code, as an output
	says    string // in summary, and in the comment where there is one
	comment bool
	calls   []string
}

// Requests of a normal run, in order.
var (
	look     = "GET /pulls/1 200"
	comments = "GET /issues/1/comments 200"
	write    = "POST /issues/1/comments 201"
	check    = "POST /check-runs 201"
	earlier  = "GET /commits/HEAD/check-runs 200" // how earlier attempts ended
)

var (
	silent = []string{look, earlier, look, comments, check}        // a pull request with nothing to tell
	spoken = []string{look, earlier, look, comments, write, check} // one that gets a comment
	queued = []string{look, earlier, check}                        // a merge group: no comment, but the label of its pull request
	noPR   = []string{earlier, check}
)

// mostCalls is how many requests a normal run may take.
const mostCalls = 12

var exits = map[string]string{pass: "0", regression: "1", parity: "1", inconclusive: "3", unmeasured: "3"}

var phrases = map[string]string{
	pass: "none typically slower by more than", regression: "slower", parity: "wrong", inconclusive: "inconclusive", unmeasured: "COULD NOT MEASURE",
}

// Each event with an end that passes and one that does not, between this and the tests that follow: what an outcome says is gate/action's to test, and
// what has to hold here is the way from an exit code to the required check. Saved results stand for measuring.
func TestMatrix(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for name, m := range map[string]struct {
		outcome string
		start   func(*cell)
		want    want
	}{
		"pull_request/inconclusive":           {inconclusive, func(c *cell) { c.pullRequest("slow", "main") }, want{comment: true, calls: spoken}},
		"merge_group/pass":                    {pass, func(c *cell) { c.mergeGroup("slow", "main") }, want{calls: queued}},
		"merge_group/parity failure":          {parity, func(c *cell) { c.mergeGroup("slow", "main") }, want{calls: queued}},
		"workflow_dispatch/could not measure": {unmeasured, func(c *cell) { c.dispatch("slow", map[string]any{"tolerance": "40%", "profile": "never"}) }, want{calls: noPR}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCell(t, s)
			m.start(c)
			c.rehearse = saved(t, m.outcome)
			c.start()
			m.want.exit, m.want.says = exits[m.outcome], phrases[m.outcome]
			c.gated(m.want)
		})
	}
}

// A base that does not build leaves nothing to compare with.
func TestBrokenBase(t *testing.T) {
	t.Parallel()
	c := newCell(t, newSite(t))
	c.pullRequest("repaired", "broken")
	c.start()
	c.gated(want{exit: "3", says: "base does not build", comment: true, calls: spoken})
}

// A benchmark that a team has is gated by the same workflows: docs/benchmarks.md ends in such a pull request.
func TestBenchmark(t *testing.T) {
	c := newCell(t, newSite(t))
	c.pullRequest("bench-slow", "bench")
	c.start()
	c.gated(want{exit: "1", says: "slower", comment: true, calls: spoken})
	if !strings.Contains(c.summary, "bench/energy/n=20000") || !strings.Contains(c.summary, "hides its tensors") {
		t.Errorf("the summary names no case, or not what was not checked:\n%s", c.summary)
	}
}

// A push to the default branch is measured in one job and stored by another; what is stored is found by the next run. What does not pass is not stored.
func TestRecordIsStoredAndFound(t *testing.T) {
	s := newSite(t)
	c := newCell(t, s)
	c.push("newer")
	c.start()
	c.recorded(true)

	next := newCell(t, s)
	must(next, s.git(next.origin, "fetch", "--quiet", c.origin, "perfgate-baseline:perfgate-baseline"))
	next.dispatch("fine", map[string]any{"base": "main", "profile": "never", "tolerance": "90%"}) // soon decided
	next.start()
	if strings.Contains(next.summary, "there is no stored record") {
		t.Errorf("the record was not found:\n%s", next.summary)
	}
	next.gated(want{exit: "0", says: "none typically slower", calls: noPR})

	wrong := newCell(t, s)
	wrong.push("wrong")
	wrong.rehearse = saved(t, parity)
	wrong.start()
	wrong.recorded(false)
}

// gated checks a run of the gate.
func (c *cell) gated(w want) {
	c.Helper()
	verdict := map[string]string{"0": "pass", "1": "fail", "3": "error"}[w.exit]
	out := c.outputs["gate"]
	if out["exit-code"] != w.exit || out["verdict"] != verdict {
		c.Errorf("exit code %q and verdict %q, want %s and %s", out["exit-code"], out["verdict"], w.exit, verdict)
	}
	job := map[bool]string{true: "success", false: "failure"}[w.exit == "0"]
	check := "perfgate"
	if c.event == "workflow_dispatch" {
		check = "perfgate (by hand)" // the required name is not for a run that chose its base and tolerance
		if said, there := c.jobs["perfgate"]; there {
			c.Errorf("a run by hand reports %s under the required name", said)
		}
	}
	if c.jobs["gate"] != job || c.jobs[check] != job || c.failed != (w.exit != "0") {
		c.Errorf("jobs %v, workflow failed: %v; want %s", c.jobs, c.failed, job)
	}
	if !strings.Contains(c.summary, w.says) {
		c.Errorf("the summary does not say %q:\n%s", w.says, c.summary)
	}
	if got := c.calls(); !slices.Equal(got, w.calls) || len(got) > mostCalls {
		c.Errorf("requests:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(w.calls, "\n"))
	}
	c.commented(w, out["comment-url"])
	c.checked(w)
	kept := filepath.Join(c.dir, "artifacts", "perfgate")
	if _, err := os.Stat(filepath.Join(kept, "report.md")); err != nil {
		c.Error(err)
	}
	if res, err := result.ReadFile(filepath.Join(kept, "result.json")); err != nil {
		c.Error(err)
	} else if fmt.Sprint(int(res.Conclusion.Exit)) != w.exit {
		c.Errorf("the result that was kept has exit code %d", res.Conclusion.Exit)
	}
}

func (c *cell) commented(w want, url string) {
	c.Helper()
	var all []fakegithub.Comment
	if c.event == "pull_request" {
		all = c.github.Comments(1)
	}
	switch {
	case !w.comment && len(all) == 0 && url == "":
	case w.comment && len(all) == 1 && url != "" && strings.Contains(all[0].Body, w.says):
	default:
		c.Errorf("comments %+v at %q; wanted one: %v, saying %q", all, url, w.comment, w.says)
	}
}

func (c *cell) checked(w want) {
	c.Helper()
	head := c.head
	if c.event == "pull_request" {
		head = c.payload["pull_request"].(map[string]any)["head"].(map[string]any)["sha"].(string)
	}
	checks := c.github.Checks(head)
	conclusion := map[string]string{"0": "success", "1": "failure", "3": "action_required"}[w.exit]
	if len(checks) != 1 || checks[0].Conclusion != conclusion || checks[0].Name != "perfgate report (perfgate)" {
		c.Errorf("check runs %+v; want one that concludes %s", checks, conclusion)
	}
}

// recorded checks a run of the recording workflow.
func (c *cell) recorded(stored bool) {
	c.Helper()
	if got := c.outputs["measure"]["has-record"]; (got == "true") != stored {
		c.Errorf("recorded is %q, want %v", got, stored)
	}
	if (c.jobs["measure"] == "success") != stored || c.failed == stored {
		c.Errorf("jobs %v, workflow failed: %v", c.jobs, c.failed)
	}
	listing, err := output(c.origin, c.site.env(), "git", "for-each-ref", "--format=%(refname)", "refs/heads/perfgate-baseline")
	must(c, err)
	if !stored {
		if listing != "" || len(c.calls()) > 0 {
			c.Errorf("something was stored, or asked of GitHub: %s%v", listing, c.calls())
		}
		return
	}
	files, err := output(c.origin, c.site.env(), "git", "ls-tree", "-r", "--name-only", "perfgate-baseline")
	must(c, err)
	if !strings.HasSuffix(files, "/"+c.head+".json.gz\n") || strings.Count(files, "\n") != 1 {
		c.Errorf("the branch has %q, want one record of %s", files, c.head)
	}
	if n := len(c.calls()); n > mostCalls {
		c.Errorf("%d requests, at most %d are wanted: %v", n, mostCalls, c.calls())
	}
}
