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
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/page"
	"github.com/org/perfgate/gate/pipeline"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/watch"
)

// watchFlags are the flags of watch.
type watchFlags struct {
	runFlags
	spread   int // runs that all cases are spread over
	turn     int // which run this is; negative: the day
	noRecord bool
}

func newWatchCommand(s *streams) *cobra.Command {
	f := watchFlags{runFlags: runFlags{trust: repo.TrustWorktree, noSkip: true}}
	cmd := &cobra.Command{
		Use:   "watch [REVISION]",
		Short: "Hold a part of the cases of a commit against records: what no pull request's gate can see",
		Long: `watch measures a part of the cases of REVISION (default HEAD) on this machine and holds them, their scatter and the machine's own fixed
pieces of work against its records: a case that became slower although every gate passed, a runner that became noisier, a clock that
fell. What it finds is measured a second time, and counts where both sessions show it. Every run takes the next part of the cases, so that
--spread runs in a row see all of them. The session is kept as a record, unless the machine is not as it was.

Exit codes: 0 all that was compared is as it was; 1 a case lost; 2 bad usage; 3 the machine is not as it was, or nothing could be compared.`,
		Example: `  perfgate watch
  perfgate watch --spread 1 main                 # all cases at once`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := cmp.Or(positive(cmd, "budget", f.budget), positive(cmd, "spread", f.spread), oneOf("format", f.format, formats...))
			if err != nil {
				return err
			}
			f.head = revisionOf(args)
			return runWatch(cmd.Context(), s, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.config, "config", "", "configuration, by its path in REVISION (default perfgate.yaml)")
	flags.StringSliceVar(&f.kernels, "kernel", nil, "kernels to look at (default all)")
	flags.DurationVar(&f.budget, "budget", 0, "wall time of a session, such as 90s (default the configuration's)")
	flags.StringVar(&f.gpu, "gpu", "", "GPU for CUDA kernels: index in PCI order, or UUID (default the first that CUDA sees)")
	flags.StringVar((*string)(&f.sandbox), "sandbox", string(result.SandboxAuto), "keep builds and kernels from files, network and processes of others: auto, on or off")
	flags.StringVar(&f.store, "store", "", "records: dir:PATH or git:BRANCH (default the configuration's)")
	flags.IntVar(&f.spread, "spread", action.DefaultSpread, "runs that all cases are spread over")
	flags.IntVar(&f.turn, "turn", -1, "which of these runs this is, counted from any number (default the day)")
	flags.BoolVar(&f.noRecord, "no-record", false, "keep no record")
	flags.StringVar(&f.out, "out", "perfgate-watch", "folder for watch.json, report.md and report.html")
	flags.StringVar(&f.format, "format", "text", "what to print: text, markdown or json")
	return cmd
}

func runWatch(ctx context.Context, s *streams, f watchFlags) error {
	f.base = f.head
	if f.turn < 0 {
		f.turn = int(time.Now().Unix() / (24 * 60 * 60))
	}
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
	seen.report.Repro = "perfgate watch"
	if seen.keeps() && !f.noRecord {
		if err := baseline.Save(ctx, store, seen.record); err != nil {
			return ofStore(err)
		}
		seen.report.Recorded = true
	}
	document := report.WatchDocument(&seen.report)
	if err := saveWatch(f.out, &seen.report, document); err != nil {
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
	report watch.Report
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
func watchSessions(ctx context.Context, opt pipeline.Options, f watchFlags, measure sessionRun) (watched, error) {
	began := time.Now().UTC().Truncate(time.Second)
	seen, err := watchPart(ctx, &opt, f, measure)
	if err == nil && len(seen.report.Against()) > 0 && len(seen.report.Broken) == 0 && !seen.report.Blind() {
		first := seen.report
		if seen, err = watchPart(ctx, &opt, f, measure); err == nil {
			seen.report = watch.Confirm(first, seen.report)
		}
	}
	r := &seen.report
	r.Version, r.Started, r.Exit = opt.Version, began, r.Conclude()
	return seen, err
}

// watchPart measures one session of this turn's part of the cases. There cannot be more parts than cases.
func watchPart(ctx context.Context, opt *pipeline.Options, f watchFlags, measure sessionRun) (watched, error) {
	of := f.spread
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
	var past watch.Past
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
	w.report = watch.Judge(past, rec, watch.Policy{Tolerance: cfg.Gate.Tolerance, Creep: cfg.Baseline.Creep, Confidence: cfg.Gate.Confidence})
	w.report.Part = watch.Part{Index: opt.Shard.Index, Of: opt.Shard.Of}
	if note != "" {
		w.report.Notes = append(w.report.Notes, note)
	}
	w.report.Broken = res.Conclusion.Against()
	return w, nil
}

// pastOf reads the records of a session's machine and what they tell. note says why there are none to be had.
func pastOf(ctx context.Context, stored *pipeline.Stored, rec *baseline.Record) (past watch.Past, note string, err error) {
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

// watchPlan is the watch of a job: it leaves watch.json and the result of its last session, and the record for a job that may write.
func watchPlan(ctx context.Context, s *streams, p action.Plan, opt pipeline.Options, out string) (action.Outcome, error) {
	var o action.Outcome
	progress := newProgress(s.err)
	opt.Progress = progress.show
	opt.Repro = "perfgate watch --config=" + p.Config + " " + p.Head
	seen, err := watchSessions(ctx, opt, watchFlags{spread: p.Spread, turn: p.Turn}, func(ctx context.Context, opt pipeline.Options) (pipeline.Recorded, error) {
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
	return o, cmp.Or(saveWatch(out, &seen.report, document), report.Terminal(s.out, document, terminalOf(s)))
}

// saveWatch leaves what a watch saw in a folder: as data, as Markdown and as a page.
func saveWatch(dir string, r *watch.Report, d report.Document) error {
	return errors.Join(
		replaceIn(dir, action.WatchFile, r.Write),
		replaceIn(dir, searchReport, func(w io.Writer) error { return report.Markdown(w, d) }),
		replaceIn(dir, page.PageName, func(w io.Writer) error {
			return page.WriteWatch(w, r, page.Options{Repository: page.Repository(os.Getenv)})
		}))
}
