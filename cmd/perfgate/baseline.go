package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
)

// baselineFlags are the flags that the verbs of baseline share, and their own.
type baselineFlags struct {
	config  string
	store   string
	machine string

	from     string // record: a result to take
	side     result.Side
	kernels  []string
	ifNeeded bool
	limit    int  // list, export
	all      bool // prune
	keep     int
	apply    bool
	format   string // of show, history and export
}

func newBaselineCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "baseline",
		Short: "Record what commits measured; list, show, accept, prune, import and export records",
		Long: `baseline keeps what commits measured on a machine, so that later runs can screen against it and remember the best level.
The configuration names the store (baseline.store: dir:PATH or git:BRANCH). docs/baseline.md has the rules.`,
	}
	for _, newCommand := range []func(*streams, *baselineFlags) *cobra.Command{
		newRecordCommand, newListCommand, newShowCommand, newAcceptCommand, newPruneCommand, newImportCommand, newExportCommand,
	} {
		cmd.AddCommand(newCommand(s, new(baselineFlags)))
	}
	return verbs(cmd, "perfgate baseline --help")
}

// targets are the variables of the options that baseline's verbs share.
func (f *baselineFlags) targets() targets {
	return targets{"config": &f.config, "store": &f.store, "machine": &f.machine, "format": &f.format, "limit": &f.limit}
}

// openBaseline opens the store that a configuration or a flag names. Its path counts from the configuration's folder.
func openBaseline(f *baselineFlags) (*baseline.Store, *config.Config, error) {
	path := cmp.Or(f.config, config.DefaultFile)
	dir := filepath.Dir(path)
	cfg, err := config.Load(path)
	spec := f.store
	switch {
	case spec == "" && f.config == "" && errors.Is(err, fs.ErrNotExist):
		cwd, err := os.Getwd()
		return nil, nil, cmp.Or(err, request.ExpectConfig(cwd))
	case spec == "" && err != nil:
		return nil, nil, result.Usage(err)
	}
	if spec == "" {
		spec = cfg.Baseline.Store
	}
	store, err := baseline.Open(spec, dir)
	if err != nil {
		return nil, nil, result.Usage(err)
	}
	return store, cfg, nil
}

// machineKey is whose records are meant. On a machine without the GPU that the configuration asks for, such as a desk, it is
// the CPU's, and what is listed says which machines there are.
func (f *baselineFlags) machineKey(cfg *config.Config) string {
	if f.machine != "" {
		return f.machine
	}
	if cfg != nil {
		if key, err := run.MachineKey(cfg, ""); err == nil {
			return key
		}
	}
	return machine.Describe().Key
}

func newRecordCommand(s *streams, f *baselineFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "record [REVISION]",
		Short: "Measure a commit (default HEAD) and store its record",
		Long: `record checks parity of a commit, measures it on this machine in fresh processes, and stores its record. With --from it stores
what another job has measured: a record, or a side of a run's result.json, which costs nothing.

With --if-needed it measures only where a record adds something: code that this machine has no record of, or too few
sessions to know how far they scatter.`,
		Example: `  perfgate baseline record                       # the commit that is checked out
  perfgate baseline record --if-needed v1.2
  perfgate baseline record --from perfgate-out/result.json`,
		Args: takes(0, 1, "at most one revision"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.from != "" {
				return recordResult(cmd.Context(), s, f)
			}
			return recordRevision(cmd.Context(), s, f, revisionOf(args))
		},
	}
	define(cmd, f.targets().with(targets{"from": &f.from, "side": (*string)(&f.side), "kernel": &f.kernels, "if-needed": &f.ifNeeded}))
	return cmd
}

// recordResult stores what another job has measured.
func recordResult(ctx context.Context, s *streams, f *baselineFlags) error {
	data, err := readLimited(f.from)
	if err != nil {
		return err
	}
	rec, err := baseline.Decode(data)
	if err != nil && !errors.Is(err, baseline.ErrForeign) {
		return fmt.Errorf("%s: %w", f.from, err)
	}
	store, cfg, openErr := openBaseline(f)
	if openErr != nil {
		return openErr
	}
	if err != nil {
		if rec, err = recordOf(f, cfg); err != nil {
			return err
		}
	}
	pinLevels(ctx, s, store, request.AncestorsIn("."), rec)
	return keep(ctx, s, store, rec)
}

