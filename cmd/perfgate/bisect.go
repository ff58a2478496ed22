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
	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
	"github.com/org/perfgate/gate/search"
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
		Long: `bisect finds the first slower commit between GOOD and BAD. It measures commits against a build of GOOD, in paired
rounds of fresh processes, all with the configuration and the adapters of BAD. It follows first parents, so a
merge is one step. An inconclusive step is measured again, with up to four times the budget; commits that do not
build, fail parity or stay inconclusive are skipped. At the end the commit is measured against its parent.

At first only commits that change a file of the kernel are tried; with a build command or a benchmark, commits
that change the paths of the configuration. If none of them is the cause, the others are tried too. --all-commits
tries all from the start. Records only say where to begin.

The steps are kept in the folder of --out: an interrupted search continues where it stopped.`,
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
		found, err := searchCommits(ctx, s, f)
		if err != nil {
			return err
		}
		return s.answer(f.output, ofBisect(found, "report.json"))
	})
}

// ofBisect is the answer of a search.
func ofBisect(found *search.Bisection, name string) answer {
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
func searchRequest(ctx context.Context, s *streams, f runFlags) (o action.Outcome, err error) {
	found, err := searchCommits(ctx, s, bisectFlags{runFlags: f})
	if err != nil {
		return o, err
	}
	o.Exit = int(found.Exit())
	return o, s.leave(f.Out, ofBisect(found, action.SearchFile))
}

// searchCommits runs a search, or goes on with one that was interrupted.
func searchCommits(ctx context.Context, s *streams, f bisectFlags) (*search.Bisection, error) {
	git := repo.Git{Dir: "."}
	good, bad, err := search.Ends(ctx, git, f.Base, f.Head)
	if err != nil {
		return nil, err
	}
	repro := commandLine("bisect", &f, f.Base, f.Head)
	f.Base, f.Head = good, bad
	started := time.Now().UTC().Truncate(time.Second)
	found, err := inRun(ctx, s, f.runFlags, func(opt run.Options) (*search.Bisection, error) {
		log := func(said string) { fmt.Fprintln(s.progressTo(), text.Visible(said)) }
		bisect := search.Bisect{Git: git, Options: opt, All: f.AllCommits, Dir: f.Out, Measure: measureSides, Log: log}
		return bisect.Find(ctx, good, bad)
	})
	var unmeasured *search.Unmeasured
	switch {
	case errors.As(err, &unmeasured), err != nil && result.ExitCodeOf(err) == result.ExitUsage:
		return nil, explained(err)
	case err != nil:
		return nil, fmt.Errorf("%w (the steps that were measured are kept in %s, and the same command goes on from there)", err, filepath.Join(f.Out, search.StepsFile))
	}
	found.Started, found.Repro = started, repro
	return found, nil
}
