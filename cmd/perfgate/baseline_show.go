package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/stat"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/saved"
	"github.com/org/perfgate/stats"
)

func newListCommand(s *streams, f *baselineFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List this machine's records of HEAD and its ancestors, nearest first",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return listRecords(cmd.Context(), s, f)
		},
	}
	define(cmd, f.targets())
	return cmd
}

func listRecords(ctx context.Context, s *streams, f *baselineFlags) error {
	store, cfg, err := openBaseline(f)
	if err != nil {
		return err
	}
	key := f.machineKey(cfg)
	h, err := historyOf(ctx, store, key, "HEAD")
	if err != nil {
		return err
	}
	if h.Keys == 0 {
		return noRecords(ctx, s, store, key)
	}
	var rows [][]string
	for _, found := range h.Found[:min(f.limit, len(h.Found))] {
		r := found.Record
		rows = append(rows, []string{fmt.Sprintf("%.12s", r.Commit), strconv.Itoa(found.Distance), r.Time.Format(time.DateTime), strconv.Itoa(len(r.Cases)), r.Tool.Version})
	}
	if err := s.showDocument("text", report.List("records", []string{"commit", "behind", "time", "cases", "version"}, rows)); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "\n%s of %s in %s\n", report.Count(h.Keys, "record"), key, store)
	return printProblems(s, h)
}

// noRecords says which machines there are instead: a changed key is the usual reason for an empty list.
func noRecords(ctx context.Context, s *streams, store *baseline.Store, key string) error {
	all, err := store.List(ctx, "")
	if err != nil {
		return err
	}
	machines := map[string]int{}
	for _, k := range all {
		if m, _, ok := baseline.SplitKey(k); ok {
			machines[m]++
		}
	}
	fmt.Fprintf(s.out, "%s has no record of %s\n", store, key)
	for m, n := range machines {
		fmt.Fprintf(s.out, "  %s has %d (--machine %s)\n", m, n, m)
	}
	return nil
}

func printProblems(s *streams, h baseline.History) error {
	for _, p := range h.Problems {
		fmt.Fprintf(s.out, "passed over: %s\n", report.Visible(p.String()))
	}
	return nil
}

func historyOf(ctx context.Context, store *baseline.Store, key, revision string) (baseline.History, error) {
	ancestors, err := repo.Git{Dir: "."}.Ancestors(ctx, revision, baseline.MaxAncestors)
	if err != nil {
		return baseline.History{}, result.Usage(err)
	}
	return baseline.Lookup(ctx, store, key, ancestors, baseline.MaxRecords)
}

// nearest returns the history from a revision, whose first record is the one asked for.
func nearest(ctx context.Context, f *baselineFlags, revision string) (baseline.History, error) {
	store, cfg, err := openBaseline(f)
	if err != nil {
		return baseline.History{}, err
	}
	key := f.machineKey(cfg)
	h, err := historyOf(ctx, store, key, revision)
	if err != nil {
		return h, err
	}
	if len(h.Found) == 0 {
		text := fmt.Sprintf("%s has no usable record of %s or its ancestors on %s", store, revision, key)
		for _, p := range h.Problems {
			text += "\npassed over: " + p.String()
		}
		return h, errors.New(text)
	}
	return h, nil
}

func newShowCommand(s *streams, f *baselineFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show [REVISION]",
		Short: "Show the nearest record at or before a revision, and the trend of its cases",
		Args:  takes(0, 1, "at most one revision"),
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := nearest(cmd.Context(), f, revisionOf(args))
			if err != nil {
				return err
			}
			if f.format == "json" {
				return saved.Print(s.out, h.Found[0].Record)
			}
			return showRecord(s, h)
		},
	}
	define(cmd, f.targets())
	return cmd
}

func revisionOf(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return "HEAD"
}

func showRecord(s *streams, h baseline.History) error {
	found := h.Found[0]
	r := found.Record
	fmt.Fprintf(s.out, "%s, %s behind\n", r.Commit, report.Count(found.Distance, "commit"))
	fmt.Fprintf(s.out, "measured %s on %s (%s), perfgate %s\n\n", r.Time.Format(time.DateTime), report.Visible(r.Machine.Model), r.Machine.Key, report.Visible(r.Tool.Version))
	all := history.Of(r.Machine.Key, h, nil)
	var rows [][]string
	var sessions strings.Builder
	for _, c := range r.Cases {
		now := baseline.Now{State: r, Case: c.Name, ConfigHash: c.ConfigHash, Fingerprint: c.Fingerprint}
		learnt := "not known"
		if b, _ := h.Base(now); b != nil {
			learnt = b.Learnt.String()
		}
		past := all.Case(c.Name) // the record is one of those
		median, scatter := levelAndScatter(c.ValuesNS)
		rows = append(rows, []string{c.Name, report.Duration(median), strconv.Itoa(len(c.ValuesNS)), report.Percent(scatter), strconv.Itoa(len(past.Points)), levels(past)})
		fmt.Fprintf(&sessions, "%s: sessions scatter by: %s\n", report.Visible(c.Name), learnt)
	}
	if err := s.showDocument("text", report.List("record", []string{"case", "median", "processes", "variation", "records", "levels"}, rows)); err != nil {
		return err
	}
	fmt.Fprint(s.out, "\n", sessions.String())
	return printProblems(s, h)
}

// levels writes the levels of a case against the first, such as "100 → 97.2 → 99".
func levels(c *history.Case) string {
	var parts []string
	for _, l := range c.Levels {
		parts = append(parts, fmt.Sprintf("%.3g", 100*l.NS/c.Levels[0].NS))
	}
	return strings.Join(parts, " → ")
}

func levelAndScatter(values []float64) (median, scatter float64) {
	median, _ = stats.Median(values) // a record has at least four
	logs := make([]float64, len(values))
	for i, v := range values {
		logs[i] = math.Log(v)
	}
	return median, stat.StdDev(logs, nil)
}

func newPruneCommand(s *streams, f *baselineFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove records that no lookup reaches any more",
		Long: `prune names this machine's records that cannot be read, and those beyond the --keep-last nearest ancestors of HEAD that have
one; with --unreachable also those of commits that are no ancestors of HEAD. It removes them with --apply.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return prune(cmd.Context(), s, f) },
	}
	define(cmd, f.targets().with(targets{"keep-last": &f.keep, "unreachable": &f.all, "apply": &f.apply}))
	return cmd
}

func prune(ctx context.Context, s *streams, f *baselineFlags) error {
	store, cfg, err := openBaseline(f)
	if err != nil {
		return err
	}
	ancestors, err := repo.Git{Dir: "."}.Ancestors(ctx, "HEAD", baseline.MaxAncestors)
	if err != nil {
		return result.Usage(err)
	}
	keys, err := sortedKeys(ctx, store, f.machineKey(cfg))
	if err != nil {
		return err
	}
	doomed, err := baseline.Prunable(ctx, store, keys, ancestors, baseline.Retention{Keep: f.keep, Unreachable: f.all})
	if err != nil {
		return err
	}
	var gone []string
	for _, p := range doomed {
		fmt.Fprintln(s.out, report.Visible(p.String()))
		gone = append(gone, p.Key)
	}
	if !f.apply {
		_, err := fmt.Fprintf(s.out, "%d of %s would be removed (--apply removes them)\n", len(gone), report.Count(len(keys), "record"))
		return err
	}
	if err := store.Delete(ctx, gone...); err != nil {
		return ofStore(err)
	}
	_, err = fmt.Fprintf(s.out, "%d of %s removed\n", len(gone), report.Count(len(keys), "record"))
	return err
}