// recordOf is the record of a side of a run.
func recordOf(f *baselineFlags, cfg *config.Config) (*baseline.Record, error) {
	if cfg == nil {
		return nil, result.Usagef("a record needs the configuration that its cases come from: there is no %s", config.DefaultFile)
	}
	res, err := result.ReadFile(f.from)
	if err != nil {
		return nil, err
	}
	if res.Config.SHA256 != cfg.SHA256 {
		return nil, result.Usagef("%s was measured with another configuration than %s is now", f.from, cfg.File)
	}
	return baseline.FromResult(res, f.side, cfg.CaseHash)
}

// maxFrom is far more than a record or a result of a thousand cases has.
const maxFrom = 256 << 20

func readLimited(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, result.Usage(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFrom+1))
	if err == nil && len(data) > maxFrom {
		err = fmt.Errorf("larger than %d MiB", maxFrom>>20)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", f.Name(), err)
	}
	return data, nil
}

// pinLevels notes in a new record where its cases stand against their best-known levels. A record without that is worth keeping all the same:
// the ones before it tell.
func pinLevels(ctx context.Context, s *streams, store *baseline.Store, ancestors func(context.Context, string) ([]string, error), rec *baseline.Record) {
	if err := history.PinFrom(ctx, store, ancestors, rec); err != nil {
		fmt.Fprintf(s.err, "the record does not say where its cases stand against their best-known levels: %s\n", report.Visible(err.Error()))
	}
}

func keep(ctx context.Context, s *streams, store *baseline.Store, rec *baseline.Record) error {
	if err := baseline.Save(ctx, store, rec); err != nil {
		return ofStore(err)
	}
	_, err := fmt.Fprintf(s.out, "recorded %.12s on %s: %s, in %s\n", rec.Commit, rec.Machine.Key, report.Count(len(rec.Cases), "case"), store)
	return err
}

// ofStore marks what another --store would mend as the caller's.
func ofStore(err error) error {
	if errors.Is(err, baseline.ErrNotForRecords) {
		return result.Usage(err)
	}
	return err
}

func recordRevision(ctx context.Context, s *streams, f *baselineFlags, revision string) error {
	flags := runFlags{Run: request.Run{Config: f.config, Base: revision, Head: revision, Kernels: f.kernels, TimeIdentical: true, Trust: repo.TrustWorktree}}
	var opt run.Options
	m, err := inRun(ctx, s, flags, func(prepared run.Options) (m run.Recorded, err error) {
		opt = prepared
		if f.store != "" {
			if opt.Stored.Store, err = baseline.Open(f.store, filepath.Dir(f.config)); err != nil {
				return m, result.Usage(err)
			}
		}
		if err := baseline.CheckWritable(ctx, opt.Stored.Store); err != nil { // before minutes of measuring
			return m, ofStore(err)
		}
		return run.Record(ctx, opt, f.ifNeeded)
	})
	if err != nil {
		return err
	}
	if m.Reason != nil {
		fmt.Fprintln(s.out, recordWanted(m))
	}
	if m.Result == nil {
		return nil
	}
	if c := m.Result.Conclusion; c.Exit != result.ExitPassed {
		return &result.ExitError{Code: c.Exit, Err: fmt.Errorf("nothing recorded: %s", joinReasons(c))}
	}
	rec, err := m.Record(opt.Trusted.Config)
	if err != nil {
		return err
	}
	pinLevels(ctx, s, opt.Stored.Store, opt.Stored.Ancestors, rec)
	return keep(ctx, s, opt.Stored.Store, rec)
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

// sortedKeys lists a machine's records.
func sortedKeys(ctx context.Context, store *baseline.Store, machine string) ([]string, error) {
	keys, err := store.List(ctx, machine+"/")
	slices.Sort(keys)
	return keys, err
}

// recordWanted says why a record was measured, or was not.
func recordWanted(m run.Recorded) string {
	why := report.Reason(m.Reason)
	if m.Case != "" {
		return m.Case + ": " + why
	}
	return why
}
