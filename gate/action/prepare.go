package action

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// Prepare decides what the run does and writes the plan. Its error is an *ExitError.
func Prepare(ctx context.Context, j Job) error {
	in, e, err := j.open()
	if err != nil {
		return j.stop(err)
	}
	mode, why, err := Mode(in.Mode, e)
	if err != nil {
		return j.stop(err)
	}
	if err := j.noStranger(ctx, mode, e, in); err != nil {
		return j.stop(err)
	}
	switch mode {
	case ModeNothing:
		j.Log.Notice(why)
		return j.finish(map[string]string{outMode: mode, outVerdict: result.RunPassed, outExit: "0"})
	case ModeStore, ModeReport:
		return j.finish(map[string]string{outMode: mode})
	case ModeMerge:
		return j.prepareMerge()
	}
	return j.prepare(ctx, mode, e, in)
}

func (j Job) finish(outputs map[string]string) error {
	if err := github.SetOutputs(j.Env, outputs); err != nil {
		return j.stop(err)
	}
	return nil
}

func (j Job) prepare(ctx context.Context, mode string, e github.Event, in Inputs) error {
	client, err := j.client(in, e)
	if err != nil {
		return j.stop(err)
	}
	if e.PR != nil && in.Token != "" {
		if now := j.headNow(ctx, client, e.PR.Number); now != "" && now != e.HeadSHA {
			return j.stopWith(result.ExitNotMeasurable, superseded(e, now))
		}
	}
	target, err := Resolve(ctx, j.Dir, mode, e, in)
	if err != nil {
		return j.stop(err)
	}
	if compares(mode) {
		why, err := j.overtakenHere(ctx, target, e, in)
		if err != nil {
			return j.stop(err)
		}
		if why != "" {
			return j.stopWith(result.ExitNotMeasurable, why)
		}
	}
	p := j.plan(mode, target, e, in)
	if compares(mode) {
		p.Trust = j.trust(ctx, client, e, in)
	}
	work, err := j.work()
	if err != nil {
		return j.stop(err)
	}
	if err := writeHandover(work, planFile, p); err != nil {
		return j.stop(err)
	}
	j.announce(p, target)
	return j.finish(map[string]string{outMode: mode, outWork: work})
}

// superseded says why a run stops. It does not pass: a run that measured nothing must not leave a green check on a commit
// that can become the head again.
func superseded(e github.Event, now string) string {
	return fmt.Sprintf("superseded: pull request %d is at %.12s by now, so %.12s is not measured any more; the run of the newer commit counts", e.PR.Number, now, e.HeadSHA)
}

func (j Job) plan(mode string, t Target, e github.Event, in Inputs) Plan {
	seed := plan.SeedOf(t.Head, strconv.FormatInt(e.RunID, 10), seedAttempt(e, in))
	return Plan{
		Schema: planSchema, Mode: mode, Head: t.Head, Base: t.Base, Trust: repo.TrustWorktree, Seed: strconv.FormatUint(seed, 10),
		Config: in.Config, Kernels: in.Kernels, Baseline: in.Baseline, Tolerance: in.Tolerance,
		BudgetS: in.Budget.Seconds(), Profile: in.Profile, ProfileLimitS: in.ProfileLimit.Seconds(), GPU: in.GPU, Sandbox: in.Sandbox, Shard: in.Shard,
		IfWanted: mode == ModeRecord && e.Name == github.EventPush,
	}
}

func (j Job) announce(p Plan, t Target) {
	j.Log.Print(fmt.Sprintf("mode %s, head %.12s, base %.12s, seed %s, configuration and adapters of %s\n", p.Mode, p.Head, p.Base, p.Seed, whose(p.Trust)))
	if t.Note != "" {
		j.Log.Notice(t.Note)
	}
}

func whose(trust string) string {
	if trust == repo.TrustBase {
		return "base"
	}
	return "head"
}

// trust says whose configuration and adapters rule: base's, unless somebody who may write vouches for head's with the label.
func (j Job) trust(ctx context.Context, client *github.Client, e github.Event, in Inputs) string {
	if in.Token == "" {
		return trustWithoutToken(e, in)
	}
	a := j.approval(ctx, client, e, in)
	if a == nil {
		return repo.TrustBase
	}
	j.Log.Notice(fmt.Sprintf("head's configuration and adapters are used: %s", a.Reason))
	return repo.TrustWorktree
}

// approval is what the label says of this run; nil where nobody vouches for it. Reasons against it are in the log.
func (j Job) approval(ctx context.Context, client *github.Client, e github.Event, in Inputs) *github.Approval {
	number := queued(e)
	if e.PR != nil && slices.Contains(e.PR.Labels, in.Label) {
		number = e.PR.Number
	}
	if number == 0 {
		return nil
	}
	a, err := client.Approval(ctx, number, in.Label)
	if err != nil {
		j.Log.Warning(fmt.Sprintf("the label %s does not count, since GitHub could not be asked who applied it: %v", in.Label, err))
		return nil
	}
	if !vouches(a, e) {
		if e.PR != nil || a.By != "" {
			j.Log.Warning(fmt.Sprintf("the label %s does not count: %s", in.Label, a.Reason))
		}
		return nil
	}
	return &a
}

// vouches says whether an approval is for what this run measures. A merge group is a merge of the approved head, so there
// is no commit to compare; a push to the pull request takes it out of the queue.
func vouches(a github.Approval, e github.Event) bool {
	return a.Granted && (e.PR == nil || a.SHA == e.HeadSHA)
}
