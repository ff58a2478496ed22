package main

import (
	"context"

	"github.com/org/perfgate/gate/action"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
)

// What measures for a job. A program that was built to rehearse has others.
var (
	measureSides  = run.Run
	measureCommit = run.Record
)

// measureRequest is the run behind the measuring step.
func measureRequest(ctx context.Context, s *streams, p action.JobRequest, out string) action.Outcome {
	o, err := inScratch(func(scratch string) (action.Outcome, error) { return measureIn(ctx, s, p, out, scratch) })
	if err != nil {
		o.Exit, o.Error = int(result.ExitCodeOf(err)), err.Error()
	}
	return o
}

// requestFlags are what a job request would be as flags of a verb.
func requestFlags(p action.JobRequest, out string) runFlags {
	f := runFlags{output: output{Out: out, Format: "text"}, Run: p.Run, Profile: p.Profile, ProfileBudget: p.ProfileBudget}
	f.InJob, f.TimeIdentical = true, p.Mode == action.ModeRecord || p.Mode == action.ModeDrift
	return f
}

func measureIn(ctx context.Context, s *streams, p action.JobRequest, out, scratch string) (action.Outcome, error) {
	f := requestFlags(p, out)
	switch p.Mode {
	case action.ModeBisect:
		return searchRequest(ctx, s, f)
	case action.ModeDrift:
		f.Shard = "" // what is measured follows from the cases that there are
	}
	opt, err := f.options(ctx, scratch)
	if err != nil {
		return action.Outcome{}, err
	}
	switch p.Mode {
	case action.ModePrecheck:
		return precheckRequest(ctx, s, p, opt, out)
	case action.ModeRecord:
		opt.Repro = commandLine("baseline record", &f, p.Head)
		return recordRequest(ctx, s, p, opt, out)
	case action.ModeDrift:
		return driftRequest(ctx, s, p, f, opt, out)
	}
	opt.Profile = f.profile()
	res, err := shown(ctx, s, opt, func(opt run.Options) (*result.Result, error) { return measureSides(ctx, opt) })
	if err != nil {
		return action.Outcome{}, err
	}
	return action.Outcome{Exit: int(res.Conclusion.Exit)}, s.leave(out, ofResult(res))
}

// precheckRequest compiles both sides and runs neither.
func precheckRequest(ctx context.Context, s *streams, p action.JobRequest, opt run.Options, out string) (action.Outcome, error) {
	t, err := run.Precheck(ctx, opt, p.Arch)
	if err != nil {
		return action.Outcome{}, interrupted(ctx, err)
	}
	return action.Outcome{Exit: int(t.Conclusion.Exit)}, s.leave(out, answer{document: report.Precheck(t), data: t.Write, name: action.PrecheckFile})
}

// recordRequest measures a commit and writes its record: into the store where that is a folder of this machine, else into
// the folder of results, for a job that may write to the repository.
func recordRequest(ctx context.Context, s *streams, p action.JobRequest, opt run.Options, out string) (action.Outcome, error) {
	if opt.Stored.Store == nil { // minutes of measuring for nothing
		return action.Outcome{Warnings: []string{opt.Stored.Reason}}, nil
	}
	done, err := shown(ctx, s, opt, func(opt run.Options) (run.Recorded, error) { return measureCommit(ctx, opt, p.IfNeeded) })
	var o action.Outcome
	if done.Reason != nil {
		o.Notes = []string{recordWanted(done)}
	}
	if err != nil || done.Result == nil {
		return o, err
	}
	res := done.Result
	res.Base = res.Head // the schema has two sides, a record one
	o.Exit = int(res.Conclusion.Exit)
	if err := s.leave(out, ofResult(res)); err != nil {
		return o, err
	}
	if res.Conclusion.Exit != result.ExitPassed {
		o.Notes = []string{joinReasons(res.Conclusion)}
		return o, nil
	}
	rec, err := done.Record(opt.Trusted.Config)
	if err != nil {
		return o, err
	}
	pinLevels(ctx, s, opt.Stored.Store, opt.Stored.Ancestors, rec)
	err = o.KeepRecord(ctx, opt.Stored.Store, rec, out)
	return o, err
}
