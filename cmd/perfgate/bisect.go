package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/action"
	"github.com/org/perfgate/gate/bisect"
	"github.com/org/perfgate/gate/bisect/steps"
	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
	"github.com/org/perfgate/gate/text"
)

// bisectFlags say what a search is asked for: base is the good end, head the bad one.
type bisectFlags struct {
	runFlags
	RepoDir    string
	AllCommits bool // also those that touch nothing
}

func newBisectCommand(s *streams) *cobra.Command {
	f := bisectFlags{runFlags: runFlags{Run: request.Run{Trust: repo.TrustWorktree}}}
	return verb(&cobra.Command{
		Use:   "bisect GOOD BAD",
		Short: "Find the commit at which a case became slower",
		Long: `bisect measures commits between GOOD and BAD (first parents; a merge is one step) beside a build of GOOD, in paired rounds of fresh
processes. BAD's configuration and adapters are used for all of them. A step that stays inconclusive is measured longer, up to four times the
budget; commits that do not build, fail parity or stay inconclusive are skipped. The commit that is found is
measured beside its parent at the end.

Candidates are the commits that change a file that the kernel is made of on either end; where these cannot be listed (a build command, a
benchmark), those that change what the configuration watches. Where the loss is not at one of them, the others are tried too; --all-commits
takes every one from the start. Where records say that the case became slower is tried first, and proves nothing.

An interrupted search goes on where it was: its steps are kept in --out.`,
		Example: `  perfgate bisect v1.2 main --case 'attention/**'
  perfgate bisect HEAD~40 HEAD --kernel gemm --budget 2m`,
		Args: takes(2, 2, "two revisions, GOOD and BAD"),
	}, &f, func(ctx context.Context, args []string) error {
		if err := f.enter(); err != nil {
			return err
		}
		if err := render.CheckFolder(f.Out); err != nil {
			return err
		}
		f.Base, f.Head = args[0], args[1]
		found, err := searchCommits(ctx, s, f, run.Run)
		if err != nil {
			return err
		}
		return s.answer(f.output, ofBisect(found, "report.json"))
	})
}

// ofBisect is the answer of a search.
func ofBisect(found *bisect.Report, name string) answer {
	return answer{document: report.BisectDocument(found), data: found.Write, name: name, exit: found.Exit()}
}

// enter goes to the clone that was named. --out stays where it is.
func (f *bisectFlags) enter() (err error) {
	if f.Out, err = filepath.Abs(f.Out); err != nil || f.RepoDir == "" {
		return err
	}
	if err := os.Chdir(f.RepoDir); err != nil {
		return result.Usagef("--repo-dir: %w", err)
	}
	return nil
}

// searchRequest is the search of a job: it leaves the answer among the results.
func searchRequest(ctx context.Context, s *streams, p action.JobRequest, f runFlags) (o action.Outcome, err error) {
	found, err := searchCommits(ctx, s, bisectFlags{runFlags: f}, func(ctx context.Context, opt run.Options) (*result.Result, error) {
		if res, err := rehearsed(p, opt); res != nil || err != nil {
			return res, err
		}
		return run.Run(ctx, opt)
	})
	if err != nil {
		return o, err
	}
	o.Exit = int(found.Exit())
	return o, s.leave(f.Out, ofBisect(found, action.SearchFile))
}

// gateRun measures two sides.
type gateRun func(ctx context.Context, opt run.Options) (*result.Result, error)

// searchCommits runs a search, or goes on with one that was interrupted.
func searchCommits(ctx context.Context, s *streams, f bisectFlags, measure gateRun) (*bisect.Report, error) {
	git := repo.Git{Dir: "."}
	good, bad, err := steps.Ends(ctx, git, f.Base, f.Head)
	if err != nil {
		return nil, err
	}
	repro := commandLine("bisect", &f, f.Base, f.Head)
	f.Base, f.Head = good, bad
	started := time.Now().UTC().Truncate(time.Second)
	found, err := inRun(ctx, s, f.runFlags, func(opt run.Options) (*bisect.Report, error) {
		log := func(said string) { fmt.Fprintln(s.progressTo(), text.Visible(said)) }
		search := steps.Search{Git: git, Options: opt, All: f.AllCommits, Dir: f.Out, Measure: measure, Log: log}
		return search.Find(ctx, good, bad)
	})
	switch {
	case errors.Is(err, bisect.ErrEnds), err != nil && result.ExitCodeOf(err) == result.ExitUsage:
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w (the steps that were measured are kept in %s, and the same command goes on from there)", err, filepath.Join(f.Out, steps.File))
	}
	found.Started, found.Repro = started, repro
	return found, nil
}
