package action

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// Prepare decides what the run does and writes the job request. Its error is an *result.ExitError.
func Prepare(ctx context.Context, j Job) error {
	return j.run(func(s *step) error { return s.prepare(ctx) })
}

func (s *step) prepare(ctx context.Context) error {
	if err := s.refuseExternal(ctx); err != nil {
		return err
	}
	if s.does.prepare == nil {
		if s.idle != "" {
			s.Log.Notice(s.idle)
		}
		return s.setOutputs(map[string]string{outMode: s.does.name})
	}
	if s.in.Token != "" {
		if why := s.superseded(ctx); why != "" {
			return s.stop(result.ExitNotMeasurable, why)
		}
	}
	return s.does.prepare(s, ctx)
}

// writeRequest decides the job request of a mode that measures.
func (s *step) writeRequest(ctx context.Context) error {
	if err := s.resolve(ctx); err != nil {
		return err
	}
	p := s.request()
	if s.does.compares {
		why, err := s.staleBase(ctx)
		if err != nil {
			return err
		}
		if why != "" {
			return s.stop(result.ExitNotMeasurable, why)
		}
		p.Trust = s.trust(ctx)
		p.External = p.Trust == repo.TrustBase && s.event.PR != nil && s.event.PR.Fork()
	}
	work, err := s.makeWork()
	if err != nil {
		return err
	}
	if err := requestDocument.Write(filepath.Join(work, requestFile), &p); err != nil {
		return err
	}
	s.Log.Print(fmt.Sprintf("mode %s, head %.12s, base %.12s, seed %s, configuration and adapters of %s\n", p.Mode, p.Head, p.Base, p.Seed, sideOf(p.Trust == repo.TrustBase)))
	if s.target.Note != "" {
		s.Log.Notice(s.target.Note)
	}
	return s.setOutputs(map[string]string{outMode: s.does.name, outWork: work})
}

func (s *step) staleBase(ctx context.Context) (why string, err error) {
	c, err := s.checkedOut(ctx)
	if err != nil {
		return "", err
	}
	return c.staleBase(ctx, s.in)
}

// superseded says why a run stops whose pull request was pushed to or turned to another base branch, "" if it goes on. It does not pass: a
// run that measured nothing must not leave a green check on a commit that can become the head again.
func (s *step) superseded(ctx context.Context) string {
	if s.event.PR == nil {
		return ""
	}
	was := s.event.PR
	now, err := s.client.PullRequest(ctx, was.Number)
	if err != nil {
		s.Log.Warning("whether a newer commit was pushed cannot be found out: " + err.Error())
		return ""
	}
	switch {
	case now.Head.SHA != "" && now.Head.SHA != s.event.HeadSHA:
		return fmt.Sprintf("superseded: pull request %d is at %.12s by now, so %.12s is not measured any more; the run of the newer commit counts", was.Number, now.Head.SHA, s.event.HeadSHA)
	case was.Base.Ref != "" && now.Base.Ref != "" && now.Base.Ref != was.Base.Ref:
		return fmt.Sprintf("superseded: pull request %d is to be merged into %.100q by now, so what it adds to %.100q is not measured any more; "+
			"the run that this change started counts (where there is none, close and reopen the pull request)", was.Number, now.Base.Ref, was.Base.Ref)
	}
	return ""
}

func (s *step) request() JobRequest {
	in := s.in
	seed := plan.SeedOf(s.target.Head, strconv.FormatInt(s.event.RunID, 10), seedAttempt(s.event, in))
	p := JobRequest{
		Schema: requestDocument.Schema, Mode: s.does.name, Run: in.Run, Profile: in.Profile, ProfileBudget: in.ProfileBudget, Arch: in.Arch,
		IfNeeded: s.does.name == ModeRecord && s.event.Name == github.EventPush,
	}
	p.Head, p.Base, p.Trust, p.Seed = s.target.Head, s.target.Base, repo.TrustWorktree, strconv.FormatUint(seed, 10)
	if s.does.name == ModeDrift {
		// Unlike the day, the number of the run takes every shard in turn whatever the schedule is; 0 where it is none.
		n, err := strconv.ParseUint(s.Env("GITHUB_RUN_NUMBER"), 10, 31)
		if p.Shard = cmp.Or(in.Shard, nightly); err == nil {
			p.RunNumber = int(n)
		}
	}
	return p
}

// seedAttempt is the part of the seed that differs when a run is repeated. Parts of a plan have none: one that failed is
// repeated alone, and still belongs to the others.
func seedAttempt(e github.Event, in Inputs) string {
	if in.Shard != "" || in.Machine != "" {
		return "parts"
	}
	return strconv.Itoa(e.RunAttempt)
}
