package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/action"
	"github.com/org/perfgate/gate/bisect"
	"github.com/org/perfgate/gate/page"
	"github.com/org/perfgate/gate/pipeline"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// bisectFlags say what a search is asked for: base is the good end, head the bad one.
type bisectFlags struct {
	runFlags
	runIn string
	all   bool // commits that touch nothing are candidates too
}

func newBisectCommand(s *streams) *cobra.Command {
	f := bisectFlags{runFlags: runFlags{trust: repo.TrustWorktree, noSkip: false}}
	cmd := &cobra.Command{
		Use:   "bisect GOOD BAD",
		Short: "Find the commit at which a case became slower",
		Long: `bisect measures commits between GOOD and BAD (first parents; a merge is one step) beside a build of GOOD, in paired rounds of fresh
processes. BAD's configuration and adapters are used for all of them. A step that stays open is measured longer, up to four times the
budget; a commit that does not build, computes the wrong thing or stays open is passed over. The commit that is found is
measured beside its parent at the end.

Candidates are the commits that change a file that the kernel is made of on either end; where these cannot be listed (a build command, a
benchmark), those that change what the configuration watches. Where the loss is not at one of them, the others are tried too; --all
takes every one from the start. Where records say that the case became slower is tried first, and proves nothing.

An interrupted search goes on where it was: its steps are kept in --out. Exit codes: 0 a commit, or the commits that cannot be told
apart, was found; 1 BAD is not slower than GOOD; 2 bad usage; 3 the ends cannot be measured, or told apart.`,
		Example: `  perfgate bisect v1.2 main --case 'attention/**'
  perfgate bisect HEAD~40 HEAD --kernel gemm --budget 2m`,
		Args: twoArgs("the good revision and the bad one"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(positive(cmd, "budget", f.budget), oneOf("format", f.format, "text", "markdown", "json", "html"), f.enter()); err != nil {
				return err
			}
			f.base, f.head = args[0], args[1]
			return runBisect(cmd.Context(), s, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.config, "config", "", "configuration, by its path in BAD (default perfgate.yaml)")
	flags.StringSliceVar(&f.kernels, "kernel", nil, "kernels to look at (default all)")
	flags.StringArrayVar(&f.cases, "case", nil, "cases to look at, by pattern, such as 'gemm/**' (default all); the worst of them is followed")
	flags.StringVar(&f.tolerance, "tolerance", "", "slowdown that the ends have to differ by, such as 2% (default the configuration's)")
	flags.DurationVar(&f.budget, "budget", 0, "wall time of the rounds of one step, such as 90s (default the configuration's)")
	flags.StringVar(&f.gpu, "gpu", "", "GPU for CUDA kernels: index in PCI order, or UUID (default the first that CUDA sees)")
	flags.StringVar((*string)(&f.sandbox), "sandbox", string(result.SandboxAuto), "keep builds and kernels from files, network and processes of others: auto, on or off")
	flags.StringVar(&f.out, "out", "perfgate-bisect", "folder for the steps (steps.json) and the answer (report.json, report.md, report.html)")
	flags.StringVar(&f.format, "format", "text", "what to print: text, markdown, json or html")
	flags.StringVar(&f.runIn, "run-in", "", "clone to work in (default the current folder)")
	flags.StringVar(&f.store, "store", "", "records to take hints from: dir:PATH or git:BRANCH (default the configuration's)")
	flags.BoolVar(&f.all, "all", false, "take every commit as a candidate, also those that touch nothing that the kernel reads")
	return cmd
}

// enter goes to the clone that was named. --out stays where it is.
func (f *bisectFlags) enter() (err error) {
	if f.out, err = filepath.Abs(f.out); err != nil || f.runIn == "" {
		return err
	}
	if err := os.Chdir(f.runIn); err != nil {
		return usagef("--run-in: %w", err)
	}
	return nil
}

func runBisect(ctx context.Context, s *streams, f bisectFlags) error {
	found, err := searchCommits(ctx, s, f, pipeline.Run)
	if err != nil {
		return err
	}
	if err := saveSearch(f.out, found); err != nil {
		return err
	}
	switch f.format {
	case "json":
		err = found.Write(s.out)
	case "markdown":
		err = report.Markdown(s.out, report.BisectDocument(found))
	case "html":
		err = page.WriteBisect(s.out, found, page.Options{})
	default:
		err = report.Bisect(s.out, found, terminalOf(s))
	}
	if err != nil {
		return err
	}
	return exitWith(found.Exit())
}

// searchPlan is the search of a job: it leaves the answer among the results.
func searchPlan(ctx context.Context, s *streams, p action.Plan, f runFlags) (o action.Outcome, err error) {
	found, err := searchCommits(ctx, s, bisectFlags{runFlags: f}, func(ctx context.Context, opt pipeline.Options) (*result.Result, error) {
		if res, err := rehearsed(p, opt); res != nil || err != nil {
			return res, err
		}
		return pipeline.Run(ctx, opt)
	})
	if err != nil {
		return o, err
	}
	o.Exit = int(found.Exit())
	return o, cmp.Or(replaceIn(f.out, action.SearchFile, found.Write), report.Bisect(s.out, found, terminalOf(s)))
}

// gateRun measures two sides.
type gateRun func(ctx context.Context, opt pipeline.Options) (*result.Result, error)

// searchCommits runs a search, or goes on with one that was interrupted.
func searchCommits(ctx context.Context, s *streams, f bisectFlags, run gateRun) (*bisect.Report, error) {
	git := repo.Git{Dir: "."}
	good, bad, err := ends(ctx, git, f)
	if err != nil {
		return nil, err
	}
	named := [2]string{f.base, f.head}
	f.base, f.head = good, bad
	started := time.Now().UTC().Truncate(time.Second)
	found, err := inRun(ctx, s, f.runFlags, func(opt pipeline.Options) (*bisect.Report, error) {
		b := &bisector{git: git, opt: opt, flags: f, run: run, log: func(text string) { fmt.Fprintln(s.err, report.Visible(text)) }}
		return b.search(ctx, good, bad)
	})
	switch {
	case errors.Is(err, bisect.ErrEnds), err != nil && exitCode(err) == int(result.ExitUsage):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w (the steps that were measured are kept in %s, and the same command goes on from there)", err, filepath.Join(f.out, stepsFile))
	}
	found.Started, found.Repro = started, f.line(named)
	return found, nil
}

// line is the command line of a search.
func (f bisectFlags) line(named [2]string) string {
	words := []string{"perfgate bisect", kernels.ShellWord(named[0]), kernels.ShellWord(named[1])}
	add := func(flag, value string) {
		if value != "" {
			words = append(words, "--"+flag+"="+kernels.ShellWord(value))
		}
	}
	add("config", f.config)
	for _, k := range f.kernels {
		add("kernel", k)
	}
	for _, c := range f.cases {
		add("case", c)
	}
	add("tolerance", f.tolerance)
	if f.budget > 0 {
		add("budget", f.budget.String())
	}
	if f.all {
		words = append(words, "--all")
	}
	return strings.Join(words, " ")
}

// Names of what a search leaves in its folder.
const (
	searchFile   = "report.json"
	searchReport = "report.md"
)

// saveSearch leaves the answer beside the steps.
func saveSearch(dir string, found *bisect.Report) error {
	err := replaceIn(dir, searchFile, found.Write)
	if err == nil {
		err = replaceIn(dir, searchReport, func(w io.Writer) error { return report.Markdown(w, report.BisectDocument(found)) })
	}
	if err == nil {
		err = replaceIn(dir, page.PageName, func(w io.Writer) error {
			return page.WriteBisect(w, found, page.Options{Repository: page.Repository(os.Getenv)})
		})
	}
	return err
}

// ends are the commits of both revisions; the good one comes before the bad one.
func ends(ctx context.Context, git repo.Git, f bisectFlags) (good, bad string, err error) {
	if good, err = git.Commit(ctx, f.base); err != nil {
		return "", "", usage(err)
	}
	if bad, err = git.Commit(ctx, f.head); err != nil {
		return "", "", usage(err)
	}
	switch {
	case good == "":
		return "", "", usagef("there is no revision %q here", f.base)
	case bad == "":
		return "", "", usagef("there is no revision %q here", f.head)
	case good == bad:
		return "", "", usagef("%s and %s are one commit", f.base, f.head)
	}
	if at, err := git.MergeBase(ctx, good, bad); err != nil || at != good {
		return "", "", usagef("%s is no ancestor of %s, so there is no first bad commit between them", f.base, f.head)
	}
	return good, bad, nil
}
