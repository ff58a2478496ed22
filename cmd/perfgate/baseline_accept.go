package main

import (
	"cmp"
	"context"
	"fmt"
	"os/user"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
)

// acceptFlags are the flags of baseline accept.
type acceptFlags struct {
	patterns []string
	reason   string
	by       string
	revoke   bool
}

func newAcceptCommand(s *streams, f *baselineFlags) *cobra.Command {
	var a acceptFlags
	cmd := &cobra.Command{
		Use:   "accept [COMMIT]",
		Short: "List accepted regressions; accept what a commit asks for, or take an acceptance back",
		Long: `accept lists which regressions were accepted by whom, and what commits only ask for by a Perfgate-Accept trailer.

With a commit it accepts what that commit asks for, or what --case and --reason say: from its record on, cases are held against
levels since then. --revoke takes an acceptance back: the best-known level is what it was before. Records keep both.`,
		Example: `  perfgate baseline accept
  perfgate baseline accept 1f2e3d4
  perfgate baseline accept 1f2e3d4 --case 'gemm/**' --reason 'sums in a fixed order'
  perfgate baseline accept 1f2e3d4 --revoke`,
		Args: takes(0, 1, "at most one commit"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.check(args); err != nil {
				return err
			}
			if len(args) == 0 {
				return listAccepted(cmd.Context(), s, f)
			}
			return acceptCommit(cmd.Context(), s, f, a, args[0])
		},
	}
	define(cmd, f.targets().with(targets{"case": &a.patterns, "reason": &a.reason, "by": &a.by, "revoke": &a.revoke}))
	return cmd
}

func (a acceptFlags) check(args []string) error {
	switch {
	case len(args) == 0 && (len(a.patterns) > 0 || a.reason != "" || a.revoke):
		return result.Usagef("--case, --reason and --revoke are about a commit: name it")
	case len(a.patterns) > 0 && a.reason == "" && !a.revoke:
		return result.Usagef("--case needs a --reason, which reports will show")
	case len(a.patterns) == 0 && a.reason != "":
		return result.Usagef("--reason goes with --case")
	}
	return checkPatterns(a.patterns)
}

// listAccepted lists the acceptances in all records, newest first, and what commits between them ask for in vain.
func listAccepted(ctx context.Context, s *streams, f *baselineFlags) error {
	store, found, err := allRecords(ctx, f, "HEAD")
	if err != nil {
		return err
	}
	type request struct{ commit, pattern string }
	seen := map[request]bool{}
	var rows [][]string
	for _, r := range found.Found {
		for _, a := range r.Record.Accepted {
			state := "counts"
			if a.Revoked != nil {
				state = "taken back by " + a.Revoked.By
			}
			seen[request{a.Commit, a.Pattern}] = true
			rows = append(rows, []string{result.ShortID(a.Commit), a.Pattern, state, a.By, a.Time.Format(time.DateOnly), a.Reason})
		}
	}
	if n := len(found.Found); n > 0 {
		oldest, newest := found.Found[n-1].Record.Commit, found.Found[0].Record.Commit
		for _, a := range acceptances(ctx, repo.Git{Dir: "."}, oldest, newest) {
			if !seen[request{a.Commit, a.Pattern}] {
				rows = append(rows, []string{result.ShortID(a.Commit), a.Pattern, "asked for", "", "", a.Reason})
			}
		}
	}
	if len(rows) == 0 {
		_, err := fmt.Fprintf(s.out, "no regression was accepted in %s of %s\n", report.Count(len(found.Found), "record"), store)
		return err
	}
	return s.showDocument("text", report.List("acceptances", []string{"commit", "cases", "state", "by", "when", "reason"}, rows))
}

// allRecords are the records of a machine that belong to a revision and its ancestors.
func allRecords(ctx context.Context, f *baselineFlags, revision string) (*baseline.Store, baseline.History, error) {
	store, cfg, err := openBaseline(f)
	if err != nil {
		return nil, baseline.History{}, err
	}
	commits, err := request.AncestorsIn(".")(ctx, revision)
	if err != nil {
		return nil, baseline.History{}, result.Usage(err)
	}
	found, err := baseline.Lookup(ctx, store, f.machineKey(cfg), commits, len(commits))
	return store, found, err
}

