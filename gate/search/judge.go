package search

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/run"
	"github.com/org/perfgate/kernels/checkout"
)

// Judge is one candidate that is to be judged.
type Judge struct {
	Run       request.Run // base, its configuration, and what is measured; the sandbox that a candidate runs in
	Candidate string      // a folder, a file with a patch, or a revision; "" with Resume
	Ledger    string      // the folder of the search
	MinGain   string      // "" is the configuration's tolerance
	Recheck   bool        // although the ledger has an answer
	Resume    bool        // the candidate whose judging was interrupted
	Profile   run.Profile
	Tool      string // version of this program

	// What the caller does for it: the options of base against a candidate in private folders below scratch, the start of the command line that
	// replays a case of two sides, the run of the gate, and a line of progress.
	Options func(ctx context.Context, r request.Run, scratch string) (run.Options, error)
	Replay  func(request.Run) string
	Measure func(context.Context, run.Options) (*result.Result, error)
	Log     func(string)
}

// judging is a call under way.
type judging struct {
	Judge
	scratch string
	ledger  *Ledger
	opt     run.Options // of base against the candidate
	base    snapshot
	head    snapshot
	isPatch bool    // of base
	best    *Answer // nil: base is
	answer  Answer
	runs    int
}

// Answer judges the candidate, or says what the ledger knows of it. Private files are in scratch.
func (c Judge) Answer(ctx context.Context, scratch string) (*Answer, error) {
	l, err := LoadLedger(c.Ledger)
	if err != nil {
		return nil, err
	}
	j := &judging{Judge: c, scratch: scratch, ledger: l}
	if err := j.prepare(ctx); err != nil {
		return nil, err
	}
	if a := j.known(); a != nil {
		return a, nil
	}
	return j.call(ctx)
}

// known is what the ledger says of the candidate's content; nil where that is not asked for, and where it was judged without the sandbox that
// this call insists on.
func (j *judging) known() *Answer {
	a := j.ledger.Answer(j.ledger.Find(j.head.hash).Number)
	if a == nil || j.Recheck || !a.Sandboxed && j.Run.Sandbox == result.SandboxOn {
		return nil
	}
	a.Ledger = j.ledger.Summary()
	a.Ledger.Known = true
	return a
}

// prepare takes snapshots of both sides and finds the policy by which they are judged.
func (j *judging) prepare(ctx context.Context) error {
	if err := j.takeSnapshots(ctx); err != nil {
		return err
	}
	if err := checkLinks(j.base.folder, j.head.folder); err != nil {
		return err
	}
	f := j.Run
	if f.Config = cmp.Or(f.Config, config.DefaultFile); !filepath.IsLocal(f.Config) {
		return result.Usagef("--config %s: it is named by its path within base", f.Config)
	}
	if _, err := os.Stat(filepath.Join(j.base.folder, f.Config)); err != nil {
		return result.Usagef("%s has no configuration %s: its rules judge every candidate, so a search begins with one that has it", j.base.label, f.Config)
	}
	if err := j.checkShared(); err != nil {
		return err
	}
	f.Base, f.Head = j.base.folder, j.head.folder
	opt, err := j.Options(ctx, f, j.scratch)
	if err != nil {
		return err
	}
	opt.Base.Info.Label, opt.Head.Info.Label = j.base.label, j.head.label
	opt.Base.TreeID = "files " + j.base.hash // what is built of base is built once for the whole search
	opt.Stored, opt.ChangesKnown, opt.ChangedFiles = nil, false, nil
	head := j.head.label
	if j.isPatch { // what a person makes of it to run the command again
		head = fmt.Sprintf("%s with %s applied", j.Run.Base, head)
	}
	f.Base, f.Head = j.Run.Base, head
	opt.Parity.Command = j.Replay(f)
	if j.opt, err = j.rules(opt); err != nil {
		return err
	}
	return j.open(ctx)
}

