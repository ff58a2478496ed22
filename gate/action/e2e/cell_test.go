package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/action"
	"github.com/org/perfgate/gate/internal/fakegithub"
)

const (
	owner, repo = "octo", "consumer"
	repoID      = 4711
	token       = "ghs_rehearsal"
	label       = "perfgate-accept"
)

// cell is one run of a workflow.
type cell struct {
	*testing.T
	site     *site
	dir      string // RIG_DIR of the shims
	checkout string
	github   *fakegithub.Server
	origin   string
	url      string
	run      int64

	// What is to be set before start.
	workflow string // perfgate or perfgate-record
	event    string
	payload  map[string]any
	head     string                  // what actions/checkout would leave checked out
	rehearse string                  // a saved result; "" measures
	env      map[string]string       // of all steps, as a workflow can set it
	form     *action.WorkflowOptions // of the workflows; nil: as the sample repository has them

	// What there is afterwards.
	failed  bool
	jobs    map[string]string            // result by name
	outputs map[string]map[string]string // of the action, by job
	summary string
	log     string
}

// newCell copies the repository and starts a GitHub that has it.
func newCell(t *testing.T, s *site) *cell {
	t.Helper()
	c := &cell{T: t, site: s, dir: t.TempDir(), workflow: "perfgate", run: 99, jobs: map[string]string{}, outputs: map[string]map[string]string{}}
	c.checkout, c.origin = filepath.Join(c.dir, "checkout"), filepath.Join(c.dir, "origin.git")
	must(c, s.git(c.dir, "clone", "--quiet", "--bare", s.origin, c.origin))
	server, err := fakegithub.New(fakegithub.Options{Owner: owner, Repo: repo, ID: repoID, GitDir: c.origin})
	must(c, err)
	server.AddToken(token, fakegithub.Identity{Login: "github-actions[bot]", Grants: map[string]string{"contents": "read", "pull-requests": "write", "checks": "write"}})
	server.SetPermission("mona", "write")
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	c.github, c.url = server, web.URL
	return c
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// start runs the workflow to its end.
func (c *cell) start() {
	c.Helper()
	c.failed, c.summary, c.log = false, "", ""
	clear(c.jobs)
	clear(c.outputs)
	c.layOut()
	file := filepath.Join(c.dir, "event.json")
	data, err := json.Marshal(c.payload)
	must(c, err)
	must(c, os.WriteFile(file, data, 0o644))
	cmd := exec.Command(c.site.act, c.arguments(file)...)
	cmd.Dir, cmd.Env = c.checkout, c.site.env()
	out, err := cmd.StdoutPipe()
	must(c, err)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	must(c, cmd.Start())
	c.read(out)
	c.failed = cmd.Wait() != nil
	if len(c.jobs) == 0 {
		c.Fatalf("no job has run:\n%s%s", c.log, complaint.String())
	}
	c.Logf("jobs %v, summary:\n%s", c.jobs, c.summary)
	for _, problem := range c.github.Problems() {
		c.Errorf("not as GitHub describes it: %s", problem)
	}
	c.Cleanup(func() {
		if c.Failed() {
			c.Logf("log:\n%s", c.log)
			c.Logf("calls: %v", c.calls())
		}
	})
}

// layOut leaves what actions/checkout with fetch-depth: 0 leaves: a detached commit and the branches of origin.
func (c *cell) layOut() {
	must(c, os.RemoveAll(c.checkout))
	must(c, c.site.git(c.dir, "clone", "--quiet", "--no-checkout", c.origin, c.checkout))
	must(c, c.site.git(c.checkout, "checkout", "--quiet", "--detach", c.head))
	must(c, c.site.git(c.checkout, "branch", "--quiet", "-D", "main"))
	if c.form != nil {
		c.writeForm()
	}
}

func (c *cell) arguments(eventFile string) []string {
	shims, err := filepath.Abs("shims")
	must(c, err)
	args := []string{
		c.event, "--json", "--no-cache-server", "--no-skip-checkout", "--action-cache-path", c.site.cache, "--use-new-action-cache",
		"-W", filepath.Join(c.checkout, ".github", "workflows", c.workflow+".yml"), "-e", eventFile,
		"-P", "self-hosted=-self-hosted", "-P", "gpu=-self-hosted", "-P", "ubuntu-latest=-self-hosted",
		"-s", "GITHUB_TOKEN=" + token, "--actor", "mona",
	}
	for use := range c.uses("org/perfgate") {
		args = append(args, "--local-repository", use+"="+c.site.action)
	}
	for use := range c.uses("actions/") {
		name, _, _ := strings.Cut(strings.TrimPrefix(use, "actions/"), "@")
		args = append(args, "--local-repository", use+"="+filepath.Join(shims, name))
	}
	for name, value := range map[string]string{
		"GITHUB_API_URL": c.url, "GITHUB_SERVER_URL": strings.TrimSuffix(c.url, "/api/v3"), "GITHUB_REPOSITORY": owner + "/" + repo, "GITHUB_RUN_ID": fmt.Sprint(c.run), "RIG_DIR": c.dir, "PERFGATE_REHEARSE": c.rehearse,
	} {
		args = append(args, "--env", name+"="+value)
	}
	for name, value := range c.env {
		args = append(args, "--env", name+"="+value)
	}
	return args
}

// uses lists the actions whose names begin so, pinned, in the workflows and in the action itself.
func (c *cell) uses(prefix string) map[string]bool {
	found := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(c.checkout, ".github", "workflows", "*.yml"))
	must(c, err)
	for _, file := range append(files, filepath.Join(c.site.action, "action.yml")) {
		text, err := os.ReadFile(file)
		must(c, err)
		for line := range strings.Lines(string(text)) {
			if _, use, ok := strings.Cut(line, "uses: "+prefix); ok {
				use, _, _ = strings.Cut(strings.TrimSpace(use), " ")
				found[prefix+use] = true
			}
		}
	}
	return found
}

