package action

import (
	"context"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// accept lets regressions pass that a commit of the pull request asks to accept and a writer vouches for: vouched is asked only
// where there is something to accept, and is nil where there is no writer who does.
func (r *reporter) accept(ctx context.Context, res *result.Result, vouched func() *github.Approval) error {
	if !compares(r.mode) || res.Conclusion.Exit != result.ExitFailed {
		return nil
	}
	messages := r.messages
	if r.mode != ModeReport {
		var err error
		if messages, err = gitIn(r.Dir).Messages(ctx, r.target.Base, r.target.Head); err != nil {
			return err
		}
	}
	asked := gate.ParseAcceptances(repo.Trailers(gate.AcceptTrailer, messages))
	if len(asked) == 0 {
		return nil
	}
	by := vouched()
	if by == nil {
		r.warn("a commit asks to accept a regression (%s), which counts only together with the label %s, applied by somebody who may write after the last push", gate.AcceptTrailer, r.in.Label)
		return nil
	}
	gate.AcceptAsked(res, asked, by.By, by.Label)
	return nil
}
