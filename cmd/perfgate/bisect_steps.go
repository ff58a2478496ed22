package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/bisect"
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/pipeline"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/saved"
	"github.com/org/perfgate/gate/untrusted"
)

// bisector runs one search.
type bisector struct {
	git   repo.Git
	opt   pipeline.Options // of GOOD against BAD
	flags bisectFlags
	run   gateRun
	log   func(string)
	steps int // measured so far
	// follows is the case that was the worst between the ends; "" until that is known.
	follows string
	found   bisect.Report
}

// search finds the commit between two.
func (b *bisector) search(ctx context.Context, good, bad string) (*bisect.Report, error) {
	cfg := b.opt.Trusted.Config
	line, err := b.git.Line(ctx, good, bad)
	if err != nil {
		return nil, err
	}
	machine, err := pipeline.MachineKey(cfg, b.opt.GPU)
	if err != nil {
		return nil, err
	}
	b.found = bisect.Report{
		Schema: bisect.Schema, Version: b.opt.Version, Machine: machine, Config: cfg.SHA256, Good: good, Bad: bad, Line: len(line), Tolerance: cfg.Gate.Tolerance, Narrowing: bisect.ByNone,
	}
	b.log(fmt.Sprintf("%s after %.12s up to %.12s", report.Count(len(line), "commit"), good, bad))
	task := bisect.Task{Good: good, Commits: line, Tolerance: cfg.Gate.Tolerance, Narrow: b.narrow, Hints: b.hints}
	if err := b.resume(ctx, &task); err != nil {
		return nil, err
	}
	if b.found.Outcome, err = bisect.Search(ctx, task, b.measure); err != nil {
		return nil, err
	}
	described, err := b.git.Describe(ctx, b.found.Named())
	if err != nil {
		return nil, err
	}
	b.found.Commits = map[string]bisect.Commit{}
	for id, c := range described {
		b.found.Commits[id] = bisect.Commit(c)
	}
	return &b.found, nil
}

// stepsFile holds the steps of a search.
const stepsFile = "steps.json"

// stepsDocument is how they are saved.
var stepsDocument = saved.Kind[kept]{Schema: "perfgate/bisect-steps/v2", Bytes: bisect.Document.Bytes, Texts: bisect.Document.Texts, Most: bisect.Document.Most}

// kept is the search that steps belong to, and the steps.
type kept struct {
	Schema    string        `json:"schema"`
	Good      string        `json:"good"`
	Bad       string        `json:"bad"`
	Machine   string        `json:"machine"`
	Cases     []string      `json:"cases"`
	Kernels   []string      `json:"kernels"`
	Tolerance float64       `json:"tolerance"`
	Config    string        `json:"config"` // its hash
	Steps     []bisect.Step `json:"steps"`
}

func (k kept) sameSearch(other kept) bool {
	return k.Good == other.Good && k.Bad == other.Bad && k.Machine == other.Machine && k.Tolerance == other.Tolerance && k.Config == other.Config &&
		slices.Equal(k.Cases, other.Cases) && slices.Equal(k.Kernels, other.Kernels)
}

// ownSteps refuses steps that git keeps: they are what a commit says that was measured.
func (b *bisector) ownSteps(ctx context.Context, path string) error {
	kept, err := b.git.Output(ctx, "ls-files", "-z", "--", path)
	switch {
	case err == nil && kept != "":
		return usagef("%s is a file of the repository, so what it says was measured may be anybody's word: name another folder with --out", path)
	case repo.SaidNo(err): // it lies outside of the repository
		return nil
	}
	return err
}

// resume gives a search the steps that are kept of it, and has every new one kept.
func (b *bisector) resume(ctx context.Context, t *bisect.Task) error {
	f, r := b.flags, b.found
	now := kept{Schema: stepsDocument.Schema, Good: r.Good, Bad: r.Bad, Machine: r.Machine, Cases: f.cases, Kernels: f.kernels, Tolerance: r.Tolerance, Config: r.Config}
	path := filepath.Join(f.out, stepsFile)
	if err := b.ownSteps(ctx, path); err != nil {
		return err
	}
	before := new(kept)
	data, err := untrusted.Read(path, stepsDocument.Bytes)
	if err == nil {
		before, err = stepsDocument.Decode(data)
	}
	var bad *saved.Error
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case errors.As(err, &bad):
		return usagef("%s holds no steps of a search (%w): move it away, or name another --out", path, err)
	case err != nil:
		return fmt.Errorf("read the steps of before: %w", err)
	}
	if before.sameSearch(now) && len(before.Steps) > 0 {
		t.Steps = before.Steps
		b.log(fmt.Sprintf("going on with %s that %s", report.Count(len(t.Steps), "step"), "an earlier search has measured: remove "+path+" to measure them again"))
	}
	t.Done = func(steps []bisect.Step) error {
		now.Steps = steps
		return replaceIn(f.out, stepsFile, func(w io.Writer) error { return stepsDocument.Encode(w, &now) })
	}
	return nil
}

