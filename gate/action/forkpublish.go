package action

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/result"
)

// StatusContext is the commit status of a key, which mode report sets. The required check of the form without forks is the job
// perfgate, so this must never be its name, nor that of the check run.
func StatusContext(key string) string {
	if key == "perfgate" {
		return "perfgate/verdict"
	}
	return "perfgate/verdict (" + key + ")"
}

// announceTo says what was found on the pull request of another run. The job fails only if the status could not be set: the
// verdict is the status's to show, on a page that people look at.
func (r *reporter) announceTo(ctx context.Context, f finding, advisory string) error {
	if r.target.PR != 0 {
		if now := r.headNow(ctx, r.client, r.target.PR); now != "" && now != r.target.Head {
			return r.leaveAlone(superseded(r.event, now))
		}
	}
	exit := r.in.FailOn.Exit(f.exit, f.problems)
	meta := github.Meta{Key: r.in.Key, ReportURL: RunURL(r.event), SHA: r.target.Head, Advisory: advisory, Warnings: r.warnings}
	url := r.upsert(ctx, f, meta)
	r.check(ctx, f, meta, exit)
	status := r.status(f, exit, advisory != "")
	unset := r.client.SetStatus(ctx, status)
	meta.Warnings = r.warnings
	r.tell(f.document, meta)
	outputs := r.outputs(f, url, "")
	for _, path := range []string{"result", "report", outResults} { // none is on this machine
		delete(outputs, path)
	}
	if err := github.SetOutputs(r.Env, outputs); err != nil {
		return r.stop(err)
	}
	if unset != nil {
		r.Log.Error(fmt.Sprintf("the verdict could not be put on the commit: %v", unset))
		return &ExitError{result.ExitNotMeasurable}
	}
	r.Log.Print(fmt.Sprintf("%s is %s on %.12s\n", filepath.ToSlash(status.Context), status.State, r.target.Head))
	return nil
}

// status is what the commit gets. An advisory verdict can be held back until the label; what could not be judged needs more than
// that, and is an error at once.
func (r *reporter) status(f finding, exit result.ExitCode, advisory bool) github.Status {
	s := github.Status{
		SHA: r.target.Head, Context: StatusContext(r.in.Key), State: statusState(exit), Description: github.Describe(f.document), TargetURL: RunURL(r.event),
	}
	if advisory {
		s.Description = "advisory, " + s.Description
	}
	if advisory && r.in.ForkStatus == ForkStatusPending && s.State != github.StatusError {
		s.State, s.Description = github.StatusPending, fmt.Sprintf("waits for the label %s; %s", r.in.Label, s.Description)
	}
	return s
}

func statusState(exit result.ExitCode) string {
	switch exit {
	case result.ExitPassed:
		return github.StatusSuccess
	case result.ExitFailed:
		return github.StatusFailure
	}
	return github.StatusError
}

// upsert writes or edits the comment and returns its address, "" if there is none.
func (r *reporter) upsert(ctx context.Context, f finding, m github.Meta) string {
	if r.target.PR == 0 || r.in.Comment == CommentNever {
		return ""
	}
	create := r.in.Comment == CommentAlways || f.result == nil || github.Notable(f.result)
	url, _, err := r.client.UpsertComment(ctx, github.Comment{
		PR: r.target.PR, Key: r.in.Key, Author: r.in.CommentAuthor, Body: github.RenderComment(f.document, m), Create: create,
	})
	if err != nil {
		r.warn("there is no comment: %v", err)
		return ""
	}
	return url
}
