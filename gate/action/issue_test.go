package action

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/drift"
	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/internal/fakegithub"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/search"
)

// drifting is a job of mode drift on a schedule, whose token has the grants.
func drifting(t *testing.T, issues string) *rig {
	t.Helper()
	r := newReporting(t)
	r.github.AddToken("ghs_x", fakegithub.Identity{Login: "github-actions[bot]", Grants: map[string]string{"contents": "read", "issues": issues}})
	r.event, r.head = map[string]any{"repository": repositoryOf("o", 1)}, r.repo.at()
	r.env["INPUT_MODE"], r.env["GITHUB_EVENT_NAME"], r.env["PERFGATE_EVENT_PR"], r.env["PERFGATE_EVENT_HEAD"] = ModeDrift, "schedule", "", ""
	return r
}

// session is one drift check in run number run, of a shard of two, which finds a loss, what the machine did, or nothing; and the job that tells the issue.
func (r *rig) session(run, shard int, found ...drift.Finding) result.ExitCode {
	r.Helper()
	r.env["GITHUB_RUN_ID"] = fmt.Sprint(run)
	checked := drift.Report{Schema: drift.Schema, Commit: r.head, Machine: "gpu", Part: drift.Part{Index: shard, Of: 2}, Findings: found, Cases: []drift.Case{{Name: "k", Kernel: "k"}}}
	checked.Exit = checked.Conclude()
	r.leave(Outcome{Exit: int(checked.Exit)}, nil)
	must(r, drift.Document.Write(filepath.Join(r.work, outFolder, DriftFile), &checked))
	before := fmt.Sprint(r.github.Issues())
	exit := r.report()
	if exit != checked.Exit || fmt.Sprint(r.github.Issues()) != before {
		r.Errorf("the job that measures ends with %d, want %d, and may leave the issues alone: %+v", exit, checked.Exit, r.github.Issues())
	}
	r.env["INPUT_MODE"], r.env["INPUT_ARTIFACTS_DIR"] = ModeIssue, filepath.Join(r.work, outFolder)
	defer func() { r.env["INPUT_MODE"], r.env["INPUT_ARTIFACTS_DIR"] = ModeDrift, "" }()
	return r.report()
}

// The issue of a machine is opened by a loss, edited while there is one, and closed when two sessions in a row that could have seen it were clean.
func TestDriftKeepsOneIssue(t *testing.T) {
	t.Parallel()
	loss := drift.Finding{Kind: drift.Slower, Effect: result.EffectFails, Kernel: "k", Case: "k/n=1 @mallory `$(x)`", Ratio: 1.2, Low: 1.1, High: 1.3, Limit: 0.015, After: strings.Repeat("a", 40)}
	r := drifting(t, "write")
	r.env["INPUT_ISSUE_LABELS"], r.env["INPUT_ISSUE_ASSIGNEES"] = "perf,gpu", "ada"
	decoy := r.github.AddIssue("mallory", "Performance drift: perfgate", "mine\n<!-- perfgate comment drift_20perfgate -->\n")
	for i, step := range []struct {
		run, shard int
		found      []drift.Finding
		open       bool
		says       string
	}{
		{1, 1, nil, false, ""},
		{2, 1, []drift.Finding{loss}, true, "k/n=1"},
		{3, 2, nil, true, "k/n=1"}, // of other cases
		{4, 1, nil, true, "was clean"},
		{4, 1, nil, true, "was clean"}, // the same run, again
		{5, 1, []drift.Finding{loss}, true, "perfgate bisect --case 'k/n=1 @mallory "},
		{6, 1, nil, true, "was clean"},
		{7, 1, nil, false, "PASS"},
		{8, 2, []drift.Finding{{Kind: drift.Clock, Effect: result.EffectUnmeasured, Ratio: 1.1}}, true, "clock"},
		{9, 1, nil, true, "was clean"}, // of the machine: any session sees it
		{10, 2, nil, false, "PASS"},
	} {
		r.session(step.run, step.shard, step.found...)
		issues := r.github.Issues()[1:]
		if len(issues) == 0 {
			if step.open {
				t.Fatalf("step %d opens none:\n%s", i, r.log.String())
			}
			continue
		}
		last := issues[len(issues)-1]
		if last.Closed == step.open || !strings.Contains(unescaped(last.Body), step.says) {
			t.Errorf("step %d: closed %v, want %q in\n%s", i, last.Closed, step.says, last.Body)
		}
	}
	issues := r.github.Issues()
	if len(issues) != 3 || issues[0].Number != decoy || issues[0].Edits > 0 || fmt.Sprint(issues[1].Labels, issues[1].Assignees) != "[perf gpu] [ada]" {
		t.Errorf("%+v", issues)
	}
}

