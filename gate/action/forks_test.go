package action

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/internal/fakegithub"
	"github.com/org/perfgate/gate/result"
)

// prepare runs the step and returns the job's exit code.
func (r *reporting) prepare() result.ExitCode {
	r.Helper()
	err := Prepare(context.Background(), r.job())
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

func (r *reporting) planned() bool {
	found, _ := filepath.Glob(filepath.Join(r.work, "perfgate-*", requestFile))
	return len(found) > 0
}

// payload edits the event.
func (r *reporting) payload(edit func(payload map[string]any)) {
	r.Helper()
	text, err := os.ReadFile(r.env["GITHUB_EVENT_PATH"])
	if err != nil {
		r.Fatal(err)
	}
	var payload map[string]any
	if err := json.Unmarshal(text, &payload); err != nil {
		r.Fatal(err)
	}
	edit(payload)
	if text, err = json.Marshal(payload); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(r.env["GITHUB_EVENT_PATH"], text, 0o644); err != nil {
		r.Fatal(err)
	}
}

// headRepository is where the event says that the head of the pull request lives.
func (r *reporting) headRepository(repository any) {
	r.Helper()
	r.payload(func(p map[string]any) {
		p["pull_request"].(map[string]any)["head"].(map[string]any)["repo"] = repository
	})
}

var malloryRepository = map[string]any{"id": 77, "name": "r", "full_name": "mallory/r", "default_branch": "main", "owner": map[string]any{"login": "mallory"}}

// A fork is not built in a job that has a token, unless the workflow says so. The form for forks has none, and goes on.
func TestForkBesideAToken(t *testing.T) {
	t.Parallel()
	configuredHead := func(r *reporting) {
		r.configuredAs(forkConfiguration, forkConfiguration, "head.cc")
		r.repo.git("update-ref", "refs/remotes/origin/main", r.repo.c)
	}
	for name, c := range map[string]struct {
		env     map[string]string
		play    func(*reporting)
		refused string // "": it goes on
	}{
		"gate by itself": {nil, nil, "mallory/r"},
		"gate":           {map[string]string{"INPUT_MODE": ModeGate}, nil, "mallory/r"},
		"gate, no token": {map[string]string{"INPUT_MODE": ModeGate, "INPUT_TOKEN": ""}, nil, "mallory/r"},
		"record":         {map[string]string{"INPUT_MODE": ModeRecord}, nil, "mallory/r"},
		"store":          {map[string]string{"INPUT_MODE": ModeSaveRecord, "INPUT_ARTIFACTS_DIR": "x"}, nil, "mallory/r"},
		"a part":         {map[string]string{"INPUT_MODE": ModeMeasure, "INPUT_SHARD": "1/2"}, nil, "mallory/r"},
		"measure":        {map[string]string{"INPUT_MODE": ModeMeasure}, nil, "mallory/r"},
		"a fork is gone": {nil, func(r *reporting) { r.headRepository(nil) }, "a repository that is gone"},
		"measure, gone":  {map[string]string{"INPUT_MODE": ModeMeasure}, func(r *reporting) { r.headRepository(nil) }, "a repository that is gone"},
		"allowed":        {map[string]string{"INPUT_RUN_FORK_CODE_WITH_TOKEN": "true"}, nil, ""},
		"the fork form":  {map[string]string{"INPUT_MODE": ModeMeasure, "INPUT_TOKEN": ""}, nil, ""},
		"its own branch": {nil, func(r *reporting) {
			r.headRepository(map[string]any{"id": 1, "name": "r", "full_name": "o/r", "owner": map[string]any{"login": "o"}})
		}, ""},
		"one verdict": {map[string]string{"INPUT_MODE": ModeMerge, "INPUT_SHARDS": "2", "INPUT_ARTIFACTS_DIR": "x"}, nil, ""},
		"kept by checkout": {map[string]string{"INPUT_MODE": ModeMeasure, "INPUT_TOKEN": ""}, func(r *reporting) {
			r.repo.git("config", "http.https://github.example/.extraheader", "AUTHORIZATION: basic x")
		}, "persist-credentials: false"},
		"kept in a file": {map[string]string{"INPUT_MODE": ModeMeasure, "INPUT_TOKEN": ""}, func(r *reporting) {
			path := filepath.Join(r.TempDir(), "credentials.config")
			r.repo.git("config", "--file", path, "http.https://github.example/.extraheader", "AUTHORIZATION: basic x")
			r.repo.git("config", "includeIf.gitdir:"+filepath.Join(r.repo.dir, ".git")+".path", path)
		}, "persist-credentials: false"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReporting(t)
			configuredHead(r)
			r.headRepository(malloryRepository)
			for variable, value := range c.env {
				r.env[variable] = value
			}
			if c.play != nil {
				c.play(r)
			}
			r.expectPrepare(c.refused)
		})
	}
}

