package action

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/internal/fakegithub"
	"github.com/org/perfgate/gate/result"
)

const forkConfiguration = `version: 1
paths: ['*.cc', '*.yaml', '!*.md']
kernels:
  - name: k
    adapter: k.pg.cc
    sources: [k.cc]
    params: {n: {values: [1, 2, 3]}}
gate: {tolerance: 2%}
`

const forkCases = 3

// rig is a job at a step of its own: what started it, a repository, a GitHub, and a folder that code under test may have written anything into.
type rig struct {
	*testing.T
	repo       *checkout
	dir        string // that steps run in
	github     *fakegithub.Server
	base, head string
	tip        string // of the base branch
	run        int64  // that measured, where another one reports
	work       string
	env        map[string]string
	event      map[string]any
	log        bytes.Buffer
	meanwhile  func(path string) // what happens when a request comes
}

// newRig is a job on an event about head in a copy of a repository. GitHub has pull request 1.
func newRig(t *testing.T, repo *checkout, options fakegithub.Options, pull fakegithub.PullRequest) *rig {
	t.Helper()
	r := &rig{T: t, repo: repo, dir: repo.dir, base: repo.b, head: repo.topic, tip: repo.c, work: t.TempDir()}
	options.Owner, options.Repo = "o", "r"
	server, err := fakegithub.New(options)
	r.must(err)
	server.AddToken("ghs_x", fakegithub.Identity{Login: "github-actions[bot]", Grants: map[string]string{
		"contents": "read", "pull-requests": "write", "checks": "write", "statuses": "write", "actions": "read"}})
	server.SetPermission("ada", "write")
	pull.Number = 1
	server.AddPull(pull)
	r.github = server
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if r.meanwhile != nil {
			r.meanwhile(q.URL.Path)
		}
		server.ServeHTTP(w, q)
	}))
	t.Cleanup(func() {
		web.Close()
		for _, problem := range server.Problems() {
			t.Errorf("not as GitHub describes it: %s", problem)
		}
	})
	r.env = map[string]string{
		"GITHUB_EVENT_PATH": filepath.Join(r.work, "event.json"), "GITHUB_REPOSITORY": "o/r", "GITHUB_RUN_ID": "5", "GITHUB_RUN_ATTEMPT": "1",
		"GITHUB_SERVER_URL": web.URL, "GITHUB_API_URL": web.URL, "INPUT_TOKEN": "ghs_x", "INPUT_COMMENT": CommentAlways,
		"GITHUB_OUTPUT": filepath.Join(r.work, "output"), "GITHUB_STEP_SUMMARY": filepath.Join(r.work, "summary"), "PERFGATE_WORK": r.work, "RUNNER_TEMP": r.work,
	}
	for _, name := range []string{"GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"} {
		r.must(os.WriteFile(r.env[name], nil, 0o644))
	}
	return r
}

// repositoryOf is a repository as events have it.
func repositoryOf(owner string, id int64) map[string]any {
	return map[string]any{"id": id, "name": "r", "full_name": owner + "/r", "default_branch": "main", "owner": map[string]any{"login": owner}}
}