// narrow follows the worst case from here on, and returns the commits that touch what it reads.
func (b *bisector) narrow(ctx context.Context, ends bisect.Step) ([]string, error) {
	if ends.Case != "" {
		b.opt.Cases, b.follows = []string{ends.Case}, ends.Case
	}
	changes, err := b.git.LineFiles(ctx, b.found.Good, b.found.Bad)
	if err != nil || b.flags.all {
		return slices.Collect(maps.Keys(changes)), err
	}
	touches, err := b.touches(ctx)
	if err != nil {
		return nil, err
	}
	var touching []string
	for commit, files := range changes {
		if touches(b.fromConfig(files)) {
			touching = append(touching, commit)
		}
	}
	b.log(fmt.Sprintf("%s: %d of %d touch what it is made of", ends.Case, len(touching), b.found.Line))
	return touching, nil
}

// touches says which changed files matter.
func (b *bisector) touches(ctx context.Context) (func(files []string) bool, error) {
	reads, known, err := pipeline.Reads(ctx, b.opt)
	switch {
	case err != nil:
		return nil, err
	case known:
		b.found.Narrowing = bisect.ByReads
		return func(files []string) bool {
			return slices.ContainsFunc(files, func(file string) bool { return isAmong(reads, file) })
		}, nil
	}
	b.found.Narrowing = bisect.ByWatch
	cfg := b.opt.Trusted.Config
	return func(files []string) bool { return len(plan.Watched(cfg, files)) > 0 }, nil
}

// isAmong says whether a file is one of those read, or a folder around one: git names a submodule by its folder.
func isAmong(reads []string, file string) bool {
	return slices.ContainsFunc(reads, func(read string) bool { return read == file || strings.HasPrefix(read, file+"/") })
}

// fromConfig names files of the repository from the configuration's folder.
func (b *bisector) fromConfig(files []string) []string {
	out := make([]string, len(files))
	for i, file := range files {
		rel, err := filepath.Rel(b.opt.Trusted.Dir, filepath.FromSlash(file))
		if err != nil {
			rel = file
		}
		out[i] = path.Clean(filepath.ToSlash(rel))
	}
	return out
}

// hints are the places at which records of this machine have the case slower, the largest change first. Without records there are none.
func (b *bisector) hints(ctx context.Context, ends bisect.Step) []bisect.Hint {
	stored := b.opt.Stored
	if stored == nil || stored.Store == nil {
		return nil
	}
	ancestors, err := stored.Ancestors(ctx, b.found.Bad)
	if err != nil {
		return nil
	}
	found, err := baseline.LookupAll(ctx, stored.Store, b.found.Machine, ancestors)
	if err != nil {
		b.found.Notes = append(b.found.Notes, "records could not be read, so there were no hints: "+err.Error())
		return nil
	}
	var out []bisect.Hint
	for _, c := range history.Of(b.found.Machine, found, nil).Slowdowns(ends.Case) {
		out = append(out, bisect.Hint{After: c.After.ID, At: c.At.ID})
	}
	return out
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
	defer os.RemoveAll(filepath.Join(b.opt.Scratch, laidOut))
	res, err := b.run(ctx, opt)
	if err != nil {
		return bisect.Step{}, err
	}
	step := answer(res, b.follows)
	step.Seconds = math.Round(time.Since(began).Seconds())
	return step, nil
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
	opt.Trusted.Config, opt.MayDrop = &cfg, true
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

// answer reads a run: kinds and verdicts, never words. The worst case speaks for all, where none is followed.
func answer(res *result.Result, follows string) bisect.Step {
	for _, f := range res.Conclusion.Findings {
		if (f.Kind == result.FindingBuild || f.Kind == result.FindingKernelRemoved) && f.Side != result.SideHead {
			return bisect.Step{Answer: bisect.Skip, BaseReason: report.Sentence(f)}
		}
	}
	step := bisect.Step{Answer: bisect.Skip}
	worst := math.Inf(-1)
	for _, c := range res.Cases {
		if follows != "" && c.Name != follows { // its name means others as well, as a pattern
			continue
		}
		a := answerOf(c)
		if a == bisect.Skip && c.ErrorSide == result.SideBase {
			return bisect.Step{Answer: bisect.Skip, BaseReason: c.Name + ": " + report.Reason(c.Reason)}
		}
		badness := float64(slices.Index([]bisect.Answer{bisect.Good, bisect.Unsure, bisect.Skip, bisect.Bad}, a)) * 1e3
		if c.Compared != nil {
			badness += c.Compared.Theta
		}
		if badness <= worst {
			continue
		}
		worst = badness
		step = bisect.Step{Answer: a, Case: c.Name, Reason: report.Reason(c.Reason)}
		if q := c.Compared; q != nil {
			step.Ratio, step.Low, step.High, step.Rounds = q.Ratio, q.RatioLow, q.RatioHigh, q.Rounds
		}
	}
	if step.Answer == bisect.Skip && step.Reason == "" {
		step.Reason = strings.Join(report.Sentences(res.Conclusion.Against()), "; ")
	}
	return step
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
