package e2e

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/action"
	"github.com/org/perfgate/gate/internal/fakegithub"
	"github.com/org/perfgate/gate/internal/ruletest"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/stats"
)

// writeForm puts another form of the workflows into the checkout, as perfgate init --github writes it.
func (c *cell) writeForm() {
	files, err := action.Workflows(*c.form)
	must(c, err)
	for name, text := range files {
		must(c, os.WriteFile(filepath.Join(c.checkout, name), text, 0o644))
	}
}

var stranger = fakegithub.HeadRepo{FullName: "stranger/consumer", ID: 815}

// forkPull makes the event of a pull request from a fork.
func (c *cell) forkPull(head, base string) {
	c.pullRequest(head, base)
	pr := fakegithub.PullRequest{Number: 1, Title: head, Author: "stranger", HeadSHA: c.site.commits[head], HeadRef: head, HeadRepo: stranger, BaseSHA: c.site.commits[base], BaseRef: base}
	c.github.AddPull(pr)
	c.set("pull_request.user.login", "stranger")
	c.set("pull_request.head.repo.full_name", stranger.FullName)
	c.set("pull_request.head.repo.id", stranger.ID)
}

// measureFork runs the measuring workflow of the form for forks.
func (c *cell) measureFork(head, base string, shards int) {
	c.form = &action.WorkflowOptions{Forks: true, Shards: shards}
	c.workflow = "perfgate-measure"
	c.forkPull(head, base)
	c.start()
	if calls := c.calls(); len(calls) > 0 {
		c.Errorf("a job without a token has asked GitHub: %v", calls)
	}
	if strings.Contains(c.log, token) {
		c.Error("the token of the job is in the log")
	}
}

// reportFork has GitHub keep what the measuring workflow left, and runs the reporting workflow on its end.
func (c *cell) reportFork(branch string) {
	head := c.site.commits[branch]
	run := c.github.AddRun()
	c.keepArtifacts(run)
	c.github.AddToken(token, fakegithub.Identity{Login: "github-actions[bot]", Grants: map[string]string{
		"actions": "read", "checks": "write", "contents": "read", "pull-requests": "write", "statuses": "write"}})
	c.workflow, c.event, c.head = "perfgate-report", "workflow_run", c.site.commits["newer"]
	c.example("workflow_run.completed.0")
	for path, value := range map[string]any{
		"action": "completed", "workflow_run.id": run, "workflow_run.name": "perfgate measure", "workflow_run.head_sha": head, "workflow_run.head_branch": branch,
		"workflow_run.event": "pull_request", "workflow_run.conclusion": "success", "workflow_run.pull_requests": []any{},
		"workflow_run.head_repository.id": stranger.ID, "workflow_run.head_repository.name": repo, "workflow_run.head_repository.full_name": stranger.FullName,
		"workflow_run.head_repository.owner.login": "stranger",
	} {
		c.set(path, value)
	}
	c.start()
}

// keepArtifacts zips what the upload shim was given.
func (c *cell) keepArtifacts(run int64) {
	folders, err := filepath.Glob(filepath.Join(c.dir, "artifacts", "*"))
	must(c, err)
	for _, folder := range folders {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		must(c, w.AddFS(os.DirFS(folder)))
		must(c, w.Close())
		c.github.AddArtifact(run, filepath.Base(folder), b.Bytes())
	}
}

// consistent is a saved pass of three cases that follows from its samples, so that it can be decided again.
func consistent(t *testing.T) string {
	t.Helper()
	res, err := result.ReadFile(filepath.Join("testdata", "pass.json"))
	must(t, err)
	third := res.Cases[1]
	third.Name, third.Params = "horner/n=80000", []result.Param{{Name: "n", Value: "80000"}}
	res.Cases = append(res.Cases, third)
	res.Policy.Cases = len(res.Cases)
	return ended(t, res, pass)
}

// decide makes head slower by a factor and goes through the looks.
func decide(t *testing.T, c *result.Case, p result.Policy, factor float64) {
	t.Helper()
	var processes []result.Process
	for _, one := range c.Processes {
		if one.Variant == result.VariantHead {
			q := &one.Quantiles
			for _, ns := range []*float64{&one.ValueNS, &one.ElapsedNS, &one.WaitedNS, &q.Min, &q.P25, &q.P50, &q.P75, &q.P90, &q.P99, &q.Max} {
				*ns *= factor
			}
		}
		processes = append(processes, one)
	}
	c.Processes = processes
	rounds := rule.Rounds(processes)
	err := ruletest.Decide(c, rule.TimingOf(*c.Method), p, func(size int) []stats.Round {
		if size > len(rounds) {
			return nil
		}
		return rounds[:size]
	})
	if err != nil || !c.Verdict.Decided() {
		t.Fatalf("%s is not decided by the rounds that were saved: %v", c.Name, err)
	}
}

