package action

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/result"
)

// AcceptTrailer is the trailer of a commit by which its author asks to let a regression pass: a pattern for names of cases,
// and why. It counts only together with the label.
const AcceptTrailer = "Perfgate-Accept"

// acceptance is one such request.
type acceptance struct{ pattern, reason string }

// acceptances reads values of trailers. One without a reason is none.
func acceptances(values string) []acceptance {
	var out []acceptance
	for line := range strings.Lines(values) {
		pattern, reason, _ := strings.Cut(strings.TrimSpace(line), " ")
		if reason = strings.TrimSpace(reason); reason != "" && doublestar.ValidatePattern(pattern) {
			out = append(out, acceptance{pattern, reason})
		}
	}
	return out
}

// accept lets regressions pass that a commit of the pull request asks to accept and somebody who may write vouches for.
func (r *reporter) accept(ctx context.Context, res *result.Result) error {
	if !compares(r.mode) || res.Conclusion.Exit != result.ExitFailed {
		return nil
	}
	values, err := git{r.Dir}.run(ctx, "log", "--format=%(trailers:key="+AcceptTrailer+",valueonly,unfold)", r.target.Base+".."+r.target.Head)
	if err != nil {
		return err
	}
	asked := acceptances(values)
	if len(asked) == 0 {
		return nil
	}
	a := r.approval(ctx, r.client, r.event, r.in)
	if a == nil {
		r.warn("a commit asks to accept a regression (%s), which counts only together with the label %s, applied by somebody who may write after the last push", AcceptTrailer, r.in.Label)
		return nil
	}
	applyAccepted(res, asked, *a)
	return nil
}

// applyAccepted notes what was accepted, and lets the run pass if nothing else speaks against it.
func applyAccepted(res *result.Result, asked []acceptance, a github.Approval) {
	res.Conclusion = gate.Accept(res.Conclusion, func(f result.Finding) bool {
		i := slices.IndexFunc(asked, func(q acceptance) bool {
			ok, _ := doublestar.Match(q.pattern, f.Case)
			return ok || q.pattern == f.Kernel
		})
		if i < 0 {
			return false
		}
		res.Accepted = append(res.Accepted, result.Accepted{Case: onMachine(f), By: a.By, How: fmt.Sprintf("label %s; the commit says: %s", a.Label, asked[i].reason)})
		return true
	})
}

// onMachine is the name of a finding's case, with its machine where there are several.
func onMachine(f result.Finding) string {
	if f.Machine == "" {
		return f.Case
	}
	return f.Case + " on " + f.Machine
}
