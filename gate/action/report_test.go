package action

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/drift"
	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/internal/fakegithub"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// reporting is a job at its report step: a checkout with a pull request, and a folder that measure may have written
// anything into.
type reporting struct {
	*testing.T
	repo   *checkout
	github *fakegithub.Server
	work   string
	env    map[string]string
	log    bytes.Buffer
}

func newReporting(t *testing.T) *reporting {
	t.Helper()
	r := &reporting{T: t, repo: newCheckout(t), work: t.TempDir()}
	server, err := fakegithub.New(fakegithub.Options{Owner: "o", Repo: "r"})
	if err != nil {
		t.Fatal(err)
	}
	server.AddToken("ghs_x", fakegithub.Identity{Login: "github-actions[bot]", Grants: map[string]string{"contents": "read", "pull-requests": "write", "checks": "write"}})
	server.AddPull(fakegithub.PullRequest{Author: "m", HeadSHA: r.repo.topic, HeadRef: "topic", BaseSHA: r.repo.c})
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	r.github = server
	file := filepath.Join(t.TempDir(), "event.json")
	repository := map[string]any{"id": 1, "name": "r", "full_name": "o/r", "default_branch": "main", "owner": map[string]any{"login": "o"}}
	payload, err := json.Marshal(map[string]any{"action": "opened", "repository": repository, "pull_request": map[string]any{
		"number": 1, "state": "open", "user": map[string]any{"login": "m"},
		"head": map[string]any{"ref": "topic", "sha": r.repo.topic, "repo": repository}, "base": map[string]any{"ref": "main", "sha": r.repo.c, "repo": repository},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, payload, 0o644); err != nil {
		t.Fatal(err)
	}
	r.env = map[string]string{
		"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": file, "GITHUB_REPOSITORY": "o/r", "GITHUB_RUN_ID": "5", "GITHUB_RUN_ATTEMPT": "1",
		"GITHUB_SERVER_URL": "https://github.example", "GITHUB_API_URL": web.URL, "INPUT_TOKEN": "ghs_x", "INPUT_COMMENT": "always",
		"GITHUB_OUTPUT": filepath.Join(r.work, "output"), "GITHUB_STEP_SUMMARY": filepath.Join(r.work, "summary"), "PERFGATE_WORK": r.work, "RUNNER_TEMP": r.work,
		"PERFGATE_EVENT_PR": "1", "PERFGATE_EVENT_HEAD": r.repo.topic,
	}
	if err := os.Mkdir(filepath.Join(r.work, outFolder), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"} {
		if err := os.WriteFile(r.env[name], nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// newGated is a job at its report step whose base has a configuration, and whose head changes the kernel.
func newGated(t *testing.T) *reporting {
	t.Helper()
	r := newReporting(t)
	r.configuredAs(forkConfiguration, forkConfiguration, "k.cc")
	return r
}

// measured is a result of this run: head is slower by shift in the case k/n=2.
func (r *reporting) measured(shift float64) *result.Result {
	r.Helper()
	return (&forkRun{T: r.T, base: r.repo.b, head: r.repo.topic}).measured(shift, 0, 0)
}

func (r *reporting) passing() *result.Result { return r.measured(0) }

// leave writes what measure would leave.
func (r *reporting) leave(o Outcome, res *result.Result) {
	r.Helper()
	o.Schema = outcomeDocument.Schema
	if err := outcomeDocument.Write(filepath.Join(r.work, outcomeFile), &o); err != nil {
		r.Fatal(err)
	}
	if res == nil {
		return
	}
	text, err := json.Marshal(res) // not result.Write, which refuses what a stranger would write
	if err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.work, outFolder, resultFile), text, 0o644); err != nil {
		r.Fatal(err)
	}
}

func (r *reporting) job() Job {
	env := func(name string) string { return r.env[name] }
	return Job{Env: env, Dir: r.repo.dir, Log: github.NewLog(&r.log, env), Version: "test"}
}

// report runs the step and returns the job's exit code.
func (r *reporting) report() result.ExitCode {
	r.Helper()
	err := Report(context.Background(), r.job())
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

func (r *reporting) summary() string {
	text, _ := os.ReadFile(r.env["GITHUB_STEP_SUMMARY"])
	return string(text)
}

func TestReportPublishes(t *testing.T) {
	t.Parallel()
	r := newGated(t)
	r.leave(Outcome{}, r.passing())
	if exit := r.report(); exit != result.ExitPassed {
		t.Fatalf("exit code %d\n%s", exit, r.log.String())
	}
	checks := r.github.Checks(r.repo.topic)
	if len(r.github.Comments(1)) != 1 || len(checks) != 1 || checks[0].Conclusion != "success" || !strings.Contains(r.summary(), "PASS") {
		t.Errorf("comments %+v, checks %+v, summary:\n%s", r.github.Comments(1), checks, r.summary())
	}
	if !strings.Contains(r.log.String(), "::add-mask::ghs_x") {
		t.Error("the token is not masked")
	}
}

// Nothing that measure can leave makes a pass of something else: each of these ends with exit code 3 and says why.
func TestReportBelievesNoStranger(t *testing.T) {
	t.Parallel()
	other := strings.Repeat("e", 40)
	for name, c := range map[string]struct {
		leave func(*reporting)
		says  string
	}{
		"nothing":         {func(r *reporting) {}, "left no outcome"},
		"no result":       {func(r *reporting) { r.leave(Outcome{}, nil) }, "left no result"},
		"another head":    {func(r *reporting) { res := r.passing(); res.Head.Revision = other; r.leave(Outcome{}, res) }, "it is about head"},
		"another base":    {func(r *reporting) { res := r.passing(); res.Base.Revision = other; r.leave(Outcome{}, res) }, "it is about base"},
		"two exit codes":  {func(r *reporting) { r.leave(Outcome{Exit: 1}, r.passing()) }, "exit code 1"},
		"verdict alone":   {func(r *reporting) { res := r.passing(); res.Conclusion.Exit = 1; r.leave(Outcome{}, res) }, "conclusion.exit"},
		"unknown verdict": {func(r *reporting) { res := r.passing(); res.Cases[0].Verdict = "splendid"; r.leave(Outcome{}, res) }, "splendid"},
		"a link":          {func(r *reporting) { r.leave(Outcome{}, r.passing()); r.link() }, "left no result"},
		"another config": {func(r *reporting) {
			res := r.passing()
			res.Config.SHA256 = strings.Repeat("0", 64)
			r.leave(Outcome{}, res)
		}, "another configuration than base"},
		"another verdict": {func(r *reporting) {
			res, slow := r.passing(), r.measured(0.69)
			slow.Conclusion = res.Conclusion
			slow.Cases[1].Verdict = result.Same
			r.leave(Outcome{}, slow)
		}, "contradicts itself"},
		"another policy":     {func(r *reporting) { res := r.passing(); res.Policy.Tolerance = 0.9; r.leave(Outcome{}, res) }, "the configuration that counts"},
		"a case left out":    {func(r *reporting) { res := r.passing(); res.Cases = res.Cases[:2]; r.leave(Outcome{}, res) }, "what was planned is not in the result"},
		"a kernel left out":  {func(r *reporting) { res := r.passing(); res.Kernels, res.Cases = nil, nil; r.leave(Outcome{}, res) }, "cannot be used"},
		"parity left out":    {func(r *reporting) { res := r.passing(); res.Kernels[0].Parity.Run = 0; r.leave(Outcome{}, res) }, "not one case of it was checked"},
		"flags of a side":    {func(r *reporting) { res := r.passing(); res.Head.Flags = []string{"-O0"}; r.leave(Outcome{}, res) }, "flags of its own"},
		"an approval of its": {func(r *reporting) { res := r.passing(); res.Config.Trust = repo.TrustWorktree; r.leave(Outcome{}, res) }, "not approved"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newGated(t)
			c.leave(r)
			if exit := r.report(); exit != result.ExitNotMeasurable {
				t.Errorf("exit code %d", exit)
			}
			comments, checks := r.github.Comments(1), r.github.Checks(r.repo.topic)
			if len(comments) != 1 || !strings.Contains(comments[0].Body, c.says) || !strings.Contains(r.summary(), c.says) {
				t.Errorf("comments %+v; want %q", comments, c.says)
			}
			if len(checks) != 1 || checks[0].Conclusion != "action_required" {
				t.Errorf("checks %+v", checks)
			}
		})
	}
}

// link puts a link in the place of the result.
func (r *reporting) link() {
	path := filepath.Join(r.work, outFolder, resultFile)
	elsewhere := filepath.Join(r.TempDir(), "elsewhere.json")
	if err := os.Rename(path, elsewhere); err != nil {
		r.Fatal(err)
	}
	if err := os.Symlink(elsewhere, path); err != nil {
		r.Fatal(err)
	}
}

// rewriteEvent changes a commit in the file with the event; where that is base, the base branch is there.
func (r *reporting) rewriteEvent(side, sha string) {
	if side == "base" {
		r.repo.git("update-ref", "refs/remotes/origin/main", sha)
	}
	r.rewrite(func(pull map[string]any) { pull[side].(map[string]any)["sha"] = sha })
}

// rewriteLabels gives the pull request of the event a label.
func (r *reporting) rewriteLabels(label string) {
	r.rewrite(func(pull map[string]any) { pull["labels"] = []any{map[string]any{"name": label}} })
}

func (r *reporting) rewrite(edit func(pull map[string]any)) {
	var payload map[string]any
	text, err := os.ReadFile(r.env["GITHUB_EVENT_PATH"])
	if err == nil {
		err = json.Unmarshal(text, &payload)
	}
	if err != nil {
		r.Fatal(err)
	}
	edit(payload["pull_request"].(map[string]any))
	if text, err = json.Marshal(payload); err == nil {
		err = os.WriteFile(r.env["GITHUB_EVENT_PATH"], text, 0o644)
	}
	if err != nil {
		r.Fatal(err)
	}
}

// The event's file can be rewritten between two steps; what the runner says of the event cannot.
func TestRewrittenEvent(t *testing.T) {
	t.Parallel()
	r := newGated(t)
	r.leave(Outcome{}, r.passing())
	r.rewriteEvent("head", r.repo.b)
	if exit := r.report(); exit != result.ExitNotMeasurable || len(r.github.Log()) > 0 || !strings.Contains(r.log.String(), "has changed it") {
		t.Errorf("exit code %d, requests %v\n%s", exit, r.github.Log(), r.log.String())
	}
}

// Without a configuration in the repository there is nothing to decide by.
func TestReportWithoutConfiguration(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]result.ExitCode{ModeGate: result.ExitUsage, ModePrecheck: result.ExitNotMeasurable} {
		r := newReporting(t)
		r.env["INPUT_MODE"] = mode
		r.leave(Outcome{}, r.passing())
		if exit := r.report(); exit != want || !strings.Contains(unescaped(r.summary()), "there is no configuration perfgate.yaml") {
			t.Errorf("mode %s: exit code %d\n%s", mode, exit, r.summary())
		}
	}
}

// What mode drift left has the exit code that its findings make, and is about this run.
func TestDriftIsReadStrictly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		commit string
		exit   int
		says   string
	}{
		"another exit code": {"", 1, "what it found makes 0"},
		"another commit":    {strings.Repeat("e", 40), 0, "it is about"},
		"as it is":          {"", 0, ""},
	} {
		r := newReporting(t)
		r.env["INPUT_MODE"] = ModeDrift
		r.leave(Outcome{Exit: c.exit}, nil)
		found := drift.Report{Schema: drift.Schema, Commit: cmp.Or(c.commit, r.repo.topic), Findings: []drift.Finding{{Kind: drift.State, Effect: result.EffectNote}}, Cases: []drift.Case{{Name: "k", Kernel: "k"}}}
		if err := drift.Document.Write(filepath.Join(r.work, outFolder, DriftFile), &found); err != nil {
			t.Fatal(err)
		}
		exit := r.report()
		if (exit == result.ExitPassed) != (c.says == "") || !strings.Contains(r.summary(), c.says) {
			t.Errorf("%s: exit code %d\n%s", name, exit, r.summary())
		}
	}
}

