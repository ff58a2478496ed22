package e2e

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/action"
)

// A change that builds to the code that is there needs no machine that measures: the plan passes the required check, and what an earlier run
// had said of the pull request is put right in its one comment.
func TestPlanLeavesNothing(t *testing.T) {
	t.Parallel()
	c := newCell(t, newSite(t))
	c.pullRequest("repaired", "main") // its tree is that of the merge base
	c.rehearse = saved(t, regression)
	c.start()
	c.form = &action.WorkflowOptions{Precheck: true}
	c.start()
	if c.jobs["precheck"] != "success" || c.jobs["perfgate"] != "success" || len(c.outputs["gate"]) > 0 || c.outputs["precheck"]["needs-gpu"] != "false" {
		t.Errorf("jobs %v, outputs %v", c.jobs, c.outputs)
	}
	if all := c.github.Comments(1); len(all) != 1 || !strings.Contains(all[0].Body, "head changes nothing") {
		t.Errorf("comments: %+v", all)
	}
	if calls := c.calls(); !strings.HasPrefix(calls[len(calls)-2], "PATCH /issues/comments/") {
		t.Errorf("requests: %v", calls)
	}
}

// What is not the same is measured, and the plan has no word on it. What does not build fails without a machine that measures.
func TestPlanAsksTheMachine(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]struct{ head, measure, says string }{
		"changed": {"slow", "true", phrases[regression]}, "broken": {"broken", "false", "does not build"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCell(t, newSite(t))
			c.pullRequest(w.head, "main")
			c.form = &action.WorkflowOptions{Precheck: true}
			c.rehearse = saved(t, regression)
			c.start()
			measured := len(c.outputs["gate"]) > 0
			if c.outputs["precheck"]["needs-gpu"] != w.measure || measured != (w.measure == "true") || c.jobs["perfgate"] != "failure" {
				t.Errorf("jobs %v, outputs %v", c.jobs, c.outputs)
			}
			if all := c.github.Comments(1); len(all) != 1 || !strings.Contains(all[0].Body, w.says) {
				t.Errorf("comments: %+v", all)
			}
		})
	}
}
