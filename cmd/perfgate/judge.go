package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
	"github.com/org/perfgate/gate/search"
	"github.com/org/perfgate/gate/text"
)

// judgeFlags say what is judged and by what.
type judgeFlags struct {
	runFlags
	candidate string
	Ledger    string
	MinGain   string
	Recheck   bool
	Status    bool
	Resume    bool
}

func newJudgeCommand(s *streams) *cobra.Command {
	f := judgeFlags{runFlags: runFlags{Run: request.Run{Trust: repo.TrustBase}}}
	return verb(&cobra.Command{
		Use:   "judge CANDIDATE --base BASE --ledger FOLDER",
		Short: "Decide whether a candidate of a search beats the best so far",
		Long: `judge evaluates candidates of a search loop. CANDIDATE is a folder, a git revision, or a patch against BASE. It is built,
checked with BASE's adapters and configuration, and measured against the best candidate so far. The answer is JSON; its
verdict is better, worse, same, inconclusive, wrong, cheating (does other work where it is timed than where it is checked)
or broken. Wrong and broken candidates cost no rounds, clearly worse ones two. One that seems better is measured again,
against the best and against BASE, and only these rounds decide.

A candidate whose content is known is answered from the ledger, without measuring. The probability that any candidate is wrongly called better is at
most the error rate of the configuration, however many are tried. Candidates are untrusted: they run in a complete
sandbox or not at all. --sandbox auto is for your own candidates.`,
		Example: `  perfgate judge ./candidate --base main --ledger search
  perfgate judge try.patch --base main --ledger search
  perfgate judge --status --ledger search
  perfgate judge --resume --base main --ledger search    # what a crash interrupted`,
		Args: cobra.ArbitraryArgs,
	}, &f, func(ctx context.Context, args []string) error {
		if f.Status {
			return s.judgeStatus(f)
		}
		return s.judge(ctx, f)
	})
}

// check refuses what does not go together.
func (f *judgeFlags) check(args []string) error {
	if len(args) == 1 {
		f.candidate = args[0]
	}
	f.Format = cmp.Or(f.Format, map[bool]string{true: "text", false: "json"}[f.Status])
	switch {
	case f.Ledger == "":
		return result.Usagef("perfgate judge needs --ledger, the folder that keeps every candidate of the search; see perfgate judge --help")
	case f.Status && (f.Resume || len(args) > 0):
		return result.Usagef("--status evaluates nothing: leave out the candidate and --resume")
	case !f.Status && f.Base == "":
		return result.Usagef("perfgate judge needs --base, the folder or revision that the search began with; see perfgate judge --help")
	case f.Resume && len(args) > 0:
		return result.Usagef("--resume evaluates what was interrupted: leave out the candidate")
	case !f.Status && !f.Resume && len(args) != 1:
		return result.Usagef("perfgate judge takes one candidate, not %d; see perfgate judge --help", len(args))
	case !f.Status && f.Format != "json":
		return result.Usagef("--format %s needs --status: an answer is printed as JSON", f.Format)
	}
	return nil
}

// judgeStatus prints where a search stands.
func (s *streams) judgeStatus(f judgeFlags) error {
	l, err := search.LoadLedger(f.Ledger)
	switch {
	case err != nil:
		return judgeError(err)
	case l.Opening() == nil:
		return result.Usagef("there is no ledger in %s yet", f.Ledger)
	}
	status := search.LedgerStatus{Schema: search.AnswerSchema, Summary: l.Summary(), Opening: l.Opening(), Answers: l.Answers()}
	for _, a := range status.Answers {
		a.Says = report.JudgeSays(a)
	}
	return s.print(f.Format, answer{document: report.JudgeStatus(status.Summary, status.Answers), data: status.Write})
}

// judge judges one candidate, or what was interrupted, and prints the last answer.
func (s *streams) judge(ctx context.Context, f judgeFlags) error {
	unlock, err := search.LockLedger(ctx, f.Ledger, func(holder string) {
		fmt.Fprintln(s.progressTo(), text.Visible("waiting for another call with this ledger: "+holder))
	})
	if err != nil {
		return interrupted(ctx, err)
	}
	defer unlock()
	a, err := inScratch(func(scratch string) (*search.Answer, error) { return s.judged(ctx, f, scratch) })
	if err != nil {
		return judgeError(interrupted(ctx, err))
	}
	a.Says = report.JudgeSays(a)
	return s.answer(f.output, answer{data: a.Write, exit: a.Verdict.Exit()})
}

// judged is the answer to one call.
func (s *streams) judged(ctx context.Context, f judgeFlags, scratch string) (*search.Answer, error) {
	progress := s.progress()
	defer progress.done()
	return search.Judge{
		Run: f.Run, Candidate: f.candidate, Ledger: f.Ledger, MinGain: f.MinGain, Recheck: f.Recheck, Resume: f.Resume, Tool: versionText(),
		Profile: run.Profile{Policy: f.Profile, Limit: f.ProfileBudget},
		Options: func(ctx context.Context, r request.Run, scratch string) (run.Options, error) {
			opt, err := runFlags{Run: r}.options(ctx, scratch)
			progress.follow(&opt)
			return opt, err
		},
		Replay:  func(r request.Run) string { return runFlags{Run: r}.replayLine() },
		Measure: run.Run, Log: progress.say,
	}.Answer(ctx, scratch)
}

// judgeError sorts an error: what a better command line, folder or machine setting cures is the caller's.
func judgeError(err error) error {
	switch {
	case errors.Is(err, run.ErrNoSandbox), errors.Is(err, run.ErrNoSeccomp):
		return result.Usagef("%w. Candidates are untrusted, so judge needs all of the sandbox; --sandbox auto is for your own candidates", err)
	case errors.Is(err, search.ErrLedger), errors.Is(err, search.ErrTree):
		return result.Usage(err)
	}
	return explained(err)
}
