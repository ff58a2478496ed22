package parity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// variation watches whether the reference looks at its inputs.
type variation struct {
	tries  int
	varied bool
}

// A right kernel may well give one output for many inputs: a softmax of one column is 1. So many cases are asked before the
// reference is called constant, and where a few do, all that there are.
const (
	variationTries = 16
	variationLimit = 15 * time.Second
)

// checkReference asks the reference about a case that passed with other inputs, until its outputs once differ.
func (c *check) checkReference(ctx context.Context, fuzz plan.FuzzCase) error {
	blunt := fuzz.Values == "zeros" || fuzz.Values == "constant"
	if c.variation.varied || c.variation.tries >= variationTries || blunt {
		return nil
	}
	err := c.vary(ctx, fuzz)
	var fault *kernels.RunnerError
	if errors.As(err, &fault) && fault.Code == kernels.CodeHung { // it did not a moment ago: the machine is busy
		return c.revive(ctx)
	}
	if errors.As(err, &fault) {
		return c.fault(ctx, fuzz, err, result.SideHead)
	}
	return err
}

// vary asks the reference about one case with two sets of inputs.
func (c *check) vary(ctx context.Context, fuzz plan.FuzzCase) error {
	if !c.head.Has("reference") || !c.hasInputs() {
		return nil
	}
	var replies [2]reply
	for i := range replies {
		args := command{
			Case: fuzz.Case.Spec(), Seed: strconv.FormatUint(fuzz.Seed+uint64(i), 10), Values: "normal", Atol: 1, Rtol: 1, Oracle: "reference",
		}
		if err := c.head.Call(ctx, "parity", fuzz.Case.Name(), args, &replies[i], c.opt.CaseLimit); err != nil {
			return err
		}
	}
	one, other := replies[0], replies[1]
	if one.OracleDigest == "" || one.InputDigest != "" && one.InputDigest == other.InputDigest {
		return nil // a runner that does not tell, or inputs that are the same for every seed
	}
	c.variation.tries++
	c.variation.varied = c.variation.varied || one.OracleDigest != other.OracleDigest
	return nil
}

// referenceIsConstant settles whether the reference looks at its inputs, where what was checked so far leaves that open: it asks
// about the cases given, those of the plan, and, since a replayed case may well be too small to tell, drawn ones.
func (c *check) referenceIsConstant(ctx context.Context, first ...plan.FuzzCase) (bool, error) {
	cases := slices.Concat(first, c.subject.Cases)
	if from := cases[0].From(); from != nil && c.subject.Replay {
		cases = append(cases, plan.Fuzz(*from, cases[0].Origin, variationTries)...)
	}
	deadline, asked := time.Now().Add(variationLimit), map[uint64]bool{}
	for _, fuzz := range cases {
		if c.variation.varied || len(asked) >= variationTries || time.Now().After(deadline) {
			break
		}
		if asked[fuzz.Seed] {
			continue
		}
		asked[fuzz.Seed] = true
		err := c.vary(ctx, fuzz)
		var fault *kernels.RunnerError
		if errors.As(err, &fault) {
			err = c.revive(ctx)
		}
		if err != nil {
			return false, err
		}
	}
	return !c.variation.varied && c.variation.tries > 0, nil
}

// rejectReference ends a check whose reference tells nothing.
func (c *check) rejectReference() {
	c.out.Status, c.out.ErrorSide = result.ParityError, result.SideBoth
	c.out.Reason = fmt.Sprintf("pg_reference gave the same outputs for different inputs in each of %d tries: it cannot tell right from wrong", c.variation.tries)
}

func (c *check) hasInputs() bool {
	for _, t := range c.lastSpec.Tensors {
		if (t.Role == "in" || t.Role == "inout") && t.Bytes > 0 {
			return true
		}
	}
	return false
}

// blameReference sorts out a case that took longer than it may: where one launch of the kernel alone answers in that time, it
// does not hang, and what takes so long is mostly the reference.
func (c *check) blameReference(ctx context.Context, fuzz plan.FuzzCase, args command, hung error) (string, error) {
	var fault *kernels.RunnerError
	if !errors.As(hung, &fault) || fault.Code != kernels.CodeHung {
		return result.SideHead, hung
	}
	if err := c.revive(ctx); err != nil {
		return result.SideHead, err
	}
	args.Oracle, args.Twice = "none", false
	began := time.Now()
	err := c.head.Call(ctx, "parity", fuzz.Case.Name(), args, nil, c.opt.CaseLimit)
	if err != nil {
		if !errors.As(err, &fault) {
			return result.SideHead, err
		}
		return result.SideHead, hung
	}
	return result.SideBoth, &kernels.RunnerError{
		Code: codeSlowReference,
		Message: fmt.Sprintf("%s takes over %s with pg_reference, and %s without it: make pg_reference faster, keep such cases out with fuzz or where, or give each case longer with perfgate parity --until",
			fuzz.Case.Name(), c.opt.CaseLimit, time.Since(began).Round(time.Millisecond)),
	}
}

const codeSlowReference = "reference-slow"

// baseToo says whether base is wrong about a case that head is wrong about, for the end of a message.
func (c *check) baseToo(ctx context.Context, f failing) (string, error) {
	if f.code != result.CodeWrongOutput || f.reply.Oracle == "file" || !c.compared() || c.baseGone || !c.head.Has("reference") {
		return "", nil
	}
	if err := c.startBase(ctx); err != nil {
		return "", c.forgetBase(err)
	}
	args := c.commandFor(f.fuzz)
	args.Oracle = "reference"
	var r reply
	if err := c.base.Call(ctx, "parity", f.fuzz.Case.Name(), args, &r, c.opt.CaseLimit); err != nil {
		return "", c.forgetBase(err)
	}
	if r.Passed {
		return "", nil
	}
	return "; base fails here too: base is wrong as well, or the reference is", nil
}
