package main

import (
	"cmp"
	"context"
	"os/user"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
)

// acceptFlags are the flags of baseline accept.
type acceptFlags struct {
	recordsFlags
	Case   []string
	Reason string
	By     string
	Revoke bool
}

func newAcceptCommand(s *streams) *cobra.Command {
	var f acceptFlags
	return ofRecords(s, &cobra.Command{
		Use:   "accept [COMMIT]",
		Short: "List accepted regressions; accept what a commit requests, or undo an acceptance",
		Long: `accept lists the accepted regressions and who accepted them, and the commits that request one with a
Perfgate-Accept trailer.

With COMMIT it accepts the regressions that the commit requests, or those of --case. From this commit's record
on, cases are compared only with later levels. --revoke undoes an acceptance: the best level before it
counts again. Records keep both.`,
		Example: `  perfgate baseline accept
  perfgate baseline accept 1f2e3d4
  perfgate baseline accept 1f2e3d4 --case 'gemm/**' --reason 'sums in a fixed order'
  perfgate baseline accept 1f2e3d4 --revoke`,
		Args: takes(0, 1, "at most one commit"),
	}, &f, &f.recordsFlags, func(ctx context.Context, kept request.Kept, args []string) (answer, error) {
		if len(args) == 0 {
			return f.list(ctx, kept)
		}
		return f.change(ctx, kept, args[0])
	})
}

func (f acceptFlags) check(args []string) error {
	switch {
	case len(args) == 0 && (len(f.Case) > 0 || f.Reason != "" || f.Revoke):
		return result.Usagef("--case, --reason and --revoke are about a commit: name it")
	case len(f.Case) > 0 && f.Reason == "" && !f.Revoke:
		return result.Usagef("--case needs a --reason, which reports will show")
	case len(f.Case) == 0 && f.Reason != "":
		return result.Usagef("--reason goes with --case")
	}
	return checkPatterns(f.Case)
}

// list lists the acceptances in all records, newest first, and what commits between them only ask for.
func (f acceptFlags) list(ctx context.Context, kept request.Kept) (a answer, err error) {
	found, err := kept.All(ctx, "HEAD")
	if err != nil {
		return a, err
	}
	var requested []baseline.Acceptance
	if n := len(found.Found); n > 0 {
		requested = history.Requested(ctx, kept.Git, found.Found[n-1].Record.Commit, found.Found[0].Record.Commit)
	}
	return answer{document: report.Acceptances(found, requested, kept.String())}, nil
}

// change changes the record that has a commit's work, or the first one that does.
func (f acceptFlags) change(ctx context.Context, kept request.Kept, revision string) (a answer, err error) {
	commit, err := kept.Git.Commit(ctx, revision)
	if err != nil {
		return a, result.Usage(err)
	}
	if commit == "" {
		return a, result.Usagef("there is no revision %q here", revision)
	}
	found, err := kept.All(ctx, "HEAD")
	if err != nil {
		return a, err
	}
	rec, err := history.RecordWith(ctx, kept.Git, found, commit)
	if err != nil {
		return a, err
	}
	if rec == nil {
		return a, result.Usagef("%s has no record of %.12s or after it on this machine: what is not recorded needs no acceptance (perfgate baseline record)", kept, commit)
	}
	var wanted []baseline.Acceptance
	taken := 0
	if f.Revoke {
		if taken = history.Revoke(rec, commit, f.Case, f.who()); taken == 0 {
			return a, result.Usagef("nothing of %.12s is accepted that could be taken back (perfgate baseline accept lists what is)", commit)
		}
	} else {
		if wanted = f.wanted(ctx, kept, commit); len(wanted) == 0 {
			return a, result.Usagef("%.12s asks for nothing (no Perfgate-Accept trailer with a pattern and a reason): say --case and --reason", commit)
		}
		if err := history.Accept(rec, wanted); err != nil {
			return a, err
		}
	}
	if err := baseline.Save(ctx, kept.Store, append(history.PinAgain(found, rec), rec)...); err != nil {
		return a, err
	}
	return answer{document: report.Accepted(commit, taken, len(wanted), rec, kept.String())}, nil
}

// wanted are the acceptances that the flags name, or else the commit's own requests.
func (f acceptFlags) wanted(ctx context.Context, kept request.Kept, commit string) (wanted []baseline.Acceptance) {
	for _, pattern := range f.Case {
		wanted = append(wanted, baseline.Acceptance{Commit: commit, Pattern: pattern, Reason: f.Reason})
	}
	if len(f.Case) == 0 {
		wanted = history.Requested(ctx, kept.Git, commit+"^", commit)
	}
	for i := range wanted {
		wanted[i].By = f.who()
	}
	return wanted
}

// who approves.
func (f acceptFlags) who() string {
	name := ""
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return cmp.Or(f.By, name, "somebody")
}