// expectPrepare wants the step to be refused with these words and a way out, or to go on where there are none.
func (r *reporting) expectPrepare(refused string) {
	r.Helper()
	exit := r.prepare()
	if refused == "" {
		if exit != result.ExitPassed {
			r.Errorf("exit code %d\n%s", exit, r.log.String())
		}
		return
	}
	if exit != result.ExitUsage || r.planned() {
		r.Errorf("exit code %d, there is a job request: %v\n%s", exit, r.planned(), r.log.String())
	}
	for where, text := range map[string]string{"log": r.log.String(), "summary": unescaped(r.summary())} {
		if !strings.Contains(text, refused) || !strings.Contains(text, "perfgate init --github --forks") {
			r.Errorf("the %s does not say %q and the way out:\n%s", where, refused, text)
		}
	}
}

// Events that have the token, for every person who starts them, in every mode and whatever is allowed.
func TestEventsWithATokenForEverybody(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"pull_request_target", "issue_comment", "pull_request_review", "pull_request_review_comment", github.EventWorkflowRun} {
		for _, mode := range []string{ModeGate, ModeRecord, ModeMeasure, ModeSaveRecord} {
			r := newReporting(t)
			r.headRepository(malloryRepository)
			r.env["GITHUB_EVENT_NAME"], r.env["INPUT_MODE"], r.env["INPUT_RUN_FORK_CODE_WITH_TOKEN"], r.env["INPUT_ARTIFACTS_DIR"] = name, mode, "true", "x"
			if name == github.EventWorkflowRun {
				r.payload(func(p map[string]any) {
					p["workflow_run"] = map[string]any{"id": 9, "head_sha": r.repo.topic, "head_branch": "topic", "event": "pull_request", "conclusion": "success", "head_repository": malloryRepository}
				})
			}
			r.expectPrepare(name)
		}
	}
}

// A dispatch and a schedule are about what the workflow has checked out: that may be a fork's head.
func TestCheckedOutFork(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		play    func(*reporting)
		refused string
	}{
		"on a branch": {func(*reporting) {}, ""},
		"what was dispatched": {func(r *reporting) {
			r.env["GITHUB_SHA"] = r.repo.commit("generated")
		}, ""},
		"on no branch": {func(r *reporting) { r.repo.commit("theirs") }, "on no branch of o/r"},
		"on no branch, allowed": {func(r *reporting) {
			r.repo.commit("theirs")
			r.env["INPUT_RUN_FORK_CODE_WITH_TOKEN"] = "true"
		}, ""},
		"another repository": {func(r *reporting) { r.repo.git("remote", "set-url", "origin", "https://github.example/mallory/r") }, "mallory/r"},
		"over SSH":           {func(r *reporting) { r.repo.git("remote", "set-url", "origin", "git@github.example:mallory/r.git") }, "mallory/r"},
		"ours over SSH":      {func(r *reporting) { r.repo.git("remote", "set-url", "origin", "ssh://git@github.example/O/R.git") }, ""},
		"a mirror":           {func(r *reporting) { r.repo.git("remote", "set-url", "origin", "https://mirror.example/cache/r") }, ""},
	} {
		for _, mode := range []string{ModeGate, ModeRecord} {
			t.Run(name+"/"+mode, func(t *testing.T) {
				r := newReporting(t)
				r.env["GITHUB_EVENT_NAME"], r.env["INPUT_MODE"] = github.EventWorkflowDispatch, mode
				r.payload(func(p map[string]any) {
					delete(p, "pull_request")
					p["ref"] = "refs/heads/main"
				})
				c.play(r)
				r.expectPrepare(c.refused)
			})
		}
	}
}

