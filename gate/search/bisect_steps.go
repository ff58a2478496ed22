package search

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
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
	"github.com/org/perfgate/gate/saved"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/gate/untrusted"
)

// Bisect is one search for the commit at which a case became slower.
type Bisect struct {
	Git     repo.Git
	Options run.Options // of the good end against the bad one, with what lays out commits between them
	All     bool        // commits that touch nothing are candidates too
	Dir     string      // in which the steps are kept
	Measure func(context.Context, run.Options) (*result.Result, error)
	Log     func(string)

	steps int // measured so far
	// follows is the case that was the worst between the ends; "" until that is known.
	follows string
	found   Bisection
}

// Find finds the commit between two, see Ends. A folder that holds something else than steps of a search is an error of usage.
func (s *Bisect) Find(ctx context.Context, good, bad string) (*Bisection, error) {
	cfg := s.Options.Trusted.Config
	line, err := s.Git.Line(ctx, good, bad)
	if err != nil {
		return nil, err
	}
	machine, err := run.MachineKey(ctx, cfg, s.Options.Device.GPU)
	if err != nil {
		return nil, err
	}
	s.found = Bisection{
		Schema: BisectSchema, Version: s.Options.Version, Machine: machine, Config: cfg.SHA256, Good: good, Bad: bad, Line: len(line), Tolerance: cfg.Gate.Tolerance, Narrowing: ByNone,
	}
	s.Log(fmt.Sprintf("%s after %.12s up to %.12s", text.Count(len(line), "commit"), good, bad))
	task := span{Good: good, Commits: line, Tolerance: cfg.Gate.Tolerance, Narrow: s.narrow, Hints: s.hints}
	if err := s.resume(ctx, &task); err != nil {
		return nil, err
	}
	if s.found.BisectOutcome, err = findFirstSlower(ctx, task, s.measure); err != nil {
		return nil, err
	}
	described, err := s.Git.Describe(ctx, s.found.Named())
	if err != nil {
		return nil, err
	}
	s.found.Commits = map[string]Commit{}
	for id, c := range described {
		s.found.Commits[id] = Commit(c)
	}
	return &s.found, nil
}

// Ends are the commits of two revisions, of which the good one comes before the bad one. Where they do not, it is an error of usage.
func Ends(ctx context.Context, git repo.Git, from, to string) (good, bad string, err error) {
	if good, err = git.Commit(ctx, from); err != nil {
		return "", "", result.Usage(err)
	}
	if bad, err = git.Commit(ctx, to); err != nil {
		return "", "", result.Usage(err)
	}
	switch {
	case good == "":
		return "", "", result.Usagef("there is no revision %q here", from)
	case bad == "":
		return "", "", result.Usagef("there is no revision %q here", to)
	case good == bad:
		return "", "", result.Usagef("%s and %s are one commit", from, to)
	}
	if at, err := git.MergeBase(ctx, good, bad); err != nil || at != good {
		return "", "", result.Usagef("%s is no ancestor of %s, so there is no first bad commit between them", from, to)
	}
	return good, bad, nil
}

// StepsFile holds the steps of a search, in its folder.
const StepsFile = "steps.json"

// stepsDocument is how they are saved.
var stepsDocument = saved.Kind[keptSteps]{Schema: "perfgate/bisect-steps/v4", Bytes: BisectDocument.Bytes, Texts: BisectDocument.Texts, Most: BisectDocument.Most}

// keptSteps is the search that steps belong to, and the steps.
type keptSteps struct {
	Schema    string   `json:"schema"`
	Good      string   `json:"good"`
	Bad       string   `json:"bad"`
	Machine   string   `json:"machine"`
	Cases     []string `json:"cases"`
	Kernels   []string `json:"kernels"`
	Tolerance float64  `json:"tolerance"`
	Config    string   `json:"config"` // its hash
	Steps     []Step   `json:"steps"`
}

func (k keptSteps) sameSearch(other keptSteps) bool {
	return k.Good == other.Good && k.Bad == other.Bad && k.Machine == other.Machine && k.Tolerance == other.Tolerance && k.Config == other.Config &&
		slices.Equal(k.Cases, other.Cases) && slices.Equal(k.Kernels, other.Kernels)
}