// read takes what the engine says of jobs, outputs and summaries.
func (c *cell) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var said struct {
			Msg, Job, JobResult, Command, Name, Arg, Content string
			StepID                                           []string
		}
		if json.Unmarshal(lines.Bytes(), &said) != nil {
			c.log += lines.Text() + "\n"
			continue
		}
		c.log += fmt.Sprintf("[%s] %s\n", said.Job, strings.TrimRight(said.Msg, "\n"))
		_, job, _ := strings.Cut(strings.TrimSpace(said.Job), "/")
		switch {
		case said.JobResult != "":
			c.jobs[job] = said.JobResult
		case said.Command == "set-output" && len(said.StepID) == 1:
			if c.outputs[job] == nil {
				c.outputs[job] = map[string]string{}
			}
			c.outputs[job][said.Name] = said.Arg
		case said.Command == "summary":
			c.summary += said.Content
		}
	}
}

// calls are the requests, METHOD PATH STATUS without queries and hashes.
func (c *cell) calls() []string {
	var out []string
	for _, call := range c.github.Log() {
		path, _, _ := strings.Cut(call.Path, "?")
		path = strings.TrimPrefix(path, "/repos/"+owner+"/"+repo)
		path = regexp.MustCompile(`/commits/[0-9a-f]{40}/`).ReplaceAllString(path, "/commits/HEAD/")
		out = append(out, fmt.Sprintf("%s %s %d", call.Method, path, call.Status))
	}
	return out
}

// example reads an event as GitHub publishes it, for the consumer's repository.
func (c *cell) example(file string) {
	data, err := os.ReadFile(filepath.Join(root, "testdata", "github", "webhooks", file+".json"))
	must(c, err)
	must(c, json.Unmarshal(data, &c.payload))
	c.set("repository.name", repo)
	c.set("repository.full_name", owner+"/"+repo)
	c.set("repository.owner.login", owner)
	c.set("repository.id", repoID)
	c.set("repository.default_branch", "main")
	c.set("repository.private", false)
}

