package parity

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// CodeNotDeterministic is the code of a failure where equal inputs gave other bits; CodeYardstick of one where errors are
// within tolerance, but larger than base's; CodeRelation of one where a declared relation does not hold.
const (
	CodeNotDeterministic = "not-deterministic"
	CodeYardstick        = "yardstick"
	CodeRelation         = "relation-broken"
)

// finding is what came of one case. code is empty where it is right.
type finding struct {
	code, message string
	reply         reply
	args          command
}

// examine compares head with every oracle that there is for a case. The side says whose error an error is.
func (c *check) examine(ctx context.Context, fuzz plan.FuzzCase, twice bool) (finding, string, error) {
	spec, err := c.spec(ctx, fuzz)
	if err != nil {
		return finding{}, result.SideHead, err
	}
	tolerance := DefaultTolerance(spec.Tensors).Or(c.subject.ATol, c.subject.RTol).For(fuzz.Values)
	args := command{
		Case: fuzz.Case.Spec(), Seed: strconv.FormatUint(fuzz.Seed, 10), Values: fuzz.Values, Atol: tolerance.ATol, Rtol: tolerance.RTol,
		Twice: twice,
	}
	f := finding{args: args}
	if c.out.Oracle != OracleRelations {
		var side string
		if f.reply, side, err = c.ask(ctx, fuzz, args); err != nil {
			return f, side, err
		}
		switch {
		case !passed(f.reply, spec.Tensors, c.rules().Matched):
			f.code, f.message = result.CodeWrongOutput, describe(f.reply)
			return f, "", nil
		case !same(f.reply) && c.rules().Deterministic:
			f.code, f.message = CodeNotDeterministic, "two launches on the same inputs gave different bits, and the configuration asks for deterministic"
			return f, "", nil
		}
	}
	err = c.checkRelations(ctx, fuzz, spec, &f)
	return f, result.SideHead, err
}

// ask compares one case with its oracle. A reference may be missing for single cases; base then takes its place.
func (c *check) ask(ctx context.Context, fuzz plan.FuzzCase, args command) (reply, string, error) {
	var r reply
	if c.head.Has("reference") {
		args.Oracle = "reference"
		err := c.head.Call(ctx, "parity", fuzz.Case.Name(), args, &r, c.opt.CaseLimit)
		var fault *kernels.RunnerError
		if !errors.As(err, &fault) || fault.Code != "no-reference" || c.subject.Base == "" {
			return r, result.SideHead, err
		}
	}
	given, _, err := c.folders()
	if err != nil {
		return r, "", err
	}
	path := filepath.Join(given, "expected.bin")
	defer os.Remove(path)
	if err := c.dumpBase(ctx, fuzz, args, path); err != nil {
		return r, result.SideBase, err
	}
	args.Oracle, args.Expect = "file", path
	return r, result.SideHead, c.head.Call(ctx, "parity", fuzz.Case.Name(), args, &r, c.opt.CaseLimit)
}

// dumpBase lets base write what it computes from the same inputs.
func (c *check) dumpBase(ctx context.Context, fuzz plan.FuzzCase, args command, path string) error {
	if err := c.startBase(ctx); err != nil {
		return err
	}
	args.Oracle, args.Dump, args.Twice = "none", path, false
	return c.base.Call(ctx, "parity", fuzz.Case.Name(), args, nil, c.opt.CaseLimit)
}

func (c *check) startBase(ctx context.Context) error {
	if c.base != nil {
		return nil
	}
	base, err := c.opt.Start(ctx, c.subject.Base)
	if err == nil {
		c.base = base
	}
	return err
}

// variation watches whether the reference looks at its inputs.
type variation struct {
	tries  int
	varied bool
}

// A right kernel may well give one output for many inputs: a softmax of one column is 1. So only many cases in a row tell.
const variationTries = 16

func (v variation) constant() bool { return !v.varied && v.tries >= 4 }

// checkReference asks the reference about the same case with other inputs, until its outputs once differ.
func (c *check) checkReference(ctx context.Context, fuzz plan.FuzzCase) error {
	blunt := fuzz.Values == "zeros" || fuzz.Values == "constant"
	if c.variation.varied || c.variation.tries >= variationTries || blunt || !c.head.Has("reference") || !c.hasInputs() {
		return nil
	}
	var digests [2]string
	for i := range digests {
		var r reply
		args := command{
			Case: fuzz.Case.Spec(), Seed: strconv.FormatUint(fuzz.Seed+uint64(i), 10), Values: "normal", Atol: 1, Rtol: 1, Oracle: "reference",
		}
		if err := c.head.Call(ctx, "parity", fuzz.Case.Name(), args, &r, c.opt.CaseLimit); err != nil {
			return c.fault(ctx, fuzz, err, result.SideHead)
		}
		digests[i] = r.OracleDigest
	}
	if digests[0] == "" { // a runner that does not tell
		return nil
	}
	c.variation.tries++
	c.variation.varied = digests[0] != digests[1]
	return nil
}

func (c *check) hasInputs() bool {
	for _, t := range c.lastSpec.Tensors {
		if (t.Role == "in" || t.Role == "inout") && t.Bytes > 0 {
			return true
		}
	}
	return false
}