// ownSteps refuses steps that git keeps: they are what a commit says that was measured.
func (s *Bisect) ownSteps(ctx context.Context, path string) error {
	kept, err := s.Git.Output(ctx, "ls-files", "-z", "--", path)
	switch {
	case err == nil && kept != "":
		return result.Usagef("%s is a file of the repository, so what it says was measured may be anybody's word: name another folder with --out", path)
	case repo.SaidNo(err): // it lies outside of the repository
		return nil
	}
	return err
}

// resume gives a search the steps that are kept of it, and has every new one kept.
func (s *Bisect) resume(ctx context.Context, t *span) error {
	r := s.found
	now := keptSteps{Schema: stepsDocument.Schema, Good: r.Good, Bad: r.Bad, Machine: r.Machine, Cases: s.Options.Cases, Kernels: s.Options.Only, Tolerance: r.Tolerance, Config: r.Config}
	path := filepath.Join(s.Dir, StepsFile)
	if err := s.ownSteps(ctx, path); err != nil {
		return err
	}
	before := new(keptSteps)
	data, err := untrusted.Read(path, stepsDocument.Bytes)
	if err == nil {
		before, err = stepsDocument.Decode(data)
	}
	var bad *saved.Error
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case errors.As(err, &bad):
		return result.Usagef("%s holds no steps of a search (%w): move it away, or name another --out", path, err)
	case err != nil:
		return fmt.Errorf("read the steps of before: %w", err)
	}
	if before.sameSearch(now) && len(before.Steps) > 0 {
		t.Steps = before.Steps
		s.Log(fmt.Sprintf("going on with %s that an earlier search has measured: remove %s to measure them again", text.Count(len(t.Steps), "step"), path))
	}
	t.Done = func(steps []Step) error {
		now.Steps = steps
		return saved.ReplaceIn(s.Dir, StepsFile, func(w io.Writer) error { return stepsDocument.Encode(w, &now) })
	}
	return nil
}

// narrow follows the worst case from here on, and returns the commits that touch what it reads.
func (s *Bisect) narrow(ctx context.Context, ends Step) ([]string, error) {
	if ends.Case != "" {
		s.Options.Cases, s.follows = []string{ends.Case}, ends.Case
	}
	changes, err := s.Git.LineFiles(ctx, s.found.Good, s.found.Bad)
	if err != nil || s.All {
		return slices.Collect(maps.Keys(changes)), err
	}
	touches, err := s.touches(ctx)
	if err != nil {
		return nil, err
	}
	var touching []string
	for commit, files := range changes {
		if touches(s.fromConfig(files)) {
			touching = append(touching, commit)
		}
	}
	s.Log(fmt.Sprintf("%s: %d of %d touch what it is made of", ends.Case, len(touching), s.found.Line))
	return touching, nil
}

// touches says which changed files matter.
func (s *Bisect) touches(ctx context.Context) (func(files []string) bool, error) {
	reads, known, err := run.Reads(ctx, s.Options)
	switch {
	case err != nil:
		return nil, err
	case known:
		s.found.Narrowing = ByReads
		return func(files []string) bool {
			return slices.ContainsFunc(files, func(file string) bool { // one of those read, or a folder around one: git names a submodule by its folder
				return slices.ContainsFunc(reads, func(read string) bool { return read == file || strings.HasPrefix(read, file+"/") })
			})
		}, nil
	}
	s.found.Narrowing = ByWatch
	cfg := s.Options.Trusted.Config
	return func(files []string) bool { return plan.Expects(cfg, files) }, nil
}

// fromConfig names files of the repository from the configuration's folder.
func (s *Bisect) fromConfig(files []string) []string {
	out := make([]string, len(files))
	for i, file := range files {
		rel, err := filepath.Rel(s.Options.Trusted.Dir, filepath.FromSlash(file))
		if err != nil {
			rel = file
		}
		out[i] = path.Clean(filepath.ToSlash(rel))
	}
	return out
}

// hints are the places at which records of this machine have the case slower, the largest change first. Without records there are none.
func (s *Bisect) hints(ctx context.Context, ends Step) []Hint {
	stored := s.Options.Stored
	if stored == nil || stored.Store == nil {
		return nil
	}
	ancestors, err := stored.Ancestors(ctx, s.found.Bad)
	if err != nil {
		return nil
	}
	found, err := baseline.Lookup(ctx, stored.Store, s.found.Machine, ancestors, len(ancestors))
	if err != nil {
		s.found.Notes = append(s.found.Notes, "records could not be read, so there were no hints: "+err.Error())
		return nil
	}
	var out []Hint
	for _, c := range history.Of(s.found.Machine, found, nil).Slowdowns(ends.Case) {
		out = append(out, Hint{After: c.After.ID, At: c.At.ID})
	}
	return out
}

