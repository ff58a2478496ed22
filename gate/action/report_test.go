package action

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/drift"
	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// leave writes what measure would leave.
func (r *rig) leave(o Outcome, res *result.Result) {
	r.Helper()
	o.Schema = outcomeDocument.Schema
	r.must(outcomeDocument.Write(filepath.Join(r.work, outcomeFile), &o))
	if res == nil {
		return
	}
	text, err := json.Marshal(res) // not result.Write, which refuses what a stranger would write
	r.must(err)
	r.must(os.WriteFile(filepath.Join(r.work, outFolder, resultFile), text, 0o644))
}

func TestReportPublishes(t *testing.T) {
	t.Parallel()
	r := newGated(t)
	r.leave(Outcome{}, r.measured(0))
	r.ends(Report, result.ExitPassed)
	checks := r.github.Checks(r.head)
	if len(r.github.Comments(1)) != 1 || len(checks) != 1 || checks[0].Conclusion != "success" || !strings.Contains(r.summary(), "PASS") {
		t.Errorf("comments %+v, checks %+v, summary:\n%s", r.github.Comments(1), checks, r.summary())
	}
	if !strings.Contains(r.log.String(), "::add-mask::ghs_x") {
		t.Error("the token is not masked")
	}
}

// Nothing that measure can leave makes a pass of something else: each of these ends with exit code 3 and says why. TestForgedResults has what is
// refused on every road.
func TestReportBelievesNoStranger(t *testing.T) {
	t.Parallel()
	with := func(exit int, forge func(*result.Result)) func(*rig) {
		return func(r *rig) {
			res := r.measured(0)
			forge(res)
			r.leave(Outcome{Exit: exit}, res)
		}
	}
	for name, c := range map[string]struct {
		leave func(*rig)
		says  string
	}{
		"nothing":         {func(r *rig) {}, "left no outcome"},
		"no result":       {func(r *rig) { r.leave(Outcome{}, nil) }, "left no result"},
		"a link":          {func(r *rig) { r.leave(Outcome{}, r.measured(0)); r.linkResult() }, "left no result"},
		"another base":    {with(0, func(res *result.Result) { res.Base.Revision = strings.Repeat("e", 40) }), "it is about base"},
		"two exit codes":  {with(1, func(*result.Result) {}), "exit code 1"},
		"verdict alone":   {with(0, func(res *result.Result) { res.Conclusion.Exit = 1 }), "conclusion.exit"},
		"unknown verdict": {with(0, func(res *result.Result) { res.Cases[0].Verdict = "splendid" }), "splendid"},
		"another verdict": {func(r *rig) {
			res, slow := r.measured(0), r.measured(0.69)
			slow.Conclusion = res.Conclusion
			slow.Cases[1].Verdict = result.Same
			r.leave(Outcome{}, slow)
		}, "contradicts itself"},
		"another policy":     {with(0, func(res *result.Result) { res.Policy.Tolerance = 0.9 }), "the configuration that counts"},
		"a case left out":    {with(0, func(res *result.Result) { res.Cases = res.Cases[:2] }), "what was planned is not in the result"},
		"a kernel left out":  {with(0, func(res *result.Result) { res.Kernels, res.Cases = nil, nil }), "cannot be used"},
		"an approval of its": {with(0, func(res *result.Result) { res.Config.Trust = repo.TrustWorktree }), "not approved"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newGated(t)
			c.leave(r)
			if exit := r.report(); exit != result.ExitNotMeasurable {
				t.Errorf("exit code %d", exit)
			}
			comments, checks := r.github.Comments(1), r.github.Checks(r.head)
			if len(comments) != 1 || !strings.Contains(comments[0].Body, c.says) || !strings.Contains(r.summary(), c.says) {
				t.Errorf("comments %+v; want %q", comments, c.says)
			}
			if len(checks) != 1 || checks[0].Conclusion != "action_required" {
				t.Errorf("checks %+v", checks)
			}
		})
	}
}

// linkResult puts a link in the place of the result.
func (r *rig) linkResult() {
	path, elsewhere := filepath.Join(r.work, outFolder, resultFile), filepath.Join(r.TempDir(), "elsewhere.json")
	r.must(os.Rename(path, elsewhere))
	r.must(os.Symlink(elsewhere, path))
}

// The event's file can be rewritten between two steps; what the runner says of the event cannot.
func TestRewrittenEvent(t *testing.T) {
	t.Parallel()
	r := newGated(t)
	r.leave(Outcome{}, r.measured(0))
	r.rewriteEvent("head", r.base)
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
		r.leave(Outcome{}, r.measured(0))
		r.ends(Report, want, "there is no configuration perfgate.yaml")
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
		found := drift.Report{Schema: drift.Schema, Commit: cmp.Or(c.commit, r.head), Findings: []drift.Finding{{Kind: drift.State, Effect: result.EffectNote}}, Cases: []drift.Case{{Name: "k", Kernel: "k"}}}
		must(t, drift.Document.Write(filepath.Join(r.work, outFolder, DriftFile), &found))
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
	r.ends(Report, result.ExitPassed)
	checks := r.github.Checks(r.head)
	if len(checks) != 1 || checks[0].Conclusion != "neutral" || !strings.Contains(r.github.Comments(1)[0].Body, "FAIL") || !strings.Contains(r.summary(), "fail-on lets it pass") {
		t.Errorf("checks %+v, summary:\n%s", checks, r.summary())
	}
	outputs := r.outputs()
	for _, want := range []string{"fail", "k/n=2", ratio} {
		if !strings.Contains(outputs, "\n"+want+"\n") {
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
	r.leave(Outcome{}, r.measured(0))
	ran := filepath.Join(t.TempDir(), "ran")
	must(t, os.WriteFile(filepath.Join(r.repo.dir, "git"), []byte("#!/bin/sh\ntouch "+ran+"\nexit 1\n"), 0o755))
	t.Setenv("PATH", r.repo.dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	r.ends(Report, result.ExitNotMeasurable, "take it out of PATH")
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
	checks := r.github.Checks(r.head)
	if len(checks) != 3 || strings.Contains(checks[0].Summary, "earlier attempt") || !strings.Contains(checks[2].Summary, want) {
		t.Errorf("%+v", checks)
	}
}
