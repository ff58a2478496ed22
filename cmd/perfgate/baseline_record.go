package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
	"github.com/org/perfgate/gate/text"
)

// recordFlags are the flags of baseline record.
type recordFlags struct {
	runFlags
	Machine  string
	From     string // a record or a result to store
	Side     result.Side
	IfNeeded bool
}

func newRecordCommand(s *streams) *cobra.Command {
	f := recordFlags{runFlags: runFlags{Run: request.Run{Trust: repo.TrustWorktree, TimeIdentical: true}}}
	return verb(&cobra.Command{
		Use:   "record [REVISION]",
		Short: "Measure a commit (default HEAD) and store its record",
		Long: `record checks parity of a commit, measures it on this machine in fresh processes, and stores its record. With
--from it stores a measurement of another job: a record, or one side of a result.json.

With --if-needed it measures only code that this machine has no record of, or too few to estimate how much
sessions vary.`,
		Example: `  perfgate baseline record                       # the commit that is checked out
  perfgate baseline record --if-needed --gpu 1 --budget 10m v1.2
  perfgate baseline record --from perfgate-out/result.json`,
		Args: takes(0, 1, "at most one revision"),
	}, &f, func(ctx context.Context, args []string) error {
		switch {
		case f.From != "" && (len(args) > 0 || f.IfNeeded || len(f.Kernels) > 0 || f.GPU != "" || f.Budget > 0):
			return result.Usagef("--from stores what was measured: leave out the revision, --if-needed, --kernel, --gpu and --budget")
		case f.From != "":
			return f.storeSaved(ctx, s)
		}
		f.Base = revisionOf(args)
		f.Head = f.Base
		return f.measure(ctx, s)
	})
}

func revisionOf(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return "HEAD"
}

// storeSaved stores what another job has measured.
func (f recordFlags) storeSaved(ctx context.Context, s *streams) error {
	kept, err := request.Records{Config: f.Config, Store: f.Store, Machine: f.Machine}.Open(ctx)
	if err != nil {
		return err
	}
	rec, err := kept.SavedRecord(f.From, s.in, f.Side)
	if err != nil {
		return err
	}
	return f.keep(ctx, s, "", kept.Store, kept.Ancestors, rec)
}

// pinLevels notes in a new record where its cases stand against their best-known levels. A record without that is worth keeping all the same:
// the ones before it tell.
func pinLevels(ctx context.Context, s *streams, store *baseline.Store, ancestors func(context.Context, string) ([]string, error), rec *baseline.Record) {
	if err := history.PinFrom(ctx, store, ancestors, rec); err != nil {
		fmt.Fprintf(s.err, "the record does not say where its cases stand against their best-known levels: %s\n", text.Visible(err.Error()))
	}
}

// keep stores a record, and says why it was measured.
func (f recordFlags) keep(
	ctx context.Context, s *streams, why string, store *baseline.Store, ancestors func(context.Context, string) ([]string, error), rec *baseline.Record,
) error {
	pinLevels(ctx, s, store, ancestors, rec)
	if err := baseline.Save(ctx, store, rec); err != nil {
		return err
	}
	return s.answer(f.output, answer{document: report.RecordKept(why, rec, store.String())})
}

// measure measures a commit and stores its record.
func (f recordFlags) measure(ctx context.Context, s *streams) error {
	var opt run.Options
	m, err := inRun(ctx, s, f.runFlags, func(prepared run.Options) (m run.Recorded, err error) {
		opt = prepared
		if err := baseline.CheckWritable(ctx, opt.Stored.Store); err != nil { // before minutes of measuring
			return m, err
		}
		return run.Record(ctx, opt, f.IfNeeded)
	})
	if err != nil {
		return err
	}
	if m.Result == nil {
		return s.answer(f.output, answer{document: report.RecordKept(recordWanted(m), nil, "")})
	}
	if c := m.Result.Conclusion; c.Exit != result.ExitPassed {
		return &result.ExitError{Code: c.Exit, Err: fmt.Errorf("nothing recorded: %s", joinReasons(c))}
	}
	rec, err := m.Record(opt.Trusted.Config)
	if err != nil {
		return err
	}
	return f.keep(ctx, s, recordWanted(m), opt.Stored.Store, opt.Stored.Ancestors, rec)
}

// joinReasons words what keeps a run from passing, in one line.
func joinReasons(c result.Conclusion) string {
	const most = 3
	against := c.Against()
	words := report.Sentences(against[:min(most, len(against))])
	if more := len(against) - most; more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(words, "; ")
}

// recordWanted says why a record was measured, or was not; "" where nothing was asked.
func recordWanted(m run.Recorded) string {
	if m.Reason == nil {
		return ""
	}
	why := report.Reason(m.Reason)
	if m.Case != "" {
		return m.Case + ": " + why
	}
	return why
}
