package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/action"
	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/drift"
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/page"
	"github.com/org/perfgate/gate/pipeline"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/saved"
)

// driftFlags are the flags of drift.
type driftFlags struct {
	runFlags
	noRecord bool
	turn     int // which of the runs that share the cases this is, counted from any number
	of       int // such runs
}

func (f *driftFlags) targets() targets {
	return f.runFlags.targets().with(targets{"no-record": &f.noRecord})
}

func newDriftCommand(s *streams) *cobra.Command {
	f := driftFlags{runFlags: runFlags{Run: request.Run{Trust: repo.TrustWorktree, TimeIdentical: true}}}
	cmd := &cobra.Command{
		Use:   "drift [REVISION]",
		Short: "Compare the default branch with its records: regressions and machine drift that no pull request shows",
		Long: `drift measures a part of the cases of REVISION (default HEAD) on this machine and compares them, their variation and the machine's
canaries with its records. It finds a case that became slower although every gate passed, a runner that became noisier, and an SM clock that
dropped. What it finds is measured a second time, and counts where both sessions show it. Every day it takes the next part of the cases, so
that seven runs see all of them. The session is kept as a record, unless the machine has changed.`,
		Example: `  perfgate drift
  perfgate drift --shard 1/1 main                # all cases at once`,
		Args: takes(0, 1, "at most one revision"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Head = revisionOf(args)
			return runDrift(cmd.Context(), s, f)
		},
	}
	define(cmd, f.targets())
	return cmd
}

func runDrift(ctx context.Context, s *streams, f driftFlags) error {
	f.Base = f.Head
	var err error
	if f.turn, f.of, err = plan.Turn(f.Shard, request.Today()); err != nil {
		return result.Usagef("--shard: %w", err)
	}
	f.Shard = "" // what is measured follows from the cases that there are
	var store baseline.Store
	seen, err := inRun(ctx, s, f.runFlags, func(opt pipeline.Options) (w watched, err error) {
		if store = opt.Stored.Store; store != nil && !f.noRecord {
			if err := baseline.CheckWritable(ctx, store); err != nil { // before minutes of measuring
				return w, ofStore(err)
			}
		}
		return watchSessions(ctx, opt, f, measureAlone)
	})
	if err != nil {
		return err
	}
	f.Shard = fmt.Sprintf("%d/%d", seen.report.Part.Index, seen.report.Part.Of)
	seen.report.Repro = commandLine("drift", f.targets(), f.Head)
	if seen.keeps() && !f.noRecord {
		if err := baseline.Save(ctx, store, seen.record); err != nil {
			return ofStore(err)
		}
		seen.report.Recorded = true
	}
	document := report.WatchDocument(&seen.report)
	if err := saveDrift(f.out, &seen.report, document); err != nil {
		return err
	}
	switch f.format {
	case "json":
		err = seen.report.Write(s.out)
	case "markdown":
		err = report.Markdown(s.out, document)
	default:
		err = report.Terminal(s.out, document, terminalOf(s))
	}
	return cmp.Or(err, exitWith(seen.report.Exit))
}

// watched is what a watch came to.
type watched struct {
	report drift.Report
	record *baseline.Record // of the last session; nil where no case was timed
	result *result.Result   // of the last session
}

// keeps says whether its session may become a record.
func (w watched) keeps() bool { return w.record != nil && !w.report.OfMachine() }

// sessionRun measures one session.
type sessionRun func(ctx context.Context, opt pipeline.Options) (pipeline.Recorded, error)

func measureAlone(ctx context.Context, opt pipeline.Options) (pipeline.Recorded, error) {
	return pipeline.Record(ctx, opt, false)
}

// watchSessions measures a part of the cases, a second time where the first finds something, and judges them.
func watchSessions(ctx context.Context, opt pipeline.Options, f driftFlags, measure sessionRun) (watched, error) {
	began := time.Now().UTC().Truncate(time.Second)
	seen, err := watchPart(ctx, &opt, f, measure)
	if err == nil && len(seen.report.Against()) > 0 && len(seen.report.Broken) == 0 && !seen.report.Blind() {
		first := seen.report
		if seen, err = watchPart(ctx, &opt, f, measure); err == nil {
			seen.report = drift.Confirm(first, seen.report)
		}
	}
	r := &seen.report
	r.Version, r.Started, r.Exit = opt.Version, began, r.Conclude()
	return seen, err
}

