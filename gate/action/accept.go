package action

import (
	"context"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/result"
)

// accept lets regressions pass that a commit of the pull request asks to accept and somebody who may write vouches for.
func (r *reporter) accept(ctx context.Context, res *result.Result) error {
	if !compares(r.mode) || res.Conclusion.Exit != result.ExitFailed {
		return nil
	}
	values, err := git{r.Dir}.run(ctx, "log", "--format=%(trailers:key="+gate.AcceptTrailer+",valueonly,unfold)", r.target.Base+".."+r.target.Head)
	if err != nil {
		return err
	}
	asked := gate.ParseAcceptances(values)
	if len(asked) == 0 {
		return nil
	}
	a := r.approval(ctx, r.client, r.event, r.in)
	if a == nil {
		r.warn("a commit asks to accept a regression (%s), which counts only together with the label %s, applied by somebody who may write after the last push", gate.AcceptTrailer, r.in.Label)
		return nil
	}
	gate.AcceptAsked(res, asked, a.By, a.Label)
	return nil
}