// What fail-on lets pass is published for what it is.
func TestReportOnly(t *testing.T) {
	t.Parallel()
	r := newGated(t)
	r.env["INPUT_FAIL_ON"] = "never"
	res := r.measured(0.69)
	ratio := strconv.FormatFloat(res.Cases[1].Compared().Ratio, 'f', 4, 64)
	r.leave(Outcome{Exit: 1}, res)
	if exit := r.report(); exit != result.ExitPassed {
		t.Errorf("exit code %d", exit)
	}
	checks := r.github.Checks(r.repo.topic)
	if len(checks) != 1 || checks[0].Conclusion != "neutral" || !strings.Contains(r.github.Comments(1)[0].Body, "FAIL") || !strings.Contains(r.summary(), "fail-on lets it pass") {
		t.Errorf("checks %+v, summary:\n%s", checks, r.summary())
	}
	outputs, _ := os.ReadFile(r.env["GITHUB_OUTPUT"])
	for _, want := range []string{"fail", "k/n=2", ratio} {
		if !strings.Contains(string(outputs), "\n"+want+"\n") {
			t.Errorf("outputs do not say %s:\n%s", want, outputs)
		}
	}
}

// Names come from the pull request: none of them sets an output, nor is a command in the log. What perfgate saves has no line ends in names, so a
// result that has is nobody's word.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]result.ExitCode{
		"k/n=1\nverdict=pass\n::set-output name=verdict::pass\nEOF\n::add-mask::FAIL": result.ExitNotMeasurable,
		"::set-output name=verdict::pass\u2028::add-mask::FAIL":                       result.ExitFailed,
	} {
		r := newGated(t)
		res := r.measured(0.69)
		res.Cases[1].Name = name
		r.leave(Outcome{Exit: 1, Notes: []string{"::stop-commands::x"}, Warnings: []string{"a\n::add-path::/evil"}}, res)
		if exit := r.report(); exit != want {
			t.Errorf("%q: exit code %d", name, exit)
		}
		for line := range strings.Lines(r.log.String()) {
			if strings.HasPrefix(line, "::") && !strings.HasPrefix(line, "::add-mask::ghs_x") && !strings.HasPrefix(line, "::warning ") && !strings.HasPrefix(line, "::error ") {
				t.Errorf("a command in the log: %s", line)
			}
		}
	}
}