// A checkout of the fork has the fork's branches: its idea of the base branch, and of the records.
func TestCheckoutOfTheFork(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]string{"https": "https://github.example/mallory/r", "a mirror": "https://mirror.example/mallory/r.git"} {
		t.Run(name, func(t *testing.T) {
			r := newReporting(t)
			r.configuredAs(forkConfiguration, forkConfiguration, "head.cc")
			r.headRepository(malloryRepository)
			r.env["INPUT_MODE"], r.env["INPUT_TOKEN"] = ModeMeasure, ""
			r.repo.git("remote", "set-url", "origin", address)
			if exit := r.prepare(); exit != result.ExitUsage || r.planned() || !strings.Contains(r.log.String(), "the checkout is of mallory/r") {
				t.Errorf("exit code %d\n%s", exit, r.log.String())
			}
		})
	}
}

// With fork-status: pending-until-labelled, what is advisory is pending, and what could not be judged an error all the same.
func TestForkStatusPending(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		shift  float64
		play   func(*forkRun)
		status string
	}{
		"pass":                  {0, func(*forkRun) {}, "pending: waits for the label perfgate-accept; advisory, PASS: "},
		"regression":            {0.1, func(*forkRun) {}, "pending: waits for the label perfgate-accept; advisory, FAIL: "},
		"labelled":              {0, func(r *forkRun) { r.github.Label(1, "perfgate-accept", "ada") }, "success: PASS: "},
		"labelled, regression":  {0.1, func(r *forkRun) { r.github.Label(1, "perfgate-accept", "ada") }, "failure: FAIL: "},
		"labelled by mallory":   {0, func(r *forkRun) { r.github.Label(1, "perfgate-accept", "mallory") }, "pending: "},
		"labelled, then a push": {0, func(r *forkRun) { r.github.Label(1, "perfgate-accept", "ada"); r.github.Push(1, r.head, false) }, "pending: "},
		"nothing to judge":      {0, func(r *forkRun) { r.run = r.github.AddRun() }, "error: "},
		"a branch of our own":   {0, func(r *forkRun) { r.ownBranch() }, "success: PASS: "},
		"a merge group":         {0, func(r *forkRun) { r.queued() }, "success: PASS: "},
		"a queued regression":   {0.1, func(r *forkRun) { r.queued() }, "failure: FAIL: "},
		"a cancelled queue's": {0, func(r *forkRun) {
			r.queued()
			r.about("conclusion", "cancelled")
			r.run = r.github.AddRun()
		}, "error: "},
		"advisory, if not asked": {0, func(r *forkRun) { delete(r.env, "INPUT_FORK_STATUS") }, "success: advisory, PASS: "},
	} {
		t.Run(name, func(t *testing.T) {
			r := newForkRun(t)
			r.env["INPUT_FORK_STATUS"] = ForkStatusPending
			c.play(r)
			r.keep("perfgate", r.measured(c.shift, 0, 0))
			if exit := r.report(); exit != result.ExitPassed {
				t.Fatalf("exit code %d\n%s", exit, r.log.String())
			}
			if got := r.status(r.head); !strings.HasPrefix(got, "perfgate/verdict "+c.status) {
				t.Errorf("status %q, want %q\n%s", got, c.status, r.log.String())
			}
		})
	}
}

// queued makes the run one of a merge group.
func (r *forkRun) queued() {
	r.about("event", "merge_group")
	r.about("head_branch", "gh-readonly-queue/main/pr-1-"+r.base)
	r.repository("o", 1)
}

// ownBranch makes the pull request one of a branch of the repository.
func (r *forkRun) ownBranch() {
	r.github.Close(1)
	r.github.AddPull(fakegithub.PullRequest{Number: 2, Author: "ada", HeadSHA: r.head, HeadRef: "patch-1", HeadRepo: fakegithub.HeadRepo{FullName: "o/r", ID: 1}, BaseSHA: r.base})
	r.repository("o", 1)
}

func TestRemote(t *testing.T) {
	t.Parallel()
	for address, want := range map[string][2]string{
		"https://github.com/o/r":          {"github.com", "o/r"},
		"https://x:y@github.com/o/r.git/": {"github.com", "o/r"},
		"ssh://git@github.com:22/o/r.git": {"github.com", "o/r"},
		"git@github.com:o/r.git":          {"github.com", "o/r"},
		"github.com:o/r":                  {"github.com", "o/r"},
		"https://ghe.example/prefix/o/r":  {"ghe.example", "o/r"},
		"file:///srv/git/o/r.git":         {"", "o/r"},
		"/srv/git/o/r.git":                {"", "o/r"},
		"":                                {"", ""},
		"https://github.com":              {"github.com", ""},
	} {
		if host, name := remote(address); host != want[0] || name != want[1] {
			t.Errorf("%s: %q, %q", address, host, name)
		}
	}
}