// newForkRun is a job that reports a run that has measured a pull request from mallory's fork. Base has a configuration; head changes the kernel.
func newForkRun(t *testing.T, change ...map[string]string) *rig {
	t.Helper()
	repo := copyOf(t, "fork", func(c *checkout) {
		c.clone()
		c.b = c.files("base", map[string]string{"perfgate.yaml": forkConfiguration, "k.pg.cc": "adapter\n", "k.cc": "one\ntwo\nthree\n", ".github/workflows/perfgate-measure.yml": "on: x\n"})
		c.git("branch", "main", c.b)
		c.topic = c.files("faster", map[string]string{"k.cc": "one\nslow\nthree\n"})
	})
	if len(change) > 0 {
		edit := map[string]string{"k.cc": "one\nslow\nthree\n"}
		for _, more := range change {
			maps.Copy(edit, more)
		}
		repo.git("checkout", "--quiet", "--detach", repo.b)
		repo.topic = repo.files("faster", edit)
	}
	r := newRig(t, repo, fakegithub.Options{GitDir: filepath.Join(repo.dir, ".git")},
		fakegithub.PullRequest{Author: "mallory", HeadSHA: repo.topic, HeadRef: "patch-1", HeadRepo: mallorys, BaseSHA: repo.b})
	r.dir = t.TempDir()
	r.run = r.github.AddRun()
	r.env["GITHUB_EVENT_NAME"] = "workflow_run"
	r.event = map[string]any{"action": "completed", "repository": repositoryOf("o", 1), "workflow_run": map[string]any{
		"id": r.run, "run_attempt": 1, "name": "perfgate measure", "head_sha": r.head, "head_branch": "patch-1", "event": "pull_request",
		"conclusion": "success", "head_repository": repositoryOf("mallory", 77), "pull_requests": []any{},
	}}
	return r
}

// newReporting is a job of a pull request of the repository.
func newReporting(t *testing.T) *rig {
	t.Helper()
	repo := newCheckout(t)
	r := newRig(t, repo, fakegithub.Options{}, fakegithub.PullRequest{Author: "m", HeadSHA: repo.topic, HeadRef: "topic", BaseSHA: repo.c})
	r.event = map[string]any{"action": "opened", "repository": repositoryOf("o", 1), "pull_request": map[string]any{
		"number": 1, "state": "open", "user": map[string]any{"login": "m"},
		"head": map[string]any{"ref": "topic", "sha": r.head, "repo": repositoryOf("o", 1)}, "base": map[string]any{"ref": "main", "sha": r.tip, "repo": repositoryOf("o", 1)},
	}}
	maps.Copy(r.env, map[string]string{"GITHUB_EVENT_NAME": "pull_request", "GITHUB_SERVER_URL": "https://github.example", "PERFGATE_EVENT_PR": "1", "PERFGATE_EVENT_HEAD": r.head})
	r.must(os.Mkdir(filepath.Join(r.work, outFolder), 0o755))
	return r
}

// newGated is a job of a pull request whose base has a configuration, and whose head changes the kernel.
func newGated(t *testing.T) *rig {
	t.Helper()
	r := newReporting(t)
	r.configuredAs(forkConfiguration, forkConfiguration, "k.cc")
	return r
}

// about changes what the event says of the run that measured.
func (r *rig) about(field string, value any) { r.event["workflow_run"].(map[string]any)[field] = value }

// pull is the pull request of the event.
func (r *rig) pull() map[string]any { return r.event["pull_request"].(map[string]any) }

// rewriteEvent changes a commit of the event; where that is base, the base branch is there.
func (r *rig) rewriteEvent(side, sha string) {
	if side == "base" {
		r.repo.git("update-ref", "refs/remotes/origin/main", sha)
	}
	r.pull()[side].(map[string]any)["sha"] = sha
}

// headRepository is where the event says that the head of the pull request lives.
func (r *rig) headRepository(repository any) { r.pull()["head"].(map[string]any)["repo"] = repository }

// pushed makes head another commit, in the event too.
func (r *rig) pushed(head string) {
	r.head, r.env["PERFGATE_EVENT_HEAD"] = head, head
	r.github.Push(1, head, false)
	if r.event["pull_request"] != nil {
		r.rewriteEvent("head", head)
	} else {
		r.about("head_sha", head)
	}
}

func (r *rig) label(by string) { r.github.Label(1, defaultLabel, by) }

func (r *rig) job() Job {
	env := func(name string) string { return r.env[name] }
	return Job{Env: env, Dir: r.dir, Log: github.NewLog(&r.log, env), Version: "test"}
}