// What repeats a run at a desk fetches what the desk may lack, and is left out where no desk can repeat it.
func TestRerunLine(t *testing.T) {
	t.Parallel()
	revision := result.Version{Kind: result.KindRevision}
	whole := result.Result{Base: revision, Head: revision}
	merged, folder := whole, whole
	merged.Merged, folder.Base.Kind = make([]result.Part, 2), result.KindDirectory
	pull, push := step{event: github.Event{RunID: 7, PR: &github.PullRequest{Number: 3}}}, step{event: github.Event{RunID: 7}}
	for _, c := range []struct {
		step     step
		result   *result.Result
		artifact string
		want     string
	}{
		{pull, &whole, "perfgate", "git fetch origin pull/3/head && gh run download 7 -n perfgate -D perfgate && perfgate rerun perfgate"},
		{push, &whole, "perfgate", "gh run download 7 -n perfgate -D perfgate && perfgate rerun perfgate"},
		{pull, &whole, "", ""},
		{pull, nil, "perfgate", ""},
		{pull, &merged, "perfgate", ""},
		{pull, &folder, "perfgate", ""},
	} {
		if got := c.step.rerunLine(verdict{result: c.result}, c.artifact); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A git in the checkout is a change's: it is refused before it could run with the token beside it.
func TestAGitOfTheCheckoutIsNotRun(t *testing.T) {
	r := newGated(t)
	r.leave(Outcome{}, r.passing())
	ran := filepath.Join(t.TempDir(), "ran")
	if err := os.WriteFile(filepath.Join(r.repo.dir, "git"), []byte("#!/bin/sh\ntouch "+ran+"\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", r.repo.dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	if exit := r.report(); exit != result.ExitNotMeasurable || !strings.Contains(r.log.String(), "take it out of PATH") {
		t.Errorf("exit code %d\n%s", exit, r.log.String())
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("it has run")
	}
}

// A head that was measured again until it passed says so.
func TestEarlierAttemptsAreShown(t *testing.T) {
	t.Parallel()
	r := newGated(t)
	for attempt, shift := range []float64{0.5, 0.5, 0} {
		r.env["GITHUB_RUN_ATTEMPT"] = strconv.Itoa(attempt + 1)
		res := r.measured(shift)
		r.leave(Outcome{Exit: int(res.Conclusion.Exit)}, res)
		r.report()
	}
	const want = "2 earlier attempts at this head: FAIL, FAIL"
	if comment := r.github.Comments(1); len(comment) != 1 || !strings.Contains(comment[0].Body, want) {
		t.Errorf("%+v", comment)
	}
	checks := r.github.Checks(r.repo.topic)
	if len(checks) != 3 || strings.Contains(checks[0].Summary, "earlier attempt") || !strings.Contains(checks[2].Summary, want) {
		t.Errorf("%+v", checks)
	}
}
