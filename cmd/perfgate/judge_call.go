package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/judge"
	"github.com/org/perfgate/gate/pipeline"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// judging is one call of judge.
type judging struct {
	flags   judgeFlags
	scratch string
	ledger  *judge.Ledger
	opt     pipeline.Options // of base against the candidate
	base    frozen
	head    frozen
	isPatch bool          // of base
	best    *judge.Answer // nil: base is
	answer  judge.Answer
	last    *result.Result // of the run that settled the answer
	runs    int
	run     func(context.Context, pipeline.Options) (*result.Result, error) // pipeline.Run
	log     func(string)
}

// judged is the answer to one call.
func (s *streams) judged(ctx context.Context, f judgeFlags) (*judge.Answer, error) {
	l, err := judge.Load(f.ledger)
	if err != nil {
		return nil, err
	}
	scratch, err := newScratch()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	shown := s.progress()
	defer shown.done()
	j := &judging{flags: f, scratch: scratch, ledger: l, run: pipeline.Run, log: shown.say}
	if err := j.prepare(ctx); err != nil {
		return nil, err
	}
	shown.follow(&j.opt)
	if a := j.known(); a != nil {
		return a, nil
	}
	return j.call(ctx)
}

// known is what the ledger says of the candidate's content; nil where that is not asked for, and where it was judged without the sandbox that
// this call insists on.
func (j *judging) known() *judge.Answer {
	a := j.ledger.Answer(j.ledger.Find(j.head.hash).Number)
	if a == nil || j.flags.recheck || !a.Sandboxed && j.flags.Sandbox == result.SandboxOn {
		return nil
	}
	a.Ledger = j.ledger.Summary()
	a.Ledger.Known = true
	return a
}

// prepare freezes both sides and settles by what rules they are judged.
func (j *judging) prepare(ctx context.Context) error {
	if err := j.freeze(ctx); err != nil {
		return err
	}
	if err := judge.CheckLinks(j.base.folder, j.head.folder); err != nil {
		return err
	}
	f := j.flags.runFlags
	if f.Config = cmp.Or(f.Config, config.DefaultFile); !filepath.IsLocal(f.Config) {
		return result.Usagef("--config %s: it is named by its path within base", f.Config)
	}
	if _, err := os.Stat(filepath.Join(j.base.folder, f.Config)); err != nil {
		return result.Usagef("%s has no configuration %s: its rules judge every candidate, so a search begins with one that has it", j.base.label, f.Config)
	}
	f.Base, f.Head = j.base.folder, j.head.folder
	opt, err := f.options(ctx, j.scratch)
	if err != nil {
		return err
	}
	opt.Base.Info.Label, opt.Head.Info.Label = j.base.label, j.head.label
	opt.Base.TreeID = "files " + j.base.hash // what is built of base is built once for the whole search
	opt.Stored, opt.ChangesKnown, opt.ChangedFiles = nil, false, nil
	f.Base, f.Head = j.flags.Base, j.head.label
	if j.isPatch { // what a person makes of it to run the command again
		f.Head = fmt.Sprintf("%s with %s applied", f.Base, j.head.label)
	}
	opt.ParityCmd = f.replayLine()
	if j.opt, err = j.rules(opt); err != nil {
		return err
	}
	return j.open()
}

// rules are base's, without what a search has no use for, and without what lets a candidate hold its own clock.
func (j *judging) rules(opt pipeline.Options) (pipeline.Options, error) {
	cfg := *opt.Trusted.Config
	cfg.Kernels = slices.Clone(cfg.Kernels)
	for i := range cfg.Kernels {
		k := &cfg.Kernels[i]
		k.Competitors = nil
		if k.Bench != nil && j.flags.Sandbox == result.SandboxOn {
			return opt, result.Usagef("kernel %s is a benchmark: its program holds the clock, so a candidate could say what it likes. Write an adapter, or give --sandbox auto if the candidates are your own", k.Name)
		}
	}
	opt.Trusted.Config = &cfg
	return opt, nil
}

