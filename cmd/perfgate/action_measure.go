package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/org/perfgate/gate/action"
	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/pipeline"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// measurePlan is the run behind the measuring step.
func measurePlan(ctx context.Context, s *streams, p action.Plan, out string) (action.Measured, error) {
	scratch, err := newScratch()
	if err != nil {
		return action.Measured{}, err
	}
	defer os.RemoveAll(scratch)
	m, err := measureIn(ctx, s, p, out, scratch)
	return m, inRepository(err, scratch)
}

// inRepository names files of a side as the repository does: where they were laid out says nothing to anybody.
func inRepository(err error, scratch string) error {
	if err == nil {
		return nil
	}
	return &repositoryError{err, strings.NewReplacer(filepath.Join(scratch, "head")+"/", "", filepath.Join(scratch, "base")+"/", "").Replace(err.Error())}
}

type repositoryError struct {
	err  error
	text string
}

func (e *repositoryError) Error() string { return e.text }
func (e *repositoryError) Unwrap() error { return e.err }

func measureIn(ctx context.Context, s *streams, p action.Plan, out, scratch string) (action.Measured, error) {
	f := runFlags{
		config: p.Config, base: p.Base, head: p.Head, trust: p.Trust, kernels: p.Kernels, tolerance: p.Tolerance, gpu: p.GPU, sandbox: p.Sandbox, shard: p.Shard, store: p.Baseline,
		budget: time.Duration(p.BudgetS * float64(time.Second)), seed: p.Seed, out: out, format: "text", noSkip: p.Mode == action.ModeRecord, inJob: true,
	}
	seed, err := parseSeed(f.seed)
	if err != nil {
		return action.Measured{}, err
	}
	opt, err := prepare(ctx, f, seed, scratch, bothSides)
	if err != nil {
		return action.Measured{}, err
	}
	if p.Mode == action.ModeRecord {
		return recordPlan(ctx, s, p, opt, out)
	}
	opt.Profile = profileOf(p, out)
	res, err := runPlan(ctx, s, p, opt)
	if err != nil {
		return action.Measured{}, err
	}
	return action.Measured{Result: res}, saveAndShow(s, f, res)
}

// profileOf is what a plan wants to have profiled, with the profiles among its results.
func profileOf(p action.Plan, out string) pipeline.Profile {
	return pipeline.Profile{Policy: p.Profile, Dir: filepath.Join(out, "profiles"), Limit: time.Duration(p.ProfileLimitS * float64(time.Second))}
}

// runPlan runs the gate, or takes a saved result where this program was built to rehearse.
func runPlan(ctx context.Context, s *streams, p action.Plan, opt pipeline.Options) (*result.Result, error) {
	if res, err := rehearsed(p, opt); res != nil || err != nil {
		return res, err
	}
	progress := newProgress(s.err)
	opt.Progress = progress.show
	res, err := pipeline.Run(ctx, opt)
	progress.done()
	if err != nil {
		return nil, interrupted(ctx, err)
	}
	return res, nil
}

func saveAndShow(s *streams, f runFlags, res *result.Result) error {
	document := report.New(res)
	saved, err := save(f.out, res, document)
	if err != nil {
		return err
	}
	return show(s, f, res, document, saved)
}

// recordPlan measures a commit and writes its record: into the store where that is a folder of this machine, else into
// the folder of results, for a job that may write to the repository.
func recordPlan(ctx context.Context, s *streams, p action.Plan, opt pipeline.Options, out string) (action.Measured, error) {
	if opt.Stored.Store == nil { // minutes of measuring for nothing
		return action.Measured{Warnings: []string{opt.Stored.Why}}, nil
	}
	var asked *pipeline.Stored // nil: a record is measured whatever other records there are
	if p.IfWanted {
		asked = opt.Stored
	}
	opt.Repro = "perfgate baseline record --config=" + quote(p.Config) + " " + p.Head
	done, err := runRecord(ctx, s, p, opt, asked)
	var m action.Measured
	if done.Why != "" {
		m.Notes = []string{done.Why}
	}
	if err != nil || done.Result == nil {
		return m, err
	}
	res := done.Result
	res.Base = res.Head // the schema has two sides, a record one
	m.Result = res
	if err := saveAndShow(s, runFlags{out: out, format: "text"}, res); err != nil {
		return m, err
	}
	if res.Conclusion.Exit != result.ExitPassed {
		m.Notes = []string{joinReasons(res.Conclusion)}
		return m, nil
	}
	rec, err := baseline.FromResult(res, result.SideHead, opt.Trusted.Config.CaseHash)
	if err != nil {
		return m, err
	}
	return keepRecord(ctx, opt.Stored.Store, rec, m, out)
}

// runRecord measures head alone, or takes a saved result where this program was built to rehearse.
func runRecord(ctx context.Context, s *streams, p action.Plan, opt pipeline.Options, asked *pipeline.Stored) (pipeline.Measured, error) {
	if res, err := rehearsed(p, opt); res != nil || err != nil {
		return pipeline.Measured{Result: res}, err
	}
	progress := newProgress(s.err)
	opt.Progress = progress.show
	m, err := pipeline.Record(ctx, opt, asked)
	progress.done()
	if err != nil {
		return m, interrupted(ctx, err)
	}
	return m, nil
}

// inCheckout says whether a folder is in the checkout of the job, which it runs in.
func inCheckout(folder string) bool {
	cwd, err := os.Getwd()
	if err == nil {
		cwd, err = filepath.EvalSymlinks(cwd) // git names the checkout without links
	}
	if err != nil {
		return true
	}
	rel, err := filepath.Rel(cwd, folder)
	return err == nil && filepath.IsLocal(rel)
}

func keepRecord(ctx context.Context, store baseline.Store, rec *baseline.Record, m action.Measured, out string) (action.Measured, error) {
	moved, err := action.CanaryWatch(ctx, store, rec)
	if err != nil {
		moved = []string{"the canaries cannot be compared with earlier records: " + err.Error()}
	}
	m.Warnings = moved
	if dir, ok := store.(*baseline.Dir); ok {
		m.Wiped = inCheckout(dir.Path)
		m.Notes = append(m.Notes, fmt.Sprintf("stored in %s on this machine", store))
		m.Stored = true
		return m, baseline.Save(ctx, store, rec)
	}
	data, err := baseline.Encode(rec)
	if err != nil {
		return m, err
	}
	m.Recorded = true
	return m, os.WriteFile(filepath.Join(out, action.RecordFile), data, 0o644)
}
