package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
)

// historyFlags are the flags of history.
type historyFlags struct {
	recordsFlags
	Case  []string
	Since string
}

func newHistoryCommand(s *streams) *cobra.Command {
	var f historyFlags
	return ofRecords(s, &cobra.Command{
		Use:   "history [REVISION]",
		Short: "Show how the cases of a machine changed over time, and why",
		Long: `history reads the records of REVISION (default HEAD) and its ancestors and shows the levels of each case, where
they changed, and whether a commit or the machine caused it. The case that is slowest compared with its best
level comes first. Nothing is measured. docs/history.md says how levels and causes are found.`,
		Example: `  perfgate history --case 'attention/**' --since v1.2
  perfgate history --format csv > history.csv`,
		Args: takes(0, 1, "at most one revision"),
	}, &f, &f.recordsFlags, func(ctx context.Context, kept request.Kept, args []string) (answer, error) {
		return f.show(ctx, kept, revisionOf(args))
	})
}

func (f historyFlags) check([]string) error { return checkPatterns(f.Case) }

func (f historyFlags) show(ctx context.Context, kept request.Kept, revision string) (a answer, err error) {
	ancestors, err := kept.Ancestors(ctx, revision)
	if err == nil && f.Since != "" {
		ancestors, err = kept.After(ctx, ancestors, f.Since)
	}
	if err != nil {
		return a, err
	}
	found, err := baseline.Lookup(ctx, kept.Store, kept.Machine, ancestors, len(ancestors))
	if err != nil {
		return a, err
	}
	h := history.Of(kept.Machine, found, func(after, upTo string) []baseline.Acceptance { return history.Requested(ctx, kept.Git, after, upTo) })
	if err := h.Narrow(f.Case); err != nil {
		return a, result.Usagef("--case: %w", err)
	}
	a = answer{document: report.HistoryDocument(h), data: printed(h), csv: h.CSV}
	if found.Keys == 0 {
		a.document, err = noRecords(ctx, kept)
	}
	return a, err
}

// checkPatterns refuses values of --case that are not patterns.
func checkPatterns(patterns []string) error {
	for _, p := range patterns {
		if !result.IsCasePattern(p) {
			return result.Usagef("--case %q is not a pattern; an example is 'gemm/**'", p)
		}
	}
	return nil
}