// measure runs the gate on one step, in private folders of its own.
func (s *Bisect) measure(ctx context.Context, ask Measurement) (Step, error) {
	began := time.Now()
	s.steps++
	s.Log(fmt.Sprintf("step %d: %.12s compared with %.12s", s.steps, ask.Head, ask.Base))
	opt, err := s.options(ctx, ask)
	if err != nil {
		return Step{}, err
	}
	defer os.RemoveAll(opt.Scratch)
	defer os.RemoveAll(filepath.Join(s.Options.Scratch, run.LaidOut))
	res, err := s.Measure(ctx, opt)
	if err != nil {
		return Step{}, err
	}
	step := stepOf(res, s.follows)
	step.Seconds = math.Round(time.Since(began).Seconds())
	return step, nil
}

// options are those of one step: two revisions under BAD's rules. Records have no say: each step is measured.
func (s *Bisect) options(ctx context.Context, ask Measurement) (run.Options, error) {
	opt := s.Options
	opt.Scratch = filepath.Join(s.Options.Scratch, fmt.Sprintf("step%d", s.steps))
	if err := os.MkdirAll(opt.Scratch, 0o755); err != nil {
		return opt, fmt.Errorf("make a folder for a step: %w", err)
	}
	layOut := s.Options.Stored.LayOut
	opt.Stored, opt.ChangesKnown, opt.ChangedFiles = nil, false, nil
	cfg := *s.Options.Trusted.Config
	if ask.Threshold != cfg.Gate.Tolerance { // a threshold of the search is for all cases; the two ends are asked as the gate would
		cfg.Gate.Tolerance, cfg.Tolerances, cfg.Waivers, cfg.Goals = ask.Threshold, nil, nil, nil
	}
	cfg.Gate.Budget *= time.Duration(ask.Patience)
	opt.Trusted.Config, opt.MayDrop = &cfg, true
	opt.Profile = run.Profile{Policy: result.ProfileNever}
	for commit, side := range map[string]*run.Side{ask.Base: &opt.Base, ask.Head: &opt.Head} {
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

// stepOf reads a run: kinds and verdicts, never words. The worst case speaks for all, where none is followed.
func stepOf(res *result.Result, follows string) Step {
	for _, f := range res.Conclusion.Findings {
		if (f.Kind == result.FindingBuild || f.Kind == result.FindingKernelRemoved) && f.Side != result.SideHead {
			return Step{Answer: StepSkipped, OfBase: true, Findings: []result.Finding{f}}
		}
	}
	step := Step{Answer: StepSkipped}
	worst := math.Inf(-1)
	for _, c := range res.Cases {
		if follows != "" && c.Name != follows { // its name means others as well, as a pattern
			continue
		}
		a := stepAnswerOf(c)
		if a == StepSkipped && c.ErrorSide == result.SideBase {
			return Step{Answer: StepSkipped, OfBase: true, Findings: against(res, c.Name)}
		}
		badness := float64(slices.Index([]StepAnswer{StepGood, StepInconclusive, StepSkipped, StepBad}, a)) * 1e3
		if c.Compared() != nil {
			badness += c.Compared().Theta
		}
		if badness <= worst {
			continue
		}
		worst = badness
		step = Step{Answer: a, Case: c.Name}
		if q := c.Compared(); q != nil {
			step.Ratio, step.Low, step.High, step.Rounds = q.Ratio, q.RatioLow, q.RatioHigh, q.Rounds
		}
	}
	if step.Answer == StepSkipped {
		step.Findings = against(res, step.Case)
	}
	return step
}

// against are the findings that keep a run from passing: those of a case, or all where it has none.
func against(res *result.Result, name string) []result.Finding {
	all := res.Conclusion.Against()
	of := slices.DeleteFunc(slices.Clone(all), func(f result.Finding) bool { return name == "" || f.Case != name })
	if len(of) == 0 {
		return all
	}
	return of
}

func stepAnswerOf(c result.Case) StepAnswer {
	switch c.Verdict {
	case result.Regression:
		return StepBad
	case result.Same, result.Slower, result.Faster, result.Improvement:
		return StepGood
	case result.Inconclusive, result.Undecided:
		return StepInconclusive
	}
	return StepSkipped
}
