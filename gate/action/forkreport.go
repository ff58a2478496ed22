package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// reportOf is mode report: another workflow run measured, without a token, and this one has the token and runs nothing. A
// pull request rules over that run: its workflow file, its code, what it kept. Of the run itself only what GitHub says of it
// is believed: commit, branch, repository. Which pull request that is, the API says.
func (j Job) reportOf(ctx context.Context, e github.Event, in Inputs) error {
	run := e.WorkflowRun
	if why := noReport(*run, e); why != "" {
		return j.leaveAlone(why)
	}
	client, err := j.client(in, e)
	if err != nil {
		return j.stop(err)
	}
	r := &reporter{Job: j, in: in, event: e, mode: ModeReport, client: client, target: Target{Head: run.HeadSHA}}
	base, why, err := r.subject(ctx)
	switch {
	case errors.Is(err, github.ErrAmbiguous):
		return r.announceTo(ctx, unmeasured(result.ExitNotMeasurable, err.Error()), "")
	case err != nil:
		return j.stop(err)
	case why != "":
		return j.leaveAlone(why)
	}
	f, advisory := r.judgeRun(ctx, base)
	return r.announceTo(ctx, f, advisory)
}

// noReport says why a run is not reported, "" if it is.
func noReport(run github.WorkflowRun, e github.Event) string {
	switch {
	case e.Action != "completed":
		return "the run that this is about has not ended"
	case run.Conclusion == "skipped" || run.Conclusion == "cancelled" && run.Event != github.EventMergeGroup: // a queue would wait for ever
		return fmt.Sprintf("run %d was %s, so there is nothing to report; what was said of its commit before stays", run.ID, run.Conclusion)
	case run.Event != github.EventPullRequest && run.Event != github.EventMergeGroup:
		return fmt.Sprintf("run %d was started by %.40q, and reports are about pull requests and merge groups", run.ID, run.Event)
	case run.Event == github.EventMergeGroup && run.HeadRepoID != e.Repo.ID:
		return fmt.Sprintf("run %d says it is of a merge group, and is of another repository", run.ID)
	}
	return ""
}

// leaveAlone ends a report that says nothing to anybody but the reader of its log.
func (j Job) leaveAlone(why string) error {
	j.Log.Notice(why)
	j.tell(report.Document{Verdict: "NOTHING TO REPORT", Tone: report.Plain, Headline: report.Text{{Text: why}}}, github.Meta{})
	return j.finish(map[string]string{outVerdict: result.RunError, outExit: fmt.Sprint(int(result.ExitNotMeasurable))})
}

// subject finds out what was measured and against what: why is not empty if the run is not of the present head of an open
// pull request. The event gets the pull request that GitHub's own has not.
func (r *reporter) subject(ctx context.Context) (base, why string, err error) {
	run := r.event.WorkflowRun
	if run.Event == github.EventMergeGroup {
		r.event.Name, r.event.Ref = github.EventMergeGroup, "refs/heads/"+run.HeadBranch
		found := queueRef.FindStringSubmatch(r.event.Ref)
		if found == nil {
			return "", fmt.Sprintf("run %d says it is of a merge group, and its branch is none's", run.ID), nil
		}
		return run.HeadBranch[strings.LastIndexByte(run.HeadBranch, '-')+1:], "", nil
	}
	pr, err := r.client.FindPullRequest(ctx, run.HeadRepoOwner, run.HeadBranch, run.HeadSHA, run.HeadRepoID)
	if errors.Is(err, github.ErrNotFound) {
		return "", fmt.Sprintf("superseded: %.12s is not the head of an open pull request (any more), so nothing is set; the run of the newer commit counts", run.HeadSHA), nil
	}
	if err != nil {
		return "", "", err
	}
	r.event.PR, r.event.HeadSHA, r.target.PR = &pr, run.HeadSHA, pr.Number
	return pr.BaseSHA, "", nil
}