// open begins the ledger, or goes on with it.
func (j *judging) open() error {
	cfg := j.opt.Trusted.Config
	machine, err := pipeline.MachineKey(cfg, j.flags.GPU)
	if err != nil {
		return err
	}
	gain := cfg.Gate.Tolerance
	if j.flags.minGain != "" {
		if gain, err = config.ParseTolerance(j.flags.minGain); err != nil {
			return result.Usagef("--min-gain: %w", err)
		}
	}
	if err := j.ledger.Open(judge.Opening{
		Schema: judge.LedgerSchema, Tool: versionText(), Started: time.Now().UTC().Truncate(time.Second), Base: j.base.hash, BaseLabel: j.flags.Base,
		Config: cfg.SHA256, Machine: machine, Kernels: j.flags.Kernels, Cases: j.flags.Cases, Confidence: cfg.Gate.Confidence, Gain: gain,
	}); err != nil {
		return err
	}
	j.setBest()
	return nil
}

// call judges a candidate and enters the answer.
func (j *judging) call(ctx context.Context) (*judge.Answer, error) {
	began := time.Now()
	if err := j.ledger.Keep(ctx, j.head.hash, j.head.folder); err != nil {
		return nil, err
	}
	c, err := j.ledger.Begin(j.head.hash, j.head.label)
	if err != nil {
		return nil, err
	}
	j.answer = judge.Answer{Schema: judge.Schema, Tool: versionText(), Candidate: c}
	j.setBest()
	if err := j.settle(ctx, c); err != nil {
		return nil, err
	}
	if err := j.enter(&j.answer, j.last, began); err != nil {
		return nil, err
	}
	j.answer.Ledger = j.ledger.Summary()
	return &j.answer, nil
}

// enter finishes an answer by the run that settled it, and puts it into the ledger.
func (j *judging) enter(a *judge.Answer, res *result.Result, began time.Time) error {
	a.Judged, a.Seconds = time.Now().UTC().Truncate(time.Second), time.Since(began).Seconds()
	a.Says = report.JudgeSays(a, res)
	return j.ledger.Close(*a)
}

// settle takes the candidate through its runs: a screening beside the best so far, and for one that looks better a confirmation beside the best
// and beside base.
func (j *judging) settle(ctx context.Context, c judge.Candidate) error {
	open := j.ledger.Opening()
	j.log(fmt.Sprintf("candidate %d: screening", c.Number))
	if err := j.besideBest(ctx, rule.Screening(open.Confidence, open.Gain)); err != nil || j.answer.Verdict != judge.Better {
		return err
	}
	claim, err := j.ledger.Ask(c)
	if err != nil {
		return err
	}
	j.answer.Claim = &claim
	course := rule.Confirmation(claim.Alpha, open.Confidence, open.Gain)
	j.log(fmt.Sprintf("candidate %d: looks better; request %d, in rounds of its own", c.Number, claim.Request))
	if err := j.besideBest(ctx, course); err != nil || j.answer.Verdict != judge.Better {
		return err
	}
	if j.best == nil {
		j.answer.RatioOfBase = j.answer.Ratio
		return nil
	}
	return j.besideBase(ctx, course)
}

// besideBest measures the candidate beside the best so far. A best that fails there is judged again, beside base. Where it fails as well it is the
// best no longer, and the candidate is measured beside the one before it; else once more beside the same.
func (j *judging) besideBest(ctx context.Context, course rule.Course) error {
	for failed := 0; ; {
		best, err := j.bestSide(ctx)
		if err != nil {
			return err
		}
		err = j.beside(ctx, best, course)
		if j.best == nil || !judge.BlamesOther(err) {
			return err
		}
		if failed++; failed > 1 {
			return fmt.Errorf("%w. The best so far, candidate %d, fails beside this one at times and did not beside base: ask again", err, j.best.Candidate.Number)
		}
		struck, againErr := j.strikeBest(ctx, best)
		if againErr != nil {
			return againErr
		}
		if struck {
			failed = 0
		}
	}
}