// acceptCommit changes the record that has a commit's work, or the first one that does.
func acceptCommit(ctx context.Context, s *streams, f *baselineFlags, a acceptFlags, revision string) error {
	git := repo.Git{Dir: "."}
	commit, err := git.Commit(ctx, revision)
	if err != nil {
		return result.Usage(err)
	}
	if commit == "" {
		return result.Usagef("there is no revision %q here", revision)
	}
	store, found, err := allRecords(ctx, f, "HEAD")
	if err != nil {
		return err
	}
	rec, err := firstWith(ctx, git, found, commit)
	if err != nil {
		return err
	}
	if rec == nil {
		return result.Usagef("%s has no record of %.12s or after it on this machine: what is not recorded needs no acceptance (perfgate baseline record)", store, commit)
	}
	if a.revoke {
		return a.takeBack(ctx, s, store, rec, commit)
	}
	var wanted []history.Acceptance
	for _, pattern := range a.patterns {
		wanted = append(wanted, history.Acceptance{Commit: commit, Pattern: pattern, Reason: a.reason})
	}
	if len(a.patterns) == 0 {
		wanted = acceptances(ctx, git, commit+"^", commit)
	}
	if len(wanted) == 0 {
		return result.Usagef("%.12s asks for nothing (no Perfgate-Accept trailer with a pattern and a reason): say --case and --reason", commit)
	}
	for _, w := range wanted {
		if !slices.ContainsFunc(rec.Cases, func(c baseline.Case) bool { return result.CaseMatches(w.Pattern, c.Kernel, c.Name) }) {
			return result.Usagef("no case of the record of %.12s matches %q; an example is %q", rec.Commit, w.Pattern, rec.Cases[0].Name)
		}
		rec.Accept(baseline.Acceptance{Commit: commit, Pattern: w.Pattern, Reason: w.Reason, By: a.who(), How: "perfgate baseline accept", Time: time.Now().UTC().Truncate(time.Second)})
	}
	if err := baseline.Save(ctx, store, rec); err != nil {
		return ofStore(err)
	}
	_, err = fmt.Fprintf(s.out, "accepted %s of %.12s, in the record of %.12s in %s\n", report.Count(len(wanted), "request"), commit, rec.Commit, store)
	return err
}

// firstWith is the oldest record whose commit has another one in its history; nil if none has.
func firstWith(ctx context.Context, git repo.Git, found baseline.History, commit string) (*baseline.Record, error) {
	for _, f := range slices.Backward(found.Found) {
		at, err := git.MergeBase(ctx, commit, f.Record.Commit)
		if err != nil {
			return nil, err
		}
		if at == commit {
			return f.Record, nil
		}
	}
	return nil, nil
}

func (a acceptFlags) takeBack(ctx context.Context, s *streams, store *baseline.Store, rec *baseline.Record, commit string) error {
	n := 0
	for i := range rec.Accepted {
		one := &rec.Accepted[i]
		if one.Commit == commit && (len(a.patterns) == 0 || slices.Contains(a.patterns, one.Pattern)) && one.Revoked == nil {
			one.Revoked = &baseline.Revocation{By: a.who(), Time: time.Now().UTC().Truncate(time.Second)}
			n++
		}
	}
	if n == 0 {
		return result.Usagef("nothing of %.12s is accepted that could be taken back (perfgate baseline accept lists what is)", commit)
	}
	if err := baseline.Save(ctx, store, rec); err != nil {
		return ofStore(err)
	}
	_, err := fmt.Fprintf(s.out, "took back %s of %.12s in %s\n", report.Count(n, "acceptance"), commit, store)
	return err
}

// who takes the responsibility.
func (a acceptFlags) who() string {
	name := ""
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return cmp.Or(a.by, name, "somebody")
}
