// Package parity checks that head still computes the right thing: many small cases with inputs of many kinds, each
// compared with an oracle, before anything is timed.
//
//	fuzz cases -> outputs of head -> compared with the reference, or with base
//	a failure -> a smaller case that fails too -> the finding, with its seed
//	Judge: base's library as an output checker, in a process that head's was never loaded in; timed launches are checked by it as well
package parity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// Subject is a kernel to be checked.
type Subject struct {
	Kernel     string
	Head, Base string // libraries; Base is "" where there is none
	Cases      []plan.FuzzCase
	// Judge is a library that says what head's outputs should be, in a process that head's was never loaded in; head's launches
	// and no more. "" lets head's library judge itself. Where it is another than Head's, it is base's.
	Judge      string
	Tolerances Tolerances
	// Competitor: head is another implementation of the judge's tensors. Names, dimensions, tolerances and scratch are its own.
	Competitor bool
	// Replay: Cases were asked for by name, each with every kind of input. They are left as they are, and the corpus unread.
	Replay bool
}

// Options say how to check.
type Options struct {
	Start    StartLibrary
	Scratch  string                // private folder, for base's outputs
	Seed     string                // of the run: replays any of its cases alone
	Repro    string                // command line that failing cases are appended to
	Progress func(done, total int) // may be nil
	Limit    time.Duration         // of all cases; 0 means 2 minutes
	// CaseLimit ends a case that hangs; 0 means 30 seconds. Cases are small: even a float64 reference on one core takes
	// seconds at most. With Wishes.Until one may take what is left of that, for those that are not.
	CaseLimit time.Duration
	NoShrink  bool // report a failing case as it was found
	Wishes    Wishes
}

// Oracles: what outputs are compared with. A result names the first three, a kernels.JudgeCommand the reference and the others.
const (
	OracleReference = "reference" // the adapter's pg_reference, in float64
	OracleBase      = "base"      // what base computes from the same inputs
	OracleRelations = "relations" // what the kernel itself computes from inputs that are changed in a declared way
	OracleLaunch    = "launch"    // what the judge's own launch computes
	OracleFile      = "file"      // outputs that were written before
	OracleRelation  = "relation"  // the first of two launches, on inputs that are changed in a declared way
)

const (
	defaultLimit     = 2 * time.Minute
	defaultCaseLimit = 30 * time.Second
	shrinkLimit      = 15 * time.Second
)

// check is one Run.
type check struct {
	subject    Subject
	opt        Options
	out        result.Parity
	head, base kernels.Process
	judge      *Judge // nil where head's library judges itself
	yard       yardstick
	variation  variation
	lean       lean
	specOf     string // the case that lastSpec is of
	lastSpec   kernels.SpecReply
	toldIn     time.Duration        // the longest that head took for a specification
	whole      map[string]bool      // kinds of inputs of which a case was held against the whole bound
	baseGone   bool                 // base cannot be asked any more
	cutOff     bool                 // planned cases were not checked, for want of time
	little     *kernels.RunnerError // of a small case: memory ran out, and there is no base to ask
	refusal    *kernels.RunnerError // the first of a case
	printed    string               // what the processes said, once they are closed
	deadline   time.Time            // of all cases
}

// Run checks the cases of a subject in order until one fails or the time is up, and then shrinks what failed. What head does
// wrong is in the result; the error is ours, the machine's or the context's.
func Run(ctx context.Context, s Subject, opt Options) (result.Parity, error) {
	c := newCheck(s, opt)
	c.opt.Limit = cmp.Or(opt.Wishes.Until, opt.Limit, defaultLimit)
	c.opt.CaseLimit = cmp.Or(opt.CaseLimit, defaultCaseLimit)
	c.out = result.Parity{Planned: len(s.Cases), Seed: opt.Seed}
	start := time.Now()
	err := c.run(ctx)
	c.close()
	c.out.Seconds = time.Since(start).Seconds()
	return c.out, err
}

func newCheck(s Subject, opt Options) *check {
	return &check{
		subject: s, opt: opt, whole: map[string]bool{}, lean: lean{},
		yard: yardstick{byKind: map[string]*measured{}, unasked: map[result.Code]int{}}, variation: variation{told: map[string]bool{}},
	}
}

// close ends all processes, and keeps what the one that says what cases are has printed.
func (c *check) close() {
	if c.head != nil {
		c.head.Close()
		c.printed = c.head.Printed()
	}
	if c.base != nil {
		c.base.Close()
	}
	if c.judge != nil {
		c.judge.Close()
		c.printed = cmp.Or(c.judge.Printed(), c.printed)
	}
	c.head, c.base, c.judge = nil, nil, nil
}