// Without the permission there is a warning and the summary; no run but one of the default branch opens an issue.
func TestDriftWithoutAnIssue(t *testing.T) {
	t.Parallel()
	loss := drift.Finding{Kind: drift.CumulativeRegression, Effect: result.EffectFails, Kernel: "k", Case: "k", Ratio: 1.2, Limit: 0.05, After: strings.Repeat("a", 40)}
	for name, c := range map[string]struct {
		event, ref, issues, says string
		opened                   int
	}{
		"no permission":         {"schedule", "", "read", "issues: write", 0},
		"on another branch":     {"workflow_dispatch", "refs/heads/topic", "write", "", 0},
		"on the default branch": {"workflow_dispatch", "refs/heads/main", "write", "", 1},
		"by a pull request":     {"pull_request", "refs/pull/1/merge", "write", "", 0},
	} {
		r := drifting(t, c.issues)
		if r.env["GITHUB_EVENT_NAME"], r.env["GITHUB_REF"] = c.event, c.ref; c.event == "pull_request" {
			pull := newReporting(t)
			r.event, r.head = pull.event, pull.head
			r.env["PERFGATE_EVENT_PR"], r.env["PERFGATE_EVENT_HEAD"] = "1", r.head
		}
		if c.event == "workflow_dispatch" {
			r.event["ref"], r.event["inputs"] = c.ref, map[string]any{}
		}
		exit := r.session(1, 1, loss)
		if exit != result.ExitPassed || len(r.github.Issues()) != c.opened || !strings.Contains(unescaped(r.summary()), c.says) {
			t.Errorf("%s: exit %d, %+v\n%s\n%s", name, exit, r.github.Issues(), r.summary(), r.log.String())
		}
	}
}

// What a search finds is a comment under the machine's open issue, one for each pair of ends, and nothing where none is open.
func TestBisectAnswersUnderTheIssue(t *testing.T) {
	t.Parallel()
	r := drifting(t, "write")
	answer := func(run int) {
		r.env["INPUT_MODE"], r.env["INPUT_GOOD"], r.env["GITHUB_EVENT_NAME"], r.env["GITHUB_REF"] = ModeBisect, "v1", "workflow_dispatch", "refs/heads/main"
		r.env["GITHUB_RUN_ID"], r.event["ref"], r.event["inputs"] = fmt.Sprint(run), "refs/heads/main", map[string]any{}
		exit := r.step(func(ctx context.Context, j Job) error {
			return j.run(func(s *step) error {
				found := &search.Bisection{Good: strings.Repeat("a", 40), Bad: strings.Repeat("b", 40)}
				return s.toldByIssue(ctx, &publication{verdict: verdict{document: headline("FOUND", report.Good, fmt.Sprint("in run ", run)), issue: s.searchIssue(found)}})
			})
		})
		if exit != result.ExitPassed {
			t.Errorf("exit %d\n%s", exit, r.log.String())
		}
	}
	answer(1)
	issue := r.github.AddIssue("github-actions[bot]", "Performance drift: perfgate", "x\n"+github.Marker("drift perfgate")+"\n")
	answer(2)
	answer(3)
	if said := r.github.Comments(issue); len(said) != 1 || !strings.Contains(said[0].Body, "in run 3") || said[0].Edits != 1 {
		t.Errorf("%+v", said)
	}
}

// What the measuring job left is untrusted: a check of another commit, one that contradicts itself and a search between other commits tell the issue nothing.
func TestIssueOfAForgedCheck(t *testing.T) {
	t.Parallel()
	loss := drift.Finding{Kind: drift.Slower, Effect: result.EffectFails, Kernel: "k", Case: "k", Ratio: 1.2, Low: 1.1, High: 1.3, Limit: 0.015, After: strings.Repeat("a", 40)}
	for name, c := range map[string]struct {
		leave func(*rig, string)
		says  string
	}{
		"another commit": {func(r *rig, dir string) {
			forged := drift.Report{Schema: drift.Schema, Commit: strings.Repeat("c", 40), Findings: []drift.Finding{loss}, Exit: result.ExitFailed}
			must(r, drift.Document.Write(filepath.Join(dir, DriftFile), &forged))
		}, "it is about"},
		"an exit code that does not follow": {func(r *rig, dir string) {
			must(r, os.WriteFile(filepath.Join(dir, DriftFile), []byte(`{"schema": "perfgate/drift/v1", "commit": "`+r.head+`", "exit": 1}`), 0o600))
		}, DriftFile},
		"nothing": {func(*rig, string) {}, DriftFile},
		"a search between other commits": {func(r *rig, dir string) {
			r.env["INPUT_GOOD"], r.env["GITHUB_EVENT_NAME"], r.env["GITHUB_REF"] = "HEAD", "workflow_dispatch", "refs/heads/main"
			r.event["ref"], r.event["inputs"] = "refs/heads/main", map[string]any{}
			must(r, os.WriteFile(filepath.Join(dir, SearchFile), []byte(`{"good": "`+strings.Repeat("a", 40)+`"}`), 0o600))
		}, ""},
	} {
		r := drifting(t, "write")
		issue := r.github.AddIssue("github-actions[bot]", "Performance drift: perfgate", "x\n"+github.Marker("drift perfgate")+"\n")
		dir := t.TempDir()
		r.env["INPUT_MODE"], r.env["INPUT_ARTIFACTS_DIR"] = ModeIssue, dir
		c.leave(r, dir)
		exit := r.report()
		if all := r.github.Issues(); exit == result.ExitPassed || len(all) != 1 || all[0].Edits > 0 || len(r.github.Comments(issue)) > 0 || !strings.Contains(r.log.String()+r.summary(), c.says) {
			t.Errorf("%s: exit %d, %+v\n%s", name, exit, all, r.log.String())
		}
	}
}
