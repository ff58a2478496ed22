package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/saved"
)

// historyFlags are the flags of history.
type historyFlags struct {
	baselineFlags
	cases []string
	since string
}

func newHistoryCommand(s *streams) *cobra.Command {
	var f historyFlags
	cmd := &cobra.Command{
		Use:   "history [REVISION]",
		Short: "Show how the cases of a machine changed over time, and what did it",
		Long: `history reads the records of REVISION (default HEAD) and its ancestors: on which levels each case was, where that changed, and
whether a commit or the machine did it. The worst case, against its own best level, stands first. Nothing is measured.
docs/history.md says how levels and causes are found.`,
		Example: `  perfgate history --case 'attention/**' --since v1.2
  perfgate history --format csv > history.csv`,
		Args: takes(0, 1, "at most one revision"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runHistory(cmd.Context(), s, f, revisionOf(args))
		},
	}
	define(cmd, f.targets().with(targets{"case": &f.cases, "since": &f.since}))
	return cmd
}

func runHistory(ctx context.Context, s *streams, f historyFlags, revision string) error {
	if err := checkPatterns(f.cases); err != nil {
		return err
	}
	store, cfg, err := openBaseline(&f.baselineFlags)
	if err != nil {
		return err
	}
	git := repo.Git{Dir: "."}
	ancestors, err := f.ancestors(ctx, git, revision)
	if err != nil {
		return err
	}
	key := f.machineKey(cfg)
	found, err := baseline.Lookup(ctx, store, key, ancestors, len(ancestors))
	if err != nil {
		return err
	}
	if found.Keys == 0 {
		return noRecords(ctx, s, store, key)
	}
	h := history.Of(key, found, func(after, upTo string) []history.Acceptance { return acceptances(ctx, git, after, upTo) })
	if err := f.narrow(&h); err != nil {
		return err
	}
	switch f.format {
	case "json":
		return saved.Print(s.out, h)
	case "csv":
		return h.CSV(s.out)
	}
	return s.showDocument(f.format, report.HistoryDocument(h))
}

// checkPatterns refuses values of --case that are no patterns.
func checkPatterns(patterns []string) error {
	for _, p := range patterns {
		if !result.IsCasePattern(p) {
			return result.Usagef("--case %q is no pattern; an example is 'gemm/**'", p)
		}
	}
	return nil
}

// narrow leaves the cases that --case names. A pattern that names none is a mistake, which an empty answer would hide.
func (f historyFlags) narrow(h *history.History) error {
	if len(f.cases) == 0 || len(h.Cases) == 0 {
		return nil
	}
	example := h.Cases[0].Name
	matches := func(p string) func(history.Case) bool {
		return func(c history.Case) bool { return result.CaseMatches(p, c.Kernel, c.Name) }
	}
	for _, p := range f.cases {
		if !slices.ContainsFunc(h.Cases, matches(p)) {
			return result.Usagef("--case: no case of these records matches %q; an example is %q", p, example)
		}
	}
	h.Cases = slices.DeleteFunc(h.Cases, func(c history.Case) bool {
		return !slices.ContainsFunc(f.cases, func(p string) bool { return matches(p)(c) })
	})
	return nil
}

// ancestors are the commits whose records count, nearest first.
func (f historyFlags) ancestors(ctx context.Context, git repo.Git, revision string) ([]string, error) {
	all, err := git.Ancestors(ctx, revision, baseline.MaxAncestors)
	if err != nil {
		return nil, result.Usage(err)
	}
	if f.since == "" {
		return all, nil
	}
	since, err := git.Commit(ctx, f.since)
	if err != nil {
		return nil, err
	}
	if since == "" {
		return nil, result.Usagef("--since: there is no revision %q here", f.since)
	}
	before, err := git.Ancestors(ctx, since, baseline.MaxAncestors)
	if err != nil {
		return nil, err
	}
	old := make(map[string]bool, len(before))
	for _, commit := range before {
		old[commit] = true
	}
	return slices.DeleteFunc(all, func(commit string) bool { return old[commit] }), nil
}

// acceptances are what the commits after one and up to another ask for; none where git has not got them.
func acceptances(ctx context.Context, git repo.Git, after, upTo string) []history.Acceptance {
	commits, err := git.Between(ctx, after, upTo)
	if err != nil {
		return nil
	}
	var out []history.Acceptance
	for _, c := range commits {
		for _, a := range rule.ParseAcceptances(repo.Trailers(rule.AcceptTrailer, []string{c.Message})) {
			out = append(out, history.Acceptance{Commit: c.ID, Pattern: a.Pattern, Reason: a.Reason})
		}
	}
	return out
}
