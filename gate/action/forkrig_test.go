package action

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/org/perfgate/gate/render"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/internal/fakegithub"
	"github.com/org/perfgate/gate/internal/ruletest"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/run"
)

const forkConfiguration = `version: 1
paths: ['*.cc', '*.yaml']
kernels:
  - name: k
    adapter: k.pg.cc
    sources: [k.cc]
    params: {n: {values: [1, 2, 3]}}
gate: {tolerance: 2%}
`

const forkCases = 3

// forkRun is a pull request from mallory's fork that a run has measured, and a job that reports it. Base has a
// configuration; head changes the kernel.
type forkRun struct {
	*testing.T
	repo       *checkout // of everything
	github     *fakegithub.Server
	base, head string
	tip        string // of the base branch, where it has moved on
	run        int64
	env        map[string]string
	log        bytes.Buffer
	payload    map[string]any
	meanwhile  func(path string) // what happens when a request comes
}

func newForkRun(t *testing.T, change ...map[string]string) *forkRun {
	t.Helper()
	r := &forkRun{T: t}
	r.repo = copyOf(t, "fork", func(c *checkout) {
		c.clone()
		c.b = c.files("base", map[string]string{"perfgate.yaml": forkConfiguration, "k.pg.cc": "adapter\n", "k.cc": "one\ntwo\nthree\n", ".github/workflows/perfgate-measure.yml": "on: x\n"})
		c.git("branch", "main", c.b)
		c.topic = c.files("faster", map[string]string{"k.cc": "one\nslow\nthree\n"})
	})
	r.base, r.head = r.repo.b, r.repo.topic
	if len(change) > 0 {
		edit := map[string]string{"k.cc": "one\nslow\nthree\n"}
		for _, more := range change {
			maps.Copy(edit, more)
		}
		r.repo.git("checkout", "--quiet", "--detach", r.base)
		r.head = r.files("faster", edit)
	}
	server, err := fakegithub.New(fakegithub.Options{Owner: "o", Repo: "r", GitDir: filepath.Join(r.repo.dir, ".git")})
	r.must(err)
	server.AddToken("ghs_x", fakegithub.Identity{Login: "github-actions[bot]", Grants: map[string]string{
		"contents": "read", "pull-requests": "write", "checks": "write", "statuses": "write", "actions": "read"}})
	server.SetPermission("ada", "write")
	r.github = server
	r.pull(1, "patch-1", r.head)
	r.run = server.AddRun()
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
	r.describe(web.URL)
	return r
}

var mallorys = fakegithub.HeadRepo{FullName: "mallory/r", ID: 77}

func (r *forkRun) pull(number int, branch, head string) {
	r.github.AddPull(fakegithub.PullRequest{Number: number, Author: "mallory", HeadSHA: head, HeadRef: branch, HeadRepo: mallorys, BaseSHA: r.base})
}

func (r *forkRun) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *forkRun) files(message string, files map[string]string) string {
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
			err = os.Remove(path)
		default:
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			c.Fatal(err)
		}
	}
	c.git("add", "--all")
	c.git("commit", "--quiet", "--allow-empty", "--message", message)
	return c.git("rev-parse", "HEAD")
}

// describe sets the environment and the event of the reporting job.
func (r *forkRun) describe(api string) {
	dir := r.TempDir()
	repository := func(owner string, id int64) map[string]any {
		return map[string]any{"id": id, "name": "r", "full_name": owner + "/r", "default_branch": "main", "owner": map[string]any{"login": owner}}
	}
	r.payload = map[string]any{"action": "completed", "repository": repository("o", 1), "workflow_run": map[string]any{
		"id": r.run, "run_attempt": 1, "name": "perfgate measure", "head_sha": r.head, "head_branch": "patch-1", "event": "pull_request",
		"conclusion": "success", "head_repository": repository("mallory", 77), "pull_requests": []any{},
	}}
	r.env = map[string]string{
		"GITHUB_EVENT_NAME": "workflow_run", "GITHUB_EVENT_PATH": filepath.Join(dir, "event.json"), "GITHUB_REPOSITORY": "o/r", "GITHUB_RUN_ID": "5", "GITHUB_RUN_ATTEMPT": "1",
		"GITHUB_SERVER_URL": api, "GITHUB_API_URL": api, "INPUT_TOKEN": "ghs_x",
		"GITHUB_OUTPUT": filepath.Join(dir, "output"), "GITHUB_STEP_SUMMARY": filepath.Join(dir, "summary"), "PERFGATE_WORK": dir, "RUNNER_TEMP": dir,
	}
	for _, name := range []string{"GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"} {
		r.must(os.WriteFile(r.env[name], nil, 0o644))
	}
}

// about changes what the event says of the run.
func (r *forkRun) about(field string, value any) {
	r.payload["workflow_run"].(map[string]any)[field] = value
}

// report runs the step in an empty folder and returns the job's exit code.
func (r *forkRun) report() result.ExitCode {
	r.Helper()
	text, err := json.Marshal(r.payload)
	r.must(err)
	r.must(os.WriteFile(r.env["GITHUB_EVENT_PATH"], text, 0o644))
	env := func(name string) string { return r.env[name] }
	err = Report(context.Background(), Job{Env: env, Dir: r.TempDir(), Log: github.NewLog(&r.log, env), Version: "test"})
	var exit *result.ExitError
	switch {
	case err == nil:
		return result.ExitPassed
	case errors.As(err, &exit):
		return exit.Code
	}
	r.Fatal(err)
	return 0
}