// judgeRun makes the verdict, and says why it does not bind if it does not.
func (r *reporter) judgeRun(ctx context.Context, base string) (f finding, advisory string) {
	change, err := r.client.Compare(ctx, base, r.target.Head)
	if err != nil {
		return unmeasured(result.ExitNotMeasurable, err.Error()), ""
	}
	r.target.Base, r.messages, r.patch = change.MergeBase, change.Messages, change.Diff
	vouched, against := r.vouched(ctx)
	advisory = r.advisory(vouched, against)
	repo := newThere(r.client)
	why, err := r.overtakenThere(ctx, repo, base, change)
	if err != nil || why != "" {
		return unmeasured(result.ExitNotMeasurable, cmp.Or(why, fmt.Sprint(err))), advisory
	}
	rules, err := r.rulesThere(ctx, repo, change)
	if err != nil {
		return unmeasured(result.ExitUsage, err.Error()), advisory
	}
	rules.vouched = vouched
	all, err := r.download(ctx)
	if err != nil {
		return unmeasured(result.ExitNotMeasurable, err.Error()), advisory
	}
	return r.verdict(ctx, all, rules), advisory
}

// vouched is what the label says of the head, nil with the reason where it says nothing.
func (r *reporter) vouched(ctx context.Context) (a *github.Approval, against string) {
	number := queued(r.event)
	if r.event.PR != nil && slices.Contains(r.event.PR.Labels, r.in.Label) {
		number = r.event.PR.Number
	}
	if number == 0 {
		return nil, ""
	}
	found, err := r.client.Approval(ctx, number, r.in.Label)
	switch {
	case err != nil:
		return nil, "GitHub could not be asked who applied it: " + err.Error()
	case !vouches(found, r.event):
		return nil, found.Reason
	}
	return &found, ""
}

// advisory says why the verdict does not bind, "" if it does: for a fork, until somebody who may write vouches for it.
func (r *reporter) advisory(a *github.Approval, against string) string {
	if r.event.PR == nil || !r.event.PR.Fork || a != nil {
		if against != "" {
			r.warn("the label %s does not count: %s", r.in.Label, against)
		}
		return ""
	}
	text := fmt.Sprintf("measured by a run that the pull request controls. It counts once somebody who may write to "+
		"the repository has read the change and applied the label %s, after its last push", r.in.Label)
	if against != "" {
		text += "; the label that is there does not count: " + against
	}
	return text
}

// rulesThere are the rules of a job that has no checkout.
func (r *reporter) rulesThere(ctx context.Context, repo *there, change github.Change) (*rules, error) {
	rules, err := r.rulesAt(change.MergeBase, func(commit string) ([]byte, bool, error) {
		if commit == r.target.Head {
			return repo.configuration(ctx, pathOf(r.in), commit, change)
		}
		return read(ctx, repo, commit, pathOf(r.in))
	})
	if err != nil {
		return nil, err
	}
	rules.head, rules.base, rules.files, rules.allFiles = r.target.Head, change.MergeBase, change.Files, change.AllFiles
	rules.inBase = func(file string) (bool, error) { return has(ctx, repo, change.MergeBase, file) }
	return rules, nil
}

// download fetches what the run kept, by its names. What is not there is left out, for the verdict to miss.
func (r *reporter) download(ctx context.Context) ([]left, error) {
	run := r.event.WorkflowRun
	kept, err := r.client.Artifacts(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	var all []left
	for _, one := range r.expected() {
		newest := github.Artifact{} // of several, as runs that were repeated have
		for _, a := range kept {
			if a.Name == one.name && !a.Expired && a.ID > newest.ID {
				newest = a
			}
		}
		if newest.ID == 0 {
			one.why = fmt.Sprintf("run %d kept no artifact of this name (it ended with %.20q)", run.ID, run.Conclusion)
			all = append(all, one)
			continue
		}
		zipped, err := r.client.DownloadArtifact(ctx, newest.ID, maxArtifact)
		if err != nil {
			return nil, err
		}
		l, err := readArtifact(one, zipped)
		if err != nil {
			return nil, fmt.Errorf("the artifact %s cannot be used: %w", one.name, err)
		}
		all = append(all, l)
	}
	return all, nil
}