// step runs a step and returns the job's exit code.
func (r *rig) step(do func(context.Context, Job) error) result.ExitCode {
	r.Helper()
	text, err := json.Marshal(r.event)
	r.must(err)
	r.must(os.WriteFile(r.env["GITHUB_EVENT_PATH"], text, 0o644))
	var exit *result.ExitError
	switch err = do(context.Background(), r.job()); {
	case err == nil:
		return result.ExitPassed
	case errors.As(err, &exit):
		return exit.Code
	}
	r.Fatal(err)
	return 0
}

// ends wants a step to end the job with an exit code, and the summary to say these words.
func (r *rig) ends(do func(context.Context, Job) error, want result.ExitCode, says ...string) {
	r.Helper()
	exit := r.step(do)
	for _, words := range append(says, "") {
		if said := unescaped(r.summary()); exit != want || !strings.Contains(said, words) {
			r.Errorf("exit code %d, want %d and %q:\n%s\n%s", exit, want, words, said, r.log.String())
		}
	}
}

func (r *rig) report() result.ExitCode { return r.step(Report) }

func (r *rig) summary() string {
	text, _ := os.ReadFile(r.env["GITHUB_STEP_SUMMARY"])
	return string(text)
}
func (r *rig) outputs() string { text, _ := os.ReadFile(r.env["GITHUB_OUTPUT"]); return string(text) }

// reports wants the commit of another run to get this status, and the comment to say these words.
func (r *rig) reports(status string, says ...string) {
	r.Helper()
	r.ends(Report, result.ExitPassed)
	if got := r.status(r.head); !strings.HasPrefix(got, "perfgate/verdict "+status) {
		r.Errorf("status %q, want %q\n%s", got, status, r.log.String())
	}
	for _, words := range says {
		if text := unescaped(r.comment()); !strings.Contains(text, words) {
			r.Errorf("the comment does not say %q:\n%s", words, text)
		}
	}
}

var mallorys = fakegithub.HeadRepo{FullName: "mallory/r", ID: 77}

func (r *rig) must(err error) { r.Helper(); must(r, err) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (r *rig) files(message string, files map[string]string) string {
	r.Helper()
	return r.repo.files(message, files)
}

// files commits files on top of what is checked out; one without text is removed.
func (c *checkout) files(message string, files map[string]string) string {
	c.Helper()
	for name, text := range files {
		path := filepath.Join(c.dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		switch {
		case err != nil:
		case text == "":
			err = os.RemoveAll(path)
		default:
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		must(c, err)
	}
	c.git("add", "--all")
	c.git("commit", "--quiet", "--allow-empty", "--message", message)
	return c.at()
}

// status is the newest one that was set on a commit, as CONTEXT STATE: DESCRIPTION.
func (r *rig) status(sha string) string {
	all := r.github.Statuses(sha)
	if len(all) == 0 {
		return ""
	}
	last := all[len(all)-1]
	return last.Context + " " + last.State + ": " + last.Description
}

func (r *rig) comment() string {
	text := ""
	for _, c := range r.github.Comments(1) {
		if c.Author == "github-actions[bot]" {
			text += c.Body
		}
	}
	return text
}

// nothingGained checks that an attempt came to an error that can be seen, on the commit, in the comment and in the summary.
func (r *rig) nothingGained(says ...string) {
	r.Helper()
	r.reports("error: ", says...)
	for _, words := range says {
		if text := unescaped(r.summary()); !strings.Contains(text, words) {
			r.Errorf("the summary does not say %q:\n%s", words, text)
		}
	}
	checks := r.github.Checks(r.head)
	if len(checks) != 1 || checks[0].Conclusion != "action_required" {
		r.Errorf("checks: %+v", checks)
	}
}

// unescaped takes out what keeps Markdown from acting.
func unescaped(text string) string {
	return strings.NewReplacer(`\`, "", "`", "", "\u200b", "", "&#64;", "@").Replace(text)
}