// rules are base's, without what a search has no use for, and without what lets a candidate hold its own clock.
func (j *judging) rules(opt run.Options) (run.Options, error) {
	cfg := *opt.Trusted.Config
	cfg.Kernels = slices.Clone(cfg.Kernels)
	for i := range cfg.Kernels {
		k := &cfg.Kernels[i]
		k.Competitors = nil
		if k.IsSelfTimed() && j.Run.Sandbox == result.SandboxOn {
			return opt, result.Usagef("kernel %s is a benchmark: its program holds the clock, so a candidate could say what it likes. "+
				"Write an adapter, or give --sandbox auto if the candidates are your own", k.Name)
		}
	}
	opt.Trusted.Config = &cfg
	return opt, nil
}

// open begins the ledger, or goes on with it.
func (j *judging) open(ctx context.Context) error {
	cfg := j.opt.Trusted.Config
	machine, err := run.MachineKey(ctx, cfg, j.Run.GPU)
	if err != nil {
		return err
	}
	gain := cfg.Gate.Tolerance
	if j.MinGain != "" {
		if gain, err = config.ParseTolerance(j.MinGain); err != nil {
			return result.Usagef("--min-gain: %w", err)
		}
	}
	if err := j.ledger.Open(Opening{
		Schema: LedgerSchema, Tool: j.Tool, Started: time.Now().UTC().Truncate(time.Second), Base: j.base.hash, BaseLabel: j.Run.Base,
		Config: cfg.SHA256, Machine: machine, Kernels: j.Run.Kernels, Cases: j.Run.Cases, Confidence: cfg.Gate.Confidence, Gain: gain,
	}); err != nil {
		return err
	}
	j.setBest()
	return nil
}

// call judges a candidate and enters the answer.
func (j *judging) call(ctx context.Context) (*Answer, error) {
	began := time.Now()
	if err := j.ledger.Keep(ctx, j.head.hash, j.head.folder); err != nil {
		return nil, err
	}
	c, err := j.ledger.Begin(j.head.hash, j.head.label)
	if err != nil {
		return nil, err
	}
	j.answer = Answer{Schema: AnswerSchema, Tool: j.Tool, Candidate: c}
	j.setBest()
	if err := j.settle(ctx, c); err != nil {
		return nil, err
	}
	if err := j.enter(&j.answer, began); err != nil {
		return nil, err
	}
	j.answer.Ledger = j.ledger.Summary()
	return &j.answer, nil
}

// enter finishes an answer, and puts it into the ledger.
func (j *judging) enter(a *Answer, began time.Time) error {
	a.Judged, a.Seconds = time.Now().UTC().Truncate(time.Second), time.Since(began).Seconds()
	return j.ledger.Close(*a)
}

// settle takes the candidate through its runs: a screening beside the best so far, and for one that looks better a confirmation beside the best
// and beside base.
func (j *judging) settle(ctx context.Context, c Candidate) error {
	open := j.ledger.Opening()
	j.Log(fmt.Sprintf("candidate %d: screening", c.Number))
	if err := j.besideBest(ctx, rule.Screening(open.Confidence, open.Gain)); err != nil || j.answer.Verdict != Better {
		return err
	}
	claim, err := j.ledger.Ask(c)
	if err != nil {
		return err
	}
	j.answer.Claim = &claim
	course := rule.Confirmation(claim.Alpha, open.Confidence, open.Gain)
	j.Log(fmt.Sprintf("candidate %d: seems better; request %d, in separate rounds", c.Number, claim.Request))
	if err := j.besideBest(ctx, course); err != nil || j.answer.Verdict != Better {
		return err
	}
	if j.best == nil {
		j.answer.RatioOfBase = j.answer.Ratio
		return nil
	}
	return j.besideBase(ctx, course)
}

