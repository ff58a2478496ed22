package action

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/result"
)

func (r *rig) planned() bool {
	found, _ := filepath.Glob(filepath.Join(r.work, "perfgate-*", requestFile))
	return len(found) > 0
}

var malloryRepository = repositoryOf("mallory", 77)

// A fork is not built in a job that has a token, unless the workflow says so. The form for forks has none, and goes on.
func TestForkBesideAToken(t *testing.T) {
	t.Parallel()
	configuredHead := func(r *rig) {
		r.configuredAs(forkConfiguration, forkConfiguration, "head.cc")
		r.repo.git("update-ref", "refs/remotes/origin/main", r.tip)
	}
	for name, c := range map[string]struct {
		env     map[string]string
		play    func(*rig)
		refused string // "": it goes on
	}{
		"gate by itself": {nil, nil, "mallory/r"},
		"gate":           {map[string]string{"INPUT_MODE": ModeGate}, nil, "mallory/r"},
		"gate, no token": {map[string]string{"INPUT_MODE": ModeGate, "INPUT_TOKEN": ""}, nil, "mallory/r"},
		"record":         {map[string]string{"INPUT_MODE": ModeRecord}, nil, "mallory/r"},
		"store":          {map[string]string{"INPUT_MODE": ModeSaveRecord, "INPUT_ARTIFACTS_DIR": "x"}, nil, "mallory/r"},
		"a part":         {map[string]string{"INPUT_MODE": ModeMeasure, "INPUT_SHARD": "1/2"}, nil, "mallory/r"},
		"measure":        {map[string]string{"INPUT_MODE": ModeMeasure}, nil, "mallory/r"},
		"a fork is gone": {nil, func(r *rig) { r.headRepository(nil) }, "a repository that is gone"},
		"measure, gone":  {map[string]string{"INPUT_MODE": ModeMeasure}, func(r *rig) { r.headRepository(nil) }, "a repository that is gone"},
		"allowed":        {map[string]string{"INPUT_RUN_FORK_CODE_WITH_TOKEN": "true"}, nil, ""},
		"the fork form":  {map[string]string{"INPUT_MODE": ModeMeasure, "INPUT_TOKEN": ""}, nil, ""},
		"its own branch": {nil, func(r *rig) {
			r.headRepository(map[string]any{"id": 1, "name": "r", "full_name": "o/r", "owner": map[string]any{"login": "o"}})
		}, ""},
		"one verdict": {map[string]string{"INPUT_MODE": ModeMerge, "INPUT_SHARDS": "2", "INPUT_ARTIFACTS_DIR": "x"}, nil, ""},
		"kept by checkout": {map[string]string{"INPUT_MODE": ModeMeasure, "INPUT_TOKEN": ""}, func(r *rig) {
			r.repo.git("config", "http.https://github.example/.extraheader", "AUTHORIZATION: basic x")
		}, "persist-credentials: false"},
		"kept in a file": {map[string]string{"INPUT_MODE": ModeMeasure, "INPUT_TOKEN": ""}, func(r *rig) {
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
func (r *rig) expectPrepare(refused string) {
	r.Helper()
	if refused == "" {
		r.ends(Prepare, result.ExitPassed)
		return
	}
	if r.ends(Prepare, result.ExitUsage); r.planned() {
		r.Error("there is a job request")
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
				r.event["workflow_run"] = map[string]any{"id": 9, "head_sha": r.head, "head_branch": "topic", "event": "pull_request", "conclusion": "success", "head_repository": malloryRepository}
			}
			r.expectPrepare(name)
		}
	}
}

// A dispatch and a schedule are about what the workflow has checked out: that may be a fork's head.
func TestCheckedOutFork(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		play    func(*rig)
		refused string
	}{
		"on a branch": {func(*rig) {}, ""},
		"what was dispatched": {func(r *rig) {
			r.env["GITHUB_SHA"] = r.repo.commit("generated")
		}, ""},
		"on no branch": {func(r *rig) { r.repo.commit("theirs") }, "on no branch of o/r"},
		"of a pull request": {func(r *rig) {
			r.repo.commit("theirs")
			r.repo.git("update-ref", "refs/remotes/pull/7/merge", "HEAD")
		}, "on no branch of o/r"},
		"on no branch, allowed": {func(r *rig) {
			r.repo.commit("theirs")
			r.env["INPUT_RUN_FORK_CODE_WITH_TOKEN"] = "true"
		}, ""},
		"another repository": {func(r *rig) { r.repo.git("remote", "set-url", "origin", "https://github.example/mallory/r") }, "mallory/r"},
		"over SSH":           {func(r *rig) { r.repo.git("remote", "set-url", "origin", "git@github.example:mallory/r.git") }, "mallory/r"},
		"ours over SSH":      {func(r *rig) { r.repo.git("remote", "set-url", "origin", "ssh://git@github.example/O/R.git") }, ""},
		"a mirror":           {func(r *rig) { r.repo.git("remote", "set-url", "origin", "https://mirror.example/cache/r") }, ""},
	} {
		for _, mode := range []string{ModeGate, ModeRecord} {
			t.Run(name+"/"+mode, func(t *testing.T) {
				r := newReporting(t)
				r.env["GITHUB_EVENT_NAME"], r.env["INPUT_MODE"] = github.EventWorkflowDispatch, mode
				delete(r.event, "pull_request")
				r.event["ref"] = "refs/heads/main"
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
			if r.ends(Prepare, result.ExitUsage, "the checkout is of mallory/r"); r.planned() {
				t.Error("there is a job request")
			}
		})
	}
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