// strikeBest judges the best so far beside base. One that is wrong, cheats or is broken there gets this as its last answer, so that the best before
// it takes its place.
func (j *judging) strikeBest(ctx context.Context, best pipeline.Side) (struck bool, err error) {
	began, open := time.Now(), j.ledger.Opening()
	a := judge.Answer{Schema: judge.Schema, Tool: versionText(), Candidate: j.best.Candidate}
	j.log(fmt.Sprintf("candidate %d, the best so far, has failed: it is judged again", a.Candidate.Number))
	opt := j.opt
	opt.Head = best
	out, res, err := j.measure(ctx, opt, rule.Screening(open.Confidence, open.Gain))
	if err != nil || len(out.Faults) == 0 {
		return false, err
	}
	a.Take(out, res)
	if err := j.enter(&a, res, began); err != nil {
		return false, err
	}
	j.answer.Notes = append(j.answer.Notes, fmt.Sprintf("candidate %d was the best so far, and failed beside this one and then beside base (%s): it is the best no longer", a.Candidate.Number, a.Verdict))
	j.setBest()
	return true, nil
}

// setBest takes from the ledger which candidate is the best.
func (j *judging) setBest() {
	j.best, j.answer.Against = j.ledger.Best(), judge.Base
	if j.best != nil {
		j.answer.Against = j.best.Candidate.Number
	}
}

// besideBase confirms a new best beside base. The answer keeps what it was beside the best before it.
func (j *judging) besideBase(ctx context.Context, course rule.Course) error {
	before := j.answer
	if err := j.beside(ctx, j.opt.Base, course); err != nil {
		return err
	}
	j.answer.RatioOfBase = j.answer.Ratio
	j.answer.Ratio, j.answer.Cases, j.answer.SmallestEffect = before.Ratio, before.Cases, before.SmallestEffect
	if len(j.answer.Faults) == 0 && j.answer.Verdict == judge.Same {
		j.answer.Verdict = judge.Unsure // faster than the best, and not than base: what came of the best is in doubt
	}
	return nil
}

// bestSide lays out the best candidate so far.
func (j *judging) bestSide(ctx context.Context) (pipeline.Side, error) {
	if j.best == nil {
		return j.opt.Base, nil
	}
	folder := filepath.Join(j.scratch, fmt.Sprintf("best%d", j.best.Candidate.Number))
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		if err := j.ledger.LayOut(ctx, j.best.Candidate.Hash, j.base.folder, folder); err != nil {
			return pipeline.Side{}, err
		}
	}
	return pipeline.NewSide(repo.Side{Root: folder, Info: result.Version{Kind: result.KindDirectory, Label: j.best.Candidate.Label}}, j.opt.Trusted.Dir, nil), nil
}

// beside measures the candidate beside another, and takes what comes of it into the answer.
func (j *judging) beside(ctx context.Context, other pipeline.Side, course rule.Course) error {
	opt := j.opt
	opt.Profile = pipeline.Profile{Policy: j.flags.profile, Limit: j.flags.profileBudget}
	if j.best != nil && other.Tree == j.opt.Base.Tree {
		opt.Profile.Policy = result.ProfileNever // of the rounds beside base an answer takes a ratio alone
	}
	if other.Tree != opt.Base.Tree {
		opt.Base, opt.Referee = other, opt.Base
	}
	out, res, err := j.measure(ctx, opt, course)
	if err != nil {
		return err
	}
	j.last = res
	j.answer.Take(out, res)
	return nil
}

// measure runs a course, with a fresh seed and in private folders of its own.
func (j *judging) measure(ctx context.Context, opt pipeline.Options, course rule.Course) (judge.Outcome, *result.Result, error) {
	j.runs++
	opt.Seed, opt.Course = request.RandomSeed(), &course
	opt.Scratch = filepath.Join(j.scratch, fmt.Sprintf("run%d", j.runs))
	opt.Profile.Dir = filepath.Join(opt.Scratch, profilesName)
	if err := os.MkdirAll(opt.Scratch, 0o755); err != nil {
		return judge.Outcome{}, nil, fmt.Errorf("make a folder for a run: %w", err)
	}
	defer os.RemoveAll(opt.Scratch)
	res, err := j.run(ctx, opt)
	if err != nil {
		return judge.Outcome{}, nil, err
	}
	out, err := judge.Decide(res, course)
	var why *judge.Unmeasured
	if errors.As(err, &why) {
		err = fmt.Errorf("%w: %s", why, report.Sentence(why.Finding))
	}
	return out, res, err
}