// watchPart measures one session of this turn's part of the cases. There cannot be more parts than cases.
func watchPart(ctx context.Context, opt *pipeline.Options, f driftFlags, measure sessionRun) (watched, error) {
	of := f.of
	if opt.Shard != nil {
		of = opt.Shard.Of
	}
	opt.Shard = &plan.Shard{Index: f.turn%of + 1, Of: of, Seed: opt.Seed}
	done, err := measure(ctx, *opt)
	var fewer *plan.ShardError
	if errors.As(err, &fewer) && fewer.Cases > 0 {
		opt.Shard = &plan.Shard{Index: f.turn%fewer.Cases + 1, Of: fewer.Cases, Seed: opt.Seed}
		done, err = measure(ctx, *opt)
	}
	if err != nil {
		return watched{}, err
	}
	return judgeSession(ctx, *opt, done)
}

// judgeSession holds a session against the records of its machine.
func judgeSession(ctx context.Context, opt pipeline.Options, done pipeline.Recorded) (watched, error) {
	res := done.Result
	w := watched{result: res}
	rec, err := baseline.FromResult(res, result.SideHead, opt.Trusted.Config.CaseHash)
	if err != nil && !errors.Is(err, baseline.ErrNothing) {
		return w, err
	}
	var past drift.Past
	var note string
	if rec == nil { // what keeps all cases from being timed is in the conclusion
		rec = &baseline.Record{Commit: res.Head.Revision, Machine: res.Machine}
	} else {
		rec.TakeObservations(done.Observed)
		w.record = rec
		if past, note, err = pastOf(ctx, opt.Stored, rec); err != nil {
			return w, err
		}
	}
	cfg := opt.Trusted.Config
	w.report = drift.Judge(past, rec, drift.Policy{Tolerance: cfg.Gate.Tolerance, CumulativeTolerance: cfg.Baseline.CumulativeTolerance, Confidence: cfg.Gate.Confidence})
	w.report.Part = drift.Part{Index: opt.Shard.Index, Of: opt.Shard.Of}
	if note != "" {
		w.report.Notes = append(w.report.Notes, note)
	}
	w.report.Broken = res.Conclusion.Against()
	return w, nil
}

// pastOf reads the records of a session's machine and what they tell. note says why there are none to be had.
func pastOf(ctx context.Context, stored *pipeline.Stored, rec *baseline.Record) (past drift.Past, note string, err error) {
	if stored.Store == nil {
		return past, stored.Reason, nil
	}
	ancestors, err := stored.Ancestors(ctx, rec.Commit)
	if err != nil {
		return past, "", err
	}
	if past.Found, err = baseline.Lookup(ctx, stored.Store, rec.Machine.Key, ancestors); err != nil {
		return past, "", fmt.Errorf("read the records: %w", err)
	}
	if n := len(past.Found.Problems); n > 0 {
		note = fmt.Sprintf("%s passed over: %s", report.Count(n, "record"), past.Found.Problems[0])
	}
	past.History = history.Of(rec.Machine.Key, past.Found, nil) // what a commit only asks to have accepted does not count
	return past, note, nil
}

// driftPlan is the watch of a job: it leaves drift.json and the result of its last session, and the record for a job that may write.
func driftPlan(ctx context.Context, s *streams, p action.JobRequest, opt pipeline.Options, out string) (action.Outcome, error) {
	var o action.Outcome
	progress := s.progress()
	progress.follow(&opt)
	opt.Repro = commandLine("drift", targets{"config": &p.Config}, p.Head)
	seen, err := watchSessions(ctx, opt, driftFlags{turn: p.Turn, of: p.Spread}, func(ctx context.Context, opt pipeline.Options) (pipeline.Recorded, error) {
		if res, err := rehearsed(p, opt); res != nil || err != nil {
			return pipeline.Recorded{Result: res}, err
		}
		return measureAlone(ctx, opt)
	})
	progress.done()
	if err != nil {
		return o, interrupted(ctx, err)
	}
	if seen.keeps() && opt.Stored.Store != nil {
		if err := o.KeepRecord(ctx, opt.Stored.Store, seen.record, out); err != nil {
			return o, err
		}
		o.Warnings = nil // what the canaries say is among the findings
		seen.report.Recorded = true
	}
	seen.report.Repro = opt.Repro
	o.Exit = int(seen.report.Exit)
	if err := result.WriteFile(filepath.Join(out, resultName), seen.result); err != nil {
		return o, err
	}
	document := report.WatchDocument(&seen.report)
	return o, cmp.Or(saveDrift(out, &seen.report, document), report.Terminal(s.out, document, terminalOf(s)))
}

// saveDrift leaves what a watch saw in a folder: as data, as Markdown and as a page.
func saveDrift(dir string, r *drift.Report, d report.Document) error {
	return errors.Join(
		saved.ReplaceIn(dir, action.DriftFile, r.Write),
		saved.ReplaceIn(dir, searchReport, func(w io.Writer) error { return report.Markdown(w, d) }),
		saved.ReplaceIn(dir, page.PageName, func(w io.Writer) error {
			return page.WriteWatch(w, r, page.Options{Repository: page.Repository(os.Getenv)})
		}))
}
