package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/judge"
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
		Long: `judge evaluates candidates for a search loop. It builds CANDIDATE (a folder, a git revision, or a patch against BASE), checks by BASE's adapters and
configuration that it is still right, measures it beside the best candidate so far, and prints the answer as JSON: better, worse, same, unsure,
wrong, cheats or broken. Wrong and broken candidates cost no rounds, clearly worse ones two. One that looks better is measured again, beside the
best and beside BASE, in rounds of its own, and only these may call it better.

The ledger holds every candidate, by content. The chance that any of them is called better and is not stays below the configuration's error rate,
however many are tried: each request to be called better may spend less of it. The same content asked again is answered from the ledger.

Candidates are hostile: builds and kernels run in the sandbox, or not at all, unless --sandbox auto is given for candidates of your own.`,
		Example: `  perfgate judge ./candidate --base main --ledger search
  perfgate judge try.patch --base main --ledger search
  perfgate judge --status --ledger search
  perfgate judge --resume --base main --ledger search    # what a crash interrupted`,
		Args: cobra.ArbitraryArgs,
	}, &f, func(ctx context.Context, args []string) error {
		if err := f.check(args); err != nil {
			return err
		}
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
		return result.Usagef("judge needs --ledger: the folder that every candidate of the search is kept in")
	case f.Status && (f.Resume || len(args) > 0):
		return result.Usagef("--status judges nothing: it takes no candidate and no --resume")
	case !f.Status && f.Base == "":
		return result.Usagef("judge needs --base: what the search began with, a folder or a revision")
	case f.Resume && len(args) > 0:
		return result.Usagef("--resume judges what was interrupted: it takes no candidate")
	case !f.Status && !f.Resume && len(args) != 1:
		return result.Usagef("judge takes one candidate, not %d; see perfgate judge --help", len(args))
	case !f.Status && f.Format != "json":
		return result.Usagef("an answer is JSON; --format %s goes with --status", f.Format)
	}
	return nil
}

// judgeStatus prints where a search stands.
func (s *streams) judgeStatus(f judgeFlags) error {
	l, err := judge.Load(f.Ledger)
	switch {
	case err != nil:
		return judgeError(err)
	case l.Opening() == nil:
		return result.Usagef("there is no ledger in %s yet", f.Ledger)
	}
	return s.print(f.Format, answer{document: report.JudgeStatus(l.Summary(), l.Answers()),
		data: judge.Status{Schema: judge.Schema, Summary: l.Summary(), Opening: l.Opening(), Answers: l.Answers()}.Write})
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
	a, err := s.judged(ctx, f)
	if err != nil {
		return judgeError(interrupted(ctx, err))
	}
	return s.answer(f.output, answer{data: a.Write, exit: a.Verdict.Exit()})
}

// judged is the answer to one call.
func (s *streams) judged(ctx context.Context, f judgeFlags) (*judge.Answer, error) {
	scratch, err := newScratch()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
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
		Measure: run.Run, Say: report.JudgeSays, Log: progress.say,
	}.Answer(ctx, scratch)
}

// judgeError sorts an error: what a better command line, folder or machine setting cures is the caller's.
func judgeError(err error) error {
	var why *judge.Unmeasured
	switch {
	case errors.As(err, &why):
		return fmt.Errorf("%w: %s", err, report.Sentence(why.Finding))
	case errors.Is(err, run.ErrNoSandbox), errors.Is(err, run.ErrNoSeccomp):
		return result.Usagef("%w. Candidates are hostile, so judge insists; --sandbox auto is for candidates of your own", err)
	case errors.Is(err, judge.ErrLedger), errors.Is(err, judge.ErrTree):
		return result.Usage(err)
	}
	return err
}
