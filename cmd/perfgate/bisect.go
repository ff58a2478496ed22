package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/bisect"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/pipeline"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// bisectFlags are the flags of bisect.
type bisectFlags struct {
	runFlags
	runIn string
	all   bool
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

Where the configuration has watch, only commits that touch what it names are candidates (--all takes every one).

An interrupted search goes on where it was: its steps are kept in --out. Exit codes: 0 a commit, or the commits that cannot be told
apart, was found; 1 BAD is not slower than GOOD; 2 bad usage; 3 the ends cannot be measured.`,
		Example: `  perfgate bisect v1.2 main --case 'attention/**'
  perfgate bisect HEAD~40 HEAD --kernel gemm --budget 2m`,
		Args: twoArgs("the good revision and the bad one"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(positive(cmd, "budget", f.budget), oneOf("format", f.format, "text", "json"), f.enter()); err != nil {
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
	flags.StringVar(&f.out, "out", "perfgate-bisect", "folder for the steps (bisect.json)")
	flags.StringVar(&f.format, "format", "text", "what to print: text or json")
	flags.StringVar(&f.runIn, "run-in", "", "clone to work in (default the current folder)")
	flags.BoolVar(&f.all, "all", false, "try every commit, also those that touch nothing that the configuration watches")
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

// bisector measures the steps of one search.
type bisector struct {
	opt   pipeline.Options // of GOOD against BAD
	steps int
	log   func(string)
}

func runBisect(ctx context.Context, s *streams, f bisectFlags) error {
	git := repo.Git{Dir: "."}
	good, bad, err := ends(ctx, git, f)
	if err != nil {
		return err
	}
	f.base, f.head = good, bad
	out, err := inRun(ctx, s, f.runFlags, func(opt pipeline.Options) (bisect.Outcome, error) {
		task, err := f.task(ctx, git, opt.Trusted.Config, good, bad)
		if err != nil {
			return bisect.Outcome{}, err
		}
		fmt.Fprintf(s.err, "%s between %.12s and %.12s\n", report.Count(len(task.Commits), "candidate"), good, bad)
		b := &bisector{opt: opt, log: func(text string) { fmt.Fprintln(s.err, report.Visible(text)) }}
		return bisect.Search(ctx, task, b.measure)
	})
	if err != nil {
		if errors.Is(err, bisect.ErrEnds) {
			return err
		}
		return fmt.Errorf("%w (the steps that were measured are kept in %s, and the same command goes on from there)", err, filepath.Join(f.out, bisectFile))
	}
	if f.format == "json" {
		enc := json.NewEncoder(s.out)
		enc.SetIndent("", " ")
		err = enc.Encode(out)
	} else {
		err = report.Bisect(s.out, out, terminalOf(s))
	}
	if err == nil && out.Kind == bisect.NoChange {
		err = &exitError{int(result.ExitFailed), errors.New("")}
	}
	if err == nil && out.Kind == bisect.Open {
		err = &exitError{int(result.ExitNotMeasurable), errors.New("")}
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

// bisectFile holds the steps of a search.
const bisectFile = "bisect.json"

// kept is the search that steps belong to, and the steps.
type kept struct {
	Good      string        `json:"good"`
	Bad       string        `json:"bad"`
	Cases     []string      `json:"cases"`
	Kernels   []string      `json:"kernels"`
	Tolerance float64       `json:"tolerance"`
	Config    string        `json:"config"` // its hash
	Steps     []bisect.Step `json:"steps"`
}

func (k kept) sameSearch(other kept) bool {
	return k.Good == other.Good && k.Bad == other.Bad && k.Tolerance == other.Tolerance && k.Config == other.Config &&
		slices.Equal(k.Cases, other.Cases) && slices.Equal(k.Kernels, other.Kernels)
}

// task is the search that flags ask for, with the steps that are kept of it.
func (f bisectFlags) task(ctx context.Context, git repo.Git, cfg *config.Config, good, bad string) (bisect.Task, error) {
	var watch []string
	if !f.all {
		watch = cfg.Watch
	}
	line, err := git.Line(ctx, good, bad, watch)
	if err != nil {
		return bisect.Task{}, err
	}
	now := kept{Good: good, Bad: bad, Cases: f.cases, Kernels: f.kernels, Tolerance: cfg.Gate.Tolerance, Config: cfg.SHA256}
	path := filepath.Join(f.out, bisectFile)
	var before kept
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return bisect.Task{}, fmt.Errorf("read the steps of before: %w", err)
	case json.Unmarshal(data, &before) != nil:
		return bisect.Task{}, usagef("%s holds no steps of a search: move it away, or name another --out", path)
	}
	t := bisect.Task{Good: good, Commits: line, Tolerance: now.Tolerance}
	if before.sameSearch(now) {
		t.Steps = before.Steps
	}
	t.Done = func(steps []bisect.Step) error {
		now.Steps = steps
		data, err := json.MarshalIndent(now, "", " ")
		if err != nil {
			return err
		}
		if err := os.MkdirAll(f.out, 0o755); err != nil {
			return err
		}
		return result.ReplaceFile(path, func(w io.Writer) error {
			_, err := w.Write(append(data, '\n'))
			return err
		})
	}
	return t, nil
}

// measure runs the gate on one step, in private folders of its own.
func (b *bisector) measure(ctx context.Context, ask bisect.Ask) (bisect.Step, error) {
	began := time.Now()
	b.steps++
	b.log(fmt.Sprintf("step %d: %.12s beside %.12s", b.steps, ask.Head, ask.Base))
	opt, err := b.options(ctx, ask)
	if err != nil {
		return bisect.Step{}, err
	}
	defer os.RemoveAll(opt.Scratch)
	res, err := pipeline.Run(ctx, opt)
	if err != nil {
		return bisect.Step{}, err
	}
	step, err := answer(res)
	step.Seconds = math.Round(time.Since(began).Seconds())
	if step.Answer == bisect.Bad && b.steps == 1 && step.Case != "" {
		b.opt.Cases = []string{step.Case} // the worst one is followed from here on
	}
	return step, err
}

// options are those of one step: two revisions under BAD's rules. Records have no say: each step is measured.
func (b *bisector) options(ctx context.Context, ask bisect.Ask) (pipeline.Options, error) {
	opt := b.opt
	opt.Scratch = filepath.Join(b.opt.Scratch, fmt.Sprintf("step%d", b.steps))
	if err := os.MkdirAll(opt.Scratch, 0o755); err != nil {
		return opt, fmt.Errorf("make a folder for a step: %w", err)
	}
	layOut := b.opt.Stored.LayOut
	opt.Stored, opt.ChangesKnown, opt.ChangedFiles = nil, false, nil
	cfg := *b.opt.Trusted.Config
	cfg.Gate.Tolerance = ask.Threshold
	cfg.Gate.Budget *= time.Duration(ask.Patience)
	opt.Trusted.Config = &cfg
	opt.Profile = pipeline.Profile{Policy: result.ProfileNever}
	for commit, side := range map[string]*pipeline.Side{ask.Base: &opt.Base, ask.Head: &opt.Head} {
		if side.Info.Revision == commit {
			continue
		}
		laid, err := layOut(ctx, commit)
		if err != nil {
			return opt, err
		}
		*side = laid
	}
	return opt, nil
}

// answer reads a run: kinds and verdicts, never words. The worst case speaks for all.
func answer(res *result.Result) (bisect.Step, error) {
	for _, f := range res.Conclusion.Findings {
		if (f.Kind == result.FindingBuild || f.Kind == result.FindingKernelGone) && f.Side != result.SideHead {
			return bisect.Step{}, fmt.Errorf("%w: %s", bisect.ErrEnds, report.Sentence(f))
		}
	}
	step := bisect.Step{Answer: bisect.Skip}
	worst := math.Inf(-1)
	for _, c := range res.Cases {
		a := answerOf(c)
		if a == bisect.Skip && c.ErrorSide == result.SideBase {
			return step, fmt.Errorf("%w: %s: %s", bisect.ErrEnds, c.Name, c.Reason)
		}
		badness := float64(slices.Index([]bisect.Answer{bisect.Good, bisect.Unsure, bisect.Skip, bisect.Bad}, a)) * 1e3
		if c.Compared != nil {
			badness += c.Compared.Theta
		}
		if badness <= worst {
			continue
		}
		worst = badness
		step = bisect.Step{Answer: a, Case: c.Name, Why: c.Reason}
		if q := c.Compared; q != nil {
			step.Ratio, step.Low, step.High, step.Rounds = q.Ratio, q.RatioLow, q.RatioHigh, q.Rounds
		}
	}
	if step.Answer == bisect.Skip && step.Why == "" {
		step.Why = strings.Join(report.Sentences(res.Conclusion.Against()), "; ")
	}
	return step, nil
}

func answerOf(c result.Case) bisect.Answer {
	switch c.Verdict {
	case result.Regression:
		return bisect.Bad
	case result.Same, result.Slower, result.Faster, result.Improvement:
		return bisect.Good
	case result.Inconclusive, result.Undecided:
		return bisect.Unsure
	}
	return bisect.Skip
}