func (c *check) run(ctx context.Context) error {
	if len(c.subject.Cases) == 0 {
		c.skip("the plan has no case")
		return nil
	}
	remembered, err := c.remembered()
	if err != nil {
		return err
	}
	if err := c.start(ctx); err != nil || c.out.Status != "" {
		return err
	}
	c.out.Planned += len(remembered)
	c.deadline = time.Now().Add(c.opt.Limit)
	if err := c.all(ctx, append(remembered, c.subject.Cases...), true); err != nil {
		return err
	}
	for round := uint64(1); c.opt.Wishes.Until > 0 && c.out.Status == "" && time.Now().Before(c.deadline); round++ {
		more := c.draw(round)
		c.out.Planned += len(more)
		if err := c.all(ctx, more, false); err != nil || len(more) == 0 {
			return err
		}
	}
	return c.conclude(ctx)
}

// all checks cases until one fails, or until the deadline. Planned cases that it cut off are said.
func (c *check) all(ctx context.Context, cases []plan.FuzzCase, planned bool) error {
	for i, fuzz := range cases {
		if time.Now().After(c.deadline) {
			if planned {
				c.cutOff = true
				c.out.Reason = result.Message(fmt.Sprintf("the time limit of %s ended it after %d of %d cases", c.opt.Limit, i, len(cases)))
			} else {
				c.out.Planned -= len(cases) - i // what until draws ahead was never promised
			}
			return nil
		}
		if err := c.checkCase(ctx, fuzz); err != nil || c.out.Status != "" {
			return err
		}
		if c.opt.Progress != nil {
			c.opt.Progress(c.out.Run+c.out.Refused, c.out.Planned)
		}
	}
	return nil
}

// draw makes another list of cases, with another seed, for a check that goes on until its time is up. Cases that were asked for are
// repeated with fresh inputs.
func (c *check) draw(round uint64) []plan.FuzzCase {
	first := c.subject.Cases[0]
	fresh := func(f plan.FuzzCase) uint64 { return plan.InputSeed(f.Origin+round, f.Case, "another round") }
	switch from := first.From(); {
	case from == nil:
		return nil
	case c.subject.Replay:
		distinct := slices.CompactFunc(slices.Clone(c.subject.Cases), func(a, b plan.FuzzCase) bool { return a.Case.Name() == b.Case.Name() })
		var out []plan.FuzzCase
		for _, f := range distinct {
			out = append(out, plan.Replay(f.Case, fresh(f))...)
		}
		return out
	default:
		return plan.Fuzz(*from, fresh(first), len(c.subject.Cases))
	}
}

func (c *check) skip(reason string) {
	c.out.Status, c.out.Reason = result.ParitySkipped, result.Message(reason)
}

func (c *check) conclude(ctx context.Context) error {
	if c.out.Status != "" {
		return nil
	}
	var s survey
	if c.out.Run > 0 && !c.variation.varied && c.hasReference() {
		var err error
		if s, err = c.surveyReference(ctx); err != nil {
			return err
		}
	}
	switch {
	case s.fault != nil && !s.drawn:
		return c.failed(ctx, s.fault.fuzz, s.fault.code, s.fault.message, reply{})
	case s.constant:
		c.rejectReference()
	case c.leftOut():
	case c.out.Run > 0 && c.out.Elements == 0:
		c.skip("no element of an output was compared in any case: all were empty, pg_written says that nothing is written, or no declared relation could be tried")
	case c.out.Run > 0:
		c.out.Status = result.ParityPassed
		if c.yard.asked == 0 && (c.baseGone || len(c.yard.unasked) > 0) {
			c.out.Oracle = OracleReference // base was there, and never answered
		}
		if s.fault != nil {
			c.warn(fmt.Sprintf("whether pg_reference depends on its inputs is unknown: in another case, %s, head failed: %s", s.fault.fuzz.Case.Name(), s.fault.message))
		}
		c.judgeYardstick()
		if err := c.judgeLean(ctx); err != nil {
			return err
		}
	case c.out.TooLarge > 0 && c.out.TooLarge == c.out.Refused:
		c.skip("every case needs more memory than this machine has left: measure smaller ones, and lower the max of fuzz")
	case c.out.Refused > 0:
		c.skip(c.refusedAll())
	default:
		c.skip("no case was run: " + result.MessageOf(c.out.Reason))
	}
	c.warnings()
	return nil
}

// refusedAll says why no case could be run. An adapter that fails refuses too, and says why on standard error, all of which is
// there once its process has ended.
func (c *check) refusedAll() string {
	if c.refusal.Code == result.CodeNoReference {
		return "the adapter has no oracle for any case: give it a pg_reference for them"
	}
	c.close()
	reason := *c.refusal
	if reason.Printed = c.printed; reason.Printed == "" {
		return "the adapter refused every case: " + reason.Message
	}
	return "the adapter refused every case: " + reason.Brief()
}

// start starts head's runner and finds the oracle: the adapter's reference, else base, else declared relations.
func (c *check) start(ctx context.Context) error {
	var err error
	if c.head, err = c.opt.Start(ctx, c.subject.Head); err != nil {
		return c.cannotLoad(ctx, err)
	}
	if err := c.openJudge(ctx); err != nil || c.out.Status != "" {
		return err
	}
	switch {
	case c.hasReference():
		c.out.Oracle = OracleReference
		if c.compared() {
			c.out.Oracle = OracleReference + " and " + OracleBase
		}
	case c.subject.Base != "" || c.isJudged():
		c.out.Oracle = OracleBase
	case len(c.relations()) > 0:
		c.out.Oracle = OracleRelations
	default:
		c.skip("there is no oracle: the adapter has no reference (give it one), and there is no base to compare with")
	}
	return nil
}