// reported checks what the report of a fork has set.
func (c *cell) reported(branch, state, says string) {
	c.Helper()
	if c.jobs["report"] != "success" || c.failed {
		c.Errorf("jobs %v", c.jobs)
	}
	all := c.github.Statuses(c.site.commits[branch])
	if len(all) != 1 || all[0].Context != "perfgate/verdict" || all[0].State != state || !strings.HasPrefix(all[0].Description, "advisory, ") {
		c.Errorf("statuses %+v; want one that is %s, and advisory", all, state)
	}
	if !strings.Contains(c.summary, says) || !strings.Contains(c.summary, "measured by a run that the pull request controls") {
		c.Errorf("the summary does not say %q, or not what it rests on:\n%s", says, c.summary)
	}
	if comments := c.github.Comments(1); state != "success" && (len(comments) != 1 || !strings.Contains(comments[0].Body, says)) {
		c.Errorf("comments %+v; want one that says %q", comments, says)
	}
	if n := len(c.calls()); n > mostCalls+4 { // two more for each further part
		c.Errorf("%d requests: %v", n, c.calls())
	}
}

// A fork's pull request is measured by one workflow, without a token, and reported by another. A part that is missing is an error.
func TestForks(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for name, w := range map[string]struct {
		shards            int
		lost, state, says string
	}{
		"one job": {0, "", "success", phrases[pass]}, "shards": {3, "", "success", phrases[pass]}, "a lost shard": {3, "perfgate-shard-3", "error", "is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCell(t, s)
			c.rehearse = consistent(t)
			c.env = map[string]string{"RIG_LOSE": w.lost}
			c.measureFork("three-slow", "three", w.shards)
			c.reportFork("three-slow")
			c.reported("three-slow", w.state, w.says)
		})
	}
}

// A real kernel, compiled and timed in the sandbox that the form for forks insists on.
func TestForksMeasured(t *testing.T) {
	c := newCell(t, newSite(t))
	c.measureFork("slow", "main", 0)
	if _, err := os.Stat(filepath.Join(c.dir, "artifacts", "perfgate", "result.json")); err != nil && strings.Contains(c.log, "Landlock") {
		t.Skip("this kernel has no Landlock, and the workflow for forks does not measure without a sandbox")
	}
	c.reportFork("slow")
	c.reported("slow", "failure", "slower")
}

// Code from a fork finds no token in any process above it, even where the pull request's workflow hands one to all steps.
func TestForksSpy(t *testing.T) {
	c := newCell(t, newSite(t))
	c.env = map[string]string{"GITHUB_TOKEN": token, "GH_TOKEN": token}
	c.measureFork("spy", "main", 0)
	c.env = nil
	c.reportFork("spy")
	c.reported("spy", "failure", "computes the wrong result")
}

// The sharded form for the repository's own branches: a matrix measures, the required check makes one verdict, and none of what lacks a part.
func TestShards(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for lost, w := range map[string]want{"": {exit: "0", says: phrases[pass]}, "perfgate-shard-3": {exit: "3", says: "is missing"}} {
		t.Run("lost "+lost, func(t *testing.T) {
			t.Parallel()
			c := newCell(t, s)
			c.form = &action.WorkflowOptions{Shards: 3}
			c.pullRequest("three-slow", "three")
			c.rehearse = consistent(t)
			c.env = map[string]string{"RIG_LOSE": lost}
			c.start()
			if got := c.outputs["perfgate"]["exit-code"]; got != w.exit || (c.jobs["perfgate"] == "success") != (w.exit == "0") || c.failed != (w.exit != "0") {
				c.Errorf("exit code %q, jobs %v; want %s", got, c.jobs, w.exit)
			}
			if !strings.Contains(c.summary, w.says) {
				c.Errorf("the summary does not say %q:\n%s", w.says, c.summary)
			}
			if all := c.github.Comments(1); w.exit != "0" && (len(all) != 1 || !strings.Contains(all[0].Body, w.says)) {
				c.Errorf("comments %+v", all)
			}
			if checks := c.github.Checks(c.site.commits["three-slow"]); len(checks) != 1 {
				c.Errorf("checks %+v", checks)
			}
			if res, err := result.ReadFile(filepath.Join(c.dir, "artifacts", "perfgate", "result.json")); err != nil || fmt.Sprint(int(res.Conclusion.Exit)) != w.exit {
				c.Errorf("the result that was kept: %v", err)
			}
		})
	}
}
