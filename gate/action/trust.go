package action

import (
	"context"
	"fmt"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// trust says whose configuration and adapters rule: base's, unless a user with write access approves head's with the label.
func (s *step) trust(ctx context.Context) string {
	if s.in.Token == "" {
		return trustWithoutToken(s.event, s.in)
	}
	a := s.approved(ctx)
	if a == nil {
		return repo.TrustBase
	}
	s.Log.Notice(fmt.Sprintf("head's configuration and adapters are used: %s", a.Reason))
	return repo.TrustWorktree
}

// trustWithoutToken goes by the event where GitHub cannot be asked who applied the label: a run that its being applied has
// started is newer than every push, and whether that person may write is for the job that reports.
func trustWithoutToken(e github.Event, in Inputs) string {
	if e.PR != nil && e.Action == "labeled" && e.Label.Is(in.AcceptLabel) {
		return repo.TrustWorktree
	}
	return repo.TrustBase
}

// approved is the approval of this run; nil where there is none. Reasons against it are in the log.
func (s *step) approved(ctx context.Context) *github.Approval {
	a, against := s.approval(ctx)
	if against != "" {
		s.Log.Warning(fmt.Sprintf("the label %s does not count: %s", s.in.AcceptLabel, against))
	}
	return a
}

// approval is what the label says of this run: nil where no user with write access approves it, with the reason why a label does not count.
func (s *step) approval(ctx context.Context) (a *github.Approval, against string) {
	number := queued(s.event)
	if s.event.PR != nil && s.event.PR.HasLabel(s.in.AcceptLabel) {
		number = s.event.PR.Number
	}
	if number == 0 {
		return nil, ""
	}
	found, err := s.client.Approval(ctx, number, s.in.AcceptLabel)
	switch {
	case err != nil:
		return nil, "GitHub could not be asked who applied it: " + err.Error()
	case approves(found, s.event):
		return &found, ""
	case s.event.PR == nil && found.By == "": // a merge group, and there is no label
		return nil, ""
	}
	return nil, found.Reason
}

// approves says whether an approval is for what this run measures. A merge group is a merge of the approved head, so there
// is no commit to compare; a push to the pull request takes it out of the queue.
func approves(a github.Approval, e github.Event) bool {
	return a.Granted && (e.PR == nil || a.SHA == e.HeadSHA)
}

// accept lets regressions pass that a commit of the pull request asks to accept and a user with write access approves: approval is called only
// where there is something to accept, and is nil where nobody with write access does.
func (s *step) accept(ctx context.Context, res *result.Result, c change, approval func() *github.Approval) {
	if res.Conclusion.Exit != result.ExitFailed {
		return
	}
	messages, err := c.messages(ctx)
	if err != nil {
		s.warn("whether regressions were accepted cannot be found out, so none is: %v", err)
		return
	}
	asked := rule.ParseAcceptances(repo.Trailers(rule.AcceptTrailer, messages))
	if len(asked) == 0 {
		return
	}
	by := approval()
	if by == nil {
		s.warn("a commit asks to accept a regression (%s), which counts only together with the label %s, applied by a person who may write after the last push", rule.AcceptTrailer, s.in.AcceptLabel)
		return
	}
	rule.AcceptAsked(res, asked, by.By, by.Label)
}
