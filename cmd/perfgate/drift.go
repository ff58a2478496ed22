package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/action"
	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/drift"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
	"github.com/org/perfgate/gate/search"
)

// driftFlags are the flags of drift.
type driftFlags struct {
	runFlags
	NoRecord bool
}

func newDriftCommand(s *streams) *cobra.Command {
	f := driftFlags{runFlags: runFlags{Run: request.Run{Trust: repo.TrustWorktree, TimeIdentical: true}}}
	return verb(&cobra.Command{
		Use:   "drift [REVISION]",
		Short: "Compare the default branch with its records: regressions and machine drift that no pull request shows",
		Long: `drift measures some of the cases of REVISION (default HEAD) on this machine and compares them with its records. It
finds cases that became slower although every gate passed, a machine that became noisier, and an SM clock that
dropped. A change counts only if a second session confirms it.

Each day it takes the next seventh of the cases; --shard sets another part. The session is stored as a record,
unless the machine has changed.`,
		Example: `  perfgate drift
  perfgate drift --shard 1/1 main                # all cases at once`,
		Args: takes(0, 1, "at most one revision"),
	}, &f, func(ctx context.Context, args []string) error {
		f.Head = revisionOf(args)
		return runDrift(ctx, s, f)
	})
}

func runDrift(ctx context.Context, s *streams, f driftFlags) error {
	f.Base = f.Head
	if err := render.CheckFolder(f.Out); err != nil {
		return err
	}
	turn, of, err := plan.Turn(f.Shard, request.Today())
	if err != nil {
		return result.Usagef("--shard: %w", err)
	}
	f.Shard = "" // what is measured follows from the cases that there are
	var store *baseline.Store
	seen, err := inRun(ctx, s, f.runFlags, func(opt run.Options) (d search.Drifted, err error) {
		if store = opt.Stored.Store; store != nil && !f.NoRecord {
			if err := baseline.CheckWritable(ctx, store); err != nil { // before minutes of measuring
				return d, err
			}
		}
		return search.Drift{Turn: turn, Of: of, Measure: search.MeasureAlone}.Run(ctx, opt)
	})
	if err != nil {
		return err
	}
	f.Shard = fmt.Sprintf("%d/%d", seen.Report.Part.Index, seen.Report.Part.Of)
	seen.Report.Repro = commandLine("drift", &f, f.Head)
	if seen.Keeps() && !f.NoRecord {
		if err := baseline.Save(ctx, store, seen.Record); err != nil {
			return err
		}
		seen.Report.Recorded = true
	}
	return s.answer(f.output, ofDrift(&seen.Report))
}

// ofDrift is the answer of a drift check, which a job keeps under the same name.
func ofDrift(r *drift.Report) answer {
	return answer{document: report.DriftDocument(r), data: r.Write, name: action.DriftFile, exit: r.Exit}
}

// driftRequest is the watch of a job: it leaves drift.json and the result of its last session, and the record for a job that may write.
func driftRequest(ctx context.Context, s *streams, p action.JobRequest, f runFlags, opt run.Options, out string) (action.Outcome, error) {
	var o action.Outcome
	turn, of, err := plan.Turn(p.Shard, p.RunNumber)
	if err != nil {
		return o, err
	}
	check := search.Drift{Turn: turn, Of: of, Measure: func(ctx context.Context, opt run.Options) (run.Recorded, error) {
		return measureCommit(ctx, opt, false)
	}}
	seen, err := shown(ctx, s, opt, func(opt run.Options) (search.Drifted, error) { return check.Run(ctx, opt) })
	if err != nil {
		return o, err
	}
	if seen.Keeps() && opt.Stored.Store != nil {
		if err := o.KeepRecord(ctx, opt.Stored.Store, seen.Record, out); err != nil {
			return o, err
		}
		o.Warnings = nil // what the canaries say is among the findings
		seen.Report.Recorded = true
	}
	f.Shard = fmt.Sprintf("%d/%d", seen.Report.Part.Index, seen.Report.Part.Of)
	seen.Report.Repro = commandLine("drift", &f, f.Head)
	seen.Result.Repro = seen.Report.Repro
	o.Exit = int(seen.Report.Exit)
	if err := result.WriteFile(filepath.Join(out, render.ResultName), seen.Result); err != nil {
		return o, err
	}
	return o, s.leave(out, ofDrift(&seen.Report))
}