// set replaces a value of the payload, where there must be one.
func (c *cell) set(path string, value any) {
	at := c.payload
	names := strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		next, ok := at[name].(map[string]any)
		if !ok {
			c.Fatalf("the event has no %s", path)
		}
		at = next
	}
	if _, ok := at[names[len(names)-1]]; !ok {
		c.Fatalf("the event has no %s", path)
	}
	at[names[len(names)-1]] = value
}

// pullRequest makes the event of a pull request from branch head into base.
func (c *cell) pullRequest(head, base string, labels ...string) {
	headSHA, baseSHA := c.site.commits[head], c.site.commits[base]
	number := c.github.AddPull(fakegithub.PullRequest{Title: head, Author: "mona", HeadSHA: headSHA, HeadRef: head, BaseSHA: baseSHA, BaseRef: base})
	c.event = "pull_request"
	c.example("pull_request.synchronize.22")
	for path, value := range map[string]any{
		"number": number, "pull_request.number": number, "pull_request.head.sha": headSHA, "pull_request.head.ref": head,
		"pull_request.base.sha": baseSHA, "pull_request.base.ref": base, "pull_request.user.login": "mona", "pull_request.labels": []any{},
	} {
		c.set(path, value)
	}
	for _, side := range []string{"head", "base"} {
		c.set("pull_request."+side+".repo.full_name", owner+"/"+repo)
		c.set("pull_request."+side+".repo.name", repo)
		c.set("pull_request."+side+".repo.id", repoID)
	}
	var list []any
	for _, l := range labels {
		c.github.Label(number, l, "mona")
		list = append(list, map[string]any{"name": l})
	}
	if list != nil {
		c.set("pull_request.labels", list)
	}
	c.head = c.merge(headSHA, baseSHA)
	must(c, c.site.git(c.origin, "update-ref", "refs/heads/"+head, headSHA))
}

// merge makes the commit that GITHUB_SHA is in a pull_request run.
func (c *cell) merge(head, base string) string {
	tree, err := output(c.origin, c.site.env(), "git", "rev-parse", head+"^{tree}")
	must(c, err)
	sha, err := output(c.origin, c.site.env(), "git", "commit-tree", strings.TrimSpace(tree), "-p", base, "-p", head, "-m", "merge")
	must(c, err)
	must(c, c.site.git(c.origin, "update-ref", "refs/heads/merge-of-"+head[:12], strings.TrimSpace(sha)))
	return strings.TrimSpace(sha)
}

// mergeGroup makes the event of a queued pull request.
func (c *cell) mergeGroup(head, base string) {
	c.event = "merge_group"
	c.github.AddPull(fakegithub.PullRequest{Title: head, Author: "mona", HeadSHA: c.site.commits[head], HeadRef: head, BaseSHA: c.site.commits[base], BaseRef: "main"})
	c.example("merge_group.checks_requested.0")
	c.head = c.merge(c.site.commits[head], c.site.commits[base])
	c.set("merge_group.head_sha", c.head)
	c.set("merge_group.base_sha", c.site.commits[base])
	c.set("merge_group.head_ref", "refs/heads/gh-readonly-queue/main/pr-1-"+c.site.commits[base])
}

// dispatch makes the event of a person who presses the button on a branch.
func (c *cell) dispatch(branch string, inputs map[string]any) {
	c.event = "workflow_dispatch"
	c.example("workflow_dispatch.0")
	c.set("ref", "refs/heads/"+branch)
	c.payload["inputs"] = inputs
	c.head = c.site.commits[branch]
}

// push makes the event of a push of a commit to main.
func (c *cell) push(head string) {
	c.workflow, c.event = "perfgate-record", "push"
	c.example("push.0")
	c.head = c.site.commits[head]
	c.set("ref", "refs/heads/main")
	c.set("after", c.head)
	c.set("before", c.site.commits["main"])
	c.set("created", false)
	must(c, c.site.git(c.origin, "update-ref", "refs/heads/main", c.head))
	c.github.AddToken(token, fakegithub.Identity{Login: "github-actions[bot]", Grants: map[string]string{"contents": "write"}})
}