// compared says whether base is another kernel than head, so that its errors say something.
func (c *check) compared() bool { return c.subject.Base != "" && c.subject.Base != c.subject.Head }

// cannotLoad records that head's library cannot even be loaded. If base's cannot either, it is not head's change.
func (c *check) cannotLoad(ctx context.Context, err error) error {
	var fault *kernels.RunnerError
	if !errors.As(err, &fault) {
		return err
	}
	c.out.Status, c.out.ErrorSide, c.out.Reason = result.ParityError, result.SideHead, result.Message(err.Error())
	if c.subject.Base == "" {
		return nil
	}
	var baseErr error
	if c.base, baseErr = c.opt.Start(ctx, c.subject.Base); errors.As(baseErr, &fault) {
		c.out.ErrorSide = result.SideBoth
		return nil
	}
	return baseErr
}

// checkCase checks one case. Status stays empty while all is well.
func (c *check) checkCase(ctx context.Context, fuzz plan.FuzzCase) error {
	began := time.Now()
	f, side, err := c.examine(ctx, fuzz, true)
	if err != nil {
		return c.fault(ctx, fuzz, err, side)
	}
	f.took = time.Since(began)
	c.out.Run++
	c.out.Elements += f.reply.Elements
	if f.code != "" {
		return c.failed(ctx, fuzz, f.code, f.message, f.reply)
	}
	c.learn(fuzz, f.reply)
	c.lean.add(fuzz, f.reply)
	if err := c.checkReference(ctx, fuzz); err != nil {
		return err
	}
	return c.measureBase(ctx, fuzz, f)
}

// learn adds what a passing case tells to the result.
func (c *check) learn(fuzz plan.FuzzCase, r reply) {
	if c.byWhole(r) {
		c.whole[fuzz.Values] = true
		c.out.MaxRatio = max(c.out.MaxRatio, float64(r.MaxRatio))
	}
	if !same(r) {
		c.out.Differing++
	}
	if c.out.ULP == nil && len(r.ULP) > 0 {
		c.out.ULP = make([]int64, len(r.ULP))
	}
	for i, n := range r.ULP[:min(len(r.ULP), len(c.out.ULP))] {
		c.out.ULP[i] += n
	}
}

// fault sorts out a runner's error: a case that the adapter refuses is no fault, head's others are failures, base's and
// the oracle's leave nothing to compare with.
func (c *check) fault(ctx context.Context, fuzz plan.FuzzCase, err error, side result.Side) error {
	var fault *kernels.RunnerError
	if !errors.As(err, &fault) {
		return err
	}
	if fault.Code == result.CodeOutOfMemory && side == result.SideHead {
		if settled, err := c.outOfMemory(ctx, fuzz, fault); settled || err != nil {
			return err
		}
	}
	switch {
	case fault.Code.IsRefusal():
		c.out.Refused++
		if c.refusal == nil {
			c.refusal = fault
		}
		if fault.Code == result.CodeOutOfMemory || fault.Code == result.CodeTooMuchOutput {
			c.out.TooLarge++
		}
		if fault.Code == result.CodeTooMuchOutput {
			c.warn(fuzz.Case.Name() + " was not compared: " + fault.Message)
		}
		return nil
	case fault.Code.IsAdapters():
		side = result.SideBoth
	case side == result.SideHead:
		c.out.Run++
		return c.failed(ctx, fuzz, fault.Code, fault.Brief(), reply{})
	}
	c.out.Status, c.out.ErrorSide, c.out.Reason = result.ParityError, side, result.Message(err.Error())
	return nil
}

// repro is one line that runs this very case again, with inputs of every kind.
func (c *check) repro(fuzz plan.FuzzCase) string {
	parts := []string{c.opt.Repro, "--kernel", fuzz.Case.Kernel}
	if args := fuzz.Case.ID().Args(); args != "" {
		parts = append(parts, "--param", args)
	}
	return strings.Join(append(parts, "--seed", c.seedOf(fuzz)), " ")
}

// seedOf is the seed of the run that a case was drawn by: this one, or the one that the corpus remembers.
func (c *check) seedOf(fuzz plan.FuzzCase) string {
	if fuzz.Origin == 0 {
		return c.opt.Seed
	}
	return strconv.FormatUint(fuzz.Origin, 10)
}

// Wishes are what one command asks of parity beyond the configuration. The zero value asks for nothing.
type Wishes struct {
	Until  time.Duration // draw more cases until this much time is over, and let one take as long; 0: the planned ones alone
	Corpus string        // file of cases that failed before, tried first; "" for none
	Save   bool          // add what fails to Corpus
	Saved  func(string)  // hears which case Corpus has got so, or had already; may be nil
}
