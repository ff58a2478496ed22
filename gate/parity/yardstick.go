package parity

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// The yardstick: head's worst error may be this many times base's on the same inputs, and errors below a share of the
// tolerance do not count.
const (
	yardstickFactor = 2
	yardstickFloor  = 0.1
)

// yardstick holds the worst errors, as shares of the tolerance, by kind of input: what is usual for large inputs must not
// hide what is not for small ones. Only cases that both sides were asked about count.
type yardstick struct {
	byKind    map[string]*measured
	baseWrong int // cases where base is beyond the tolerance and head is not
	asked     int
	unasked   map[result.Code]int // cases that base did not answer, by the code of its error
	head      time.Duration       // that it took to check head in those cases, launched twice and compared
	base      time.Duration       // and base
}

type measured struct {
	head, base float64
	fuzz       plan.FuzzCase // of head's worst
}

// rules are what the configuration says about outputs.
func (c *check) rules() config.Parity {
	if len(c.subject.Cases) > 0 {
		if from := c.subject.Cases[0].From(); from != nil {
			return from.Parity
		}
	}
	return config.Parity{Yardstick: config.YardstickWarn}
}

// measureBase asks how far base is off on the same inputs.
func (c *check) measureBase(ctx context.Context, fuzz plan.FuzzCase, f finding) error {
	if !c.byWhole(f.reply) {
		return nil
	}
	args := f.args
	args.Twice = false
	if args.Bound != nil { // both are measured by one bound: what head needed
		args.Bound = &kernels.Bound{Accumulate: args.Bound.Accumulate, Stage: f.reply.Stage}
	}
	began := time.Now()
	r, answered, err := c.referenceOfBase(ctx, fuzz, args, f.reply, c.patience())
	if err != nil || !answered {
		return err
	}
	c.yard.head, c.yard.base = c.yard.head+f.took, c.yard.base+time.Since(began)
	if r.Stage > f.reply.Stage {
		r.MaxRatio = max(r.MaxRatio, 1) // base needed a wider bound than head: its error was beyond head's
	}
	c.yard.add(fuzz, float64(f.reply.MaxRatio), float64(r.MaxRatio))
	if !r.Passed {
		c.yard.baseWrong++
	}
	return nil
}

// referenceOfBase compares base with the reference that head was compared with. Base is only a yardstick here: its failures are no reason to
// stop, and one that dies is not asked again.
func (c *check) referenceOfBase(ctx context.Context, fuzz plan.FuzzCase, args command, head reply, limit time.Duration) (r reply, answered bool, err error) {
	if !c.compared() || c.baseGone || !c.hasReference() || byBase(head) {
		return r, false, nil
	}
	args.Oracle = "reference"
	if err = c.startBase(ctx); err == nil {
		err = c.base.Call(ctx, "parity", fuzz.Case.Name(), args, &r, limit)
	}
	if err != nil {
		return r, false, c.forgetBase(err)
	}
	return r, true, nil
}

// slowFactor is more than what launching twice, comparing and compiling for other shapes come to.
const slowFactor = 16

// isSlow says that head is so much slower than base that it, and no case or reference, takes the time of the check: what it would get wrong could be
// left unchecked so.
func (y *yardstick) isSlow() bool { return y.asked > 0 && y.head > slowFactor*y.base }

// forgetBase gives base up for good where its process is gone.
func (c *check) forgetBase(err error) error {
	var fault *kernels.RunnerError
	if !errors.As(err, &fault) {
		return err
	}
	if fault.Code.EndsProcess() || fault.Code.CannotLoad() {
		c.baseGone = true
		c.warn("base could not be asked how exact it is: " + fault.Brief())
		return nil
	}
	c.yard.unasked[fault.Code]++
	return nil
}

func (y *yardstick) add(fuzz plan.FuzzCase, head, base float64) {
	m := y.byKind[fuzz.Values]
	if m == nil {
		m = &measured{fuzz: fuzz}
		y.byKind[fuzz.Values] = m
	}
	y.asked++
	m.base = max(m.base, base)
	if head > m.head {
		m.head, m.fuzz = head, fuzz
	}
}

// worst is the kind where head exceeds the yardstick by most.
func (y *yardstick) worst() (kind string, m *measured, found bool) {
	excess := 1.0
	for name, k := range y.byKind {
		e := k.head / max(yardstickFactor*k.base, yardstickFloor)
		if e > excess || e == excess && found && name < kind {
			kind, m, excess, found = name, k, e, true
		}
	}
	return kind, m, found
}

// judgeYardstick warns of, or fails for, errors that are within the tolerance and yet far above base's.
func (c *check) judgeYardstick() {
	for _, m := range c.yard.byKind {
		c.out.BaseMax = max(c.out.BaseMax, m.base)
	}
	kind, m, found := c.yard.worst()
	if !found {
		return
	}
	text := fmt.Sprintf("head's worst error on %s inputs is %.3g of the tolerance, base's %.3g", kind, m.head, m.base)
	if c.rules().Yardstick != config.YardstickFail {
		c.warn(text)
		return
	}
	c.out.Status = result.ParityFailed
	c.out.Failure = c.failure(m.fuzz, result.CodeYardstick, text+", and the configuration has accuracy-regression: fail")
}

func (c *check) warn(text string) {
	if !slices.Contains(c.out.Warnings, text) {
		c.out.Warnings = append(c.out.Warnings, text)
	}
}

// warnings says what did not make the check fail and should be known.
func (c *check) warnings() {
	if c.yard.baseWrong > 0 {
		c.warn(fmt.Sprintf("base disagrees with the reference in %d of %d cases where head agrees: base was wrong, or both head and the reference are", c.yard.baseWrong, c.yard.asked))
	}
	for _, code := range slices.Sorted(maps.Keys(c.yard.unasked)) {
		c.warn(fmt.Sprintf("base did not say how exact it is in %d of %d cases: %s", c.yard.unasked[code], c.out.Run, code))
	}
	if c.out.Differing > 0 {
		c.warn(fmt.Sprintf("two launches on the same inputs gave different bits in %d of %d cases", c.out.Differing, c.out.Run))
	}
	if c.out.TooLarge > 0 {
		c.warn(tooLarge(c.out.TooLarge))
	}
}

func tooLarge(cases int) string {
	if cases == 1 {
		return "1 case needs more memory than this machine has left and was not run"
	}
	return fmt.Sprintf("%d cases need more memory than this machine has left and were not run", cases)
}

// ExactWithoutBase says whether an outcome of a run without base stands as it is: it passed against the reference, and no
// error is large enough for the yardstick, which leaves errors below a tenth of the tolerance alone whatever base's are.
func ExactWithoutBase(p result.Parity) bool {
	return p.Status == result.ParityPassed && p.Oracle == OracleReference && p.MaxRatio <= yardstickFloor
}