// status is the newest one that was set on a commit, as CONTEXT STATE: DESCRIPTION.
func (r *forkRun) status(sha string) string {
	all := r.github.Statuses(sha)
	if len(all) == 0 {
		return ""
	}
	last := all[len(all)-1]
	return last.Context + " " + last.State + ": " + last.Description
}

func (r *forkRun) comment() string {
	text := ""
	for _, c := range r.github.Comments(1) {
		if c.Author == "github-actions[bot]" {
			text += c.Body
		}
	}
	return text
}

// measured is the result of the run: head is slower by shift in the case k/n=2. index and of name a part; of is 0 for all.
func (r *forkRun) measured(shift float64, index, of int) *result.Result {
	r.Helper()
	cfg, err := config.Parse("perfgate.yaml", []byte(forkConfiguration))
	r.must(err)
	return r.measuredUnder(cfg, shift, index, of)
}

func (r *forkRun) measuredUnder(cfg *config.Config, shift float64, index, of int) *result.Result {
	r.Helper()
	p := run.Policy(cfg, &plan.Plan{K: forkCases}, 0, false)
	res := &result.Result{
		Schema: result.Schema, Tool: result.Tool{Name: "perfgate", Version: "v1.0.0"}, Started: time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC), Seed: "42", Policy: p,
		Config:  result.Config{File: "perfgate.yaml", SHA256: cfg.SHA256, Trust: "base"},
		Base:    result.Version{Kind: result.KindRevision, Label: "base", Revision: r.base},
		Head:    result.Version{Kind: result.KindRevision, Label: "head", Revision: r.head},
		Machine: result.Machine{Key: "key", Model: "NVIDIA L4"},
		Kernels: []result.Kernel{{
			Name: "k", Status: result.KernelCompared, Base: &result.Build{Fingerprint: "1"}, Head: &result.Build{Fingerprint: "2"},
			Parity: result.Parity{Status: result.ParityPassed, Run: 10, Planned: 10},
		}},
		Timings: result.Timings{TotalS: 10},
	}
	if of > 0 {
		res.Shard = &result.Shard{Index: index, Of: of, Seed: "42"}
		res.Seed = fmt.Sprint("of part ", index)
	}
	for i := range forkCases {
		if of > 0 && i%of != index-1 {
			continue
		}
		slower := 0.0
		if i == 1 {
			slower = shift
		}
		c := r.timed(i, slower, p)
		res.Cases = append(res.Cases, c)
	}
	res.Conclusion = rule.Conclude(res.Cases, res.Kernels, p)
	return res
}

// timedCases are those that were decided before, as JSON: each test gets its own.
var timedCases sync.Map

// timed is a case as rounds leave it, with a scatter of 0.1 %.
func (r *forkRun) timed(i int, shift float64, p result.Policy) (c result.Case) {
	r.Helper()
	key := fmt.Sprintf("%d %g %+v", i, shift, p)
	text, ok := timedCases.Load(key)
	if !ok {
		made, err := json.Marshal(r.decided(i, shift, p))
		r.must(err)
		text, _ = timedCases.LoadOrStore(key, made)
	}
	r.must(json.Unmarshal(text.([]byte), &c))
	return c
}

func (r *forkRun) decided(i int, shift float64, p result.Policy) result.Case {
	r.Helper()
	c, err := ruletest.Measured(fmt.Sprint(i+1), rand.New(rand.NewPCG(uint64(i), 11)), 0.001, shift, p)
	r.must(err)
	return c
}

// keep stores a result as the run's artifact.
func (r *forkRun) keep(name string, res *result.Result) {
	r.Helper()
	text, err := json.Marshal(res) // not result.Write, which refuses what a stranger would write
	r.must(err)
	files := []file{{resultFile, text}, {outcomeFile, []byte(`{"schema":"perfgate/outcome/v1","exit":0}`)}}
	for rendering, mark := range render.Marks {
		files = append(files, file{rendering, []byte(mark)})
	}
	r.keepFiles(name, files...)
}

type file struct {
	name string
	text []byte
}

func (r *forkRun) keepFiles(name string, files ...file) {
	r.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		out, err := w.Create(f.name)
		r.must(err)
		_, err = out.Write(f.text)
		r.must(err)
	}
	r.must(w.Close())
	r.github.AddArtifact(r.run, name, b.Bytes())
}

// nothingGained checks that an attempt came to an error that can be seen, on the commit, in the comment and in the summary.
func (r *forkRun) nothingGained(says ...string) {
	r.Helper()
	if exit := r.report(); exit != result.ExitPassed {
		r.Errorf("the report itself ended with exit code %d:\n%s", exit, r.log.String())
	}
	if got := r.status(r.head); !strings.HasPrefix(got, "perfgate/verdict error: ") {
		r.Errorf("status %q", got)
	}
	summary, _ := os.ReadFile(r.env["GITHUB_STEP_SUMMARY"])
	for where, text := range map[string]string{"comment": r.comment(), "summary": string(summary)} {
		for _, words := range says {
			if !strings.Contains(unescaped(text), words) {
				r.Errorf("the %s does not say %q:\n%s", where, words, text)
			}
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
