package action

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// reportRun is mode report: another workflow run measured, without a token, and this one has the token and runs nothing. A
// pull request controls that run: its workflow file, its code, what it kept. Of the run itself only what GitHub says of it
// is trusted: commit, branch, repository. Which pull request that is, the API says.
func (s *step) reportRun(ctx context.Context) (verdict, error) {
	run := s.event.WorkflowRun
	if why := noReport(*run, s.event); why != "" {
		return s.leaveAlone(why), nil
	}
	s.target = Target{Head: run.HeadSHA}
	base, why, err := s.subject(ctx)
	switch {
	case errors.Is(err, github.ErrAmbiguous):
		return unmeasured(result.ExitNotMeasurable, err.Error()), nil
	case err != nil:
		return verdict{}, err
	case why != "":
		return s.leaveAlone(why), nil
	}
	approved, against := s.approval(ctx)
	advisory := s.advisory(approved, against)
	if s.scratch, err = s.makeWork(); err != nil {
		return verdict{}, err
	}
	var v verdict
	if c, err := s.fetched(ctx, base, s.scratch); err != nil {
		v = unmeasured(result.ExitNotMeasurable, err.Error())
	} else {
		s.target.Base = c.base
		v = s.decide(ctx, c, s.ofOthers(approved, s.download))
	}
	if why := s.superseded(ctx); why != "" {
		return s.leaveAlone(why), nil
	}
	v.advisory = advisory
	return v, nil
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
	case run.Event == github.EventMergeGroup && run.HeadRepo.ID != e.Repo.ID:
		return fmt.Sprintf("run %d says it is of a merge group, and is of another repository", run.ID)
	}
	return ""
}

// leaveAlone ends a report that has nothing to say, but to the reader of its log.
func (s *step) leaveAlone(why string) verdict {
	s.Log.Notice(why)
	return verdict{document: headline("NOTHING TO REPORT", report.Plain, why), exit: result.ExitNotMeasurable, quiet: true}
}

// subject finds out what was measured and against what: why is not empty if the run is not of the present head of an open
// pull request. The event gets the pull request that GitHub's own has not.
func (s *step) subject(ctx context.Context) (base, why string, err error) {
	run := s.event.WorkflowRun
	if run.Event == github.EventMergeGroup {
		s.event.Name, s.event.Ref = github.EventMergeGroup, "refs/heads/"+run.HeadBranch
		found := queueRef().FindStringSubmatch(s.event.Ref)
		if found == nil {
			return "", fmt.Sprintf("run %d says it is of a merge group, and its branch is none's", run.ID), nil
		}
		return run.HeadBranch[strings.LastIndexByte(run.HeadBranch, '-')+1:], "", nil
	}
	pr, err := s.client.FindPullRequest(ctx, *run)
	if errors.Is(err, github.ErrNotFound) {
		return "", fmt.Sprintf("superseded: %.12s is not the head of an open pull request (any more), so nothing is set; the run of the newer commit counts", run.HeadSHA), nil
	}
	if err != nil {
		return "", "", err
	}
	s.event.PR, s.event.HeadSHA = &pr, run.HeadSHA
	return pr.Base.SHA, "", nil
}

// advisory says why the verdict does not bind, "" if it does: for a fork, until a user with write access approves it.
func (s *step) advisory(a *github.Approval, against string) string {
	if s.event.PR == nil || !s.event.PR.Fork() || a != nil {
		if against != "" {
			s.warn("the label %s does not count: %s", s.in.AcceptLabel, against)
		}
		return ""
	}
	text := fmt.Sprintf("measured by a run that the pull request controls. It counts once a person who may write to "+
		"the repository has read the change and applied the label %s, after its last push", s.in.AcceptLabel)
	if against != "" {
		text += "; the label that is there does not count: " + against
	}
	return text
}

// download fetches what the run kept, by its names. What is not there is left out, for the verdict to miss.
func (s *step) download(ctx context.Context) ([]part, error) {
	run := s.event.WorkflowRun
	kept, err := s.client.Artifacts(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	all := s.expected()
	for i, p := range all {
		found, ok, err := p.fetch(ctx, s.client, kept)
		if err != nil {
			return nil, err
		}
		if all[i] = found; !ok {
			all[i].why = fmt.Sprintf("run %d kept no artifact of this name (it ended with %.20q)", run.ID, run.Conclusion)
		}
	}
	return all, nil
}

// statusContext is the commit status of a key, which mode report sets. The required check of the form without forks is the job
// perfgate, so this must never be its name, nor that of the check run.
func statusContext(key string) string {
	if key == "perfgate" {
		return "perfgate/verdict"
	}
	return "perfgate/verdict (" + key + ")"
}