// besideBest measures the candidate beside the best so far. A best that fails there is judged again, beside base. Where it fails as well it is the
// best no longer, and the candidate is measured beside the one before it; else again beside the same.
func (j *judging) besideBest(ctx context.Context, course rule.Course) error {
	for failed := 0; ; {
		best, err := j.bestSide(ctx)
		if err != nil {
			return err
		}
		err = j.beside(ctx, best, course)
		if j.best == nil || !BlamesOther(err) {
			return err
		}
		if failed++; failed > 1 {
			return fmt.Errorf("%w. The best so far, candidate %d, fails at times alongside this one and did not alongside base: ask again", err, j.best.Candidate.Number)
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

// strikeBest judges the best so far beside base. One that is wrong, cheating or broken there gets this as its last answer, so that the best before
// it takes its place.
func (j *judging) strikeBest(ctx context.Context, best run.Side) (struck bool, err error) {
	began, open := time.Now(), j.ledger.Opening()
	a := Answer{Schema: AnswerSchema, Tool: j.Tool, Candidate: j.best.Candidate}
	j.Log(fmt.Sprintf("candidate %d, the best so far, has failed: it is judged again", a.Candidate.Number))
	opt := j.opt
	opt.Head = best
	out, res, err := j.measure(ctx, opt, rule.Screening(open.Confidence, open.Gain))
	if err != nil || len(out.Faults) == 0 {
		return false, err
	}
	a.Take(out, res)
	if err := j.enter(&a, began); err != nil {
		return false, err
	}
	j.answer.Notes = append(j.answer.Notes, fmt.Sprintf(
		"candidate %d was the best so far, and failed alongside this one and then alongside base (%s): it is the best no longer", a.Candidate.Number, a.Verdict))
	j.setBest()
	return true, nil
}

// setBest takes from the ledger which candidate is the best.
func (j *judging) setBest() {
	j.best, j.answer.Against = j.ledger.Best(), BaseCandidate
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
	if len(j.answer.Faults) == 0 && j.answer.Verdict == Same {
		j.answer.Verdict = Inconclusive // faster than the best, and not than base: what came of the best is in doubt
	}
	return nil
}

// bestSide lays out the best candidate so far.
func (j *judging) bestSide(ctx context.Context) (run.Side, error) {
	if j.best == nil {
		return j.opt.Base, nil
	}
	folder := filepath.Join(j.scratch, fmt.Sprintf("best%d", j.best.Candidate.Number))
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		if err := j.ledger.LayOut(ctx, j.best.Candidate.Hash, j.base.folder, folder); err != nil {
			return run.Side{}, err
		}
	}
	return run.NewSide(repo.Side{Root: folder, Info: result.Version{Kind: result.KindDirectory, Label: j.best.Candidate.Label}}, j.opt.Trusted.Dir, nil), nil
}

// beside measures the candidate beside another, and takes what comes of it into the answer.
func (j *judging) beside(ctx context.Context, other run.Side, course rule.Course) error {
	opt := j.opt
	opt.Profile = j.Profile
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
	j.answer.Take(out, res)
	return nil
}

// measure runs a course, with a fresh seed and in private folders of its own.
func (j *judging) measure(ctx context.Context, opt run.Options, course rule.Course) (Outcome, *result.Result, error) {
	j.runs++
	opt.Seed, opt.Rounds.Course = request.RandomSeed(), &course
	opt.Scratch = filepath.Join(j.scratch, fmt.Sprintf("run%d", j.runs))
	opt.Profile.Dir = filepath.Join(opt.Scratch, "profiles")
	if err := os.MkdirAll(opt.Scratch, 0o755); err != nil {
		return Outcome{}, nil, fmt.Errorf("make a folder for a run: %w", err)
	}
	defer os.RemoveAll(opt.Scratch)
	res, err := j.Measure(ctx, opt)
	if err != nil {
		return Outcome{}, nil, err
	}
	out, err := Decide(res, course)
	return out, res, err
}

// LockLedger waits for other calls of the same search: each has to know the best so far, and what was spent. waiting is told who holds it.
func LockLedger(ctx context.Context, dir string, waiting func(holder string)) (unlock func(), err error) {
	path, err := checkout.RealPath(dir)
	if err != nil {
		return nil, fmt.Errorf("find the ledger: %w", err)
	}
	name := sha256.Sum256([]byte(path))
	lock, err := machine.Acquire(ctx, fmt.Sprintf("ledger-%x", name[:8]), machine.Alone, waiting)
	if err != nil {
		return nil, err
	}
	return lock.Release, nil
}
