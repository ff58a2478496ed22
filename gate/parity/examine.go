package parity

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// finding is what came of one case. code is empty where it is right.
type finding struct {
	code    result.Code
	message string
	reply   reply
	args    command
	took    time.Duration
}

// examine compares head with every oracle that there is for a case. The side says whose error an error is.
func (c *check) examine(ctx context.Context, fuzz plan.FuzzCase, twice bool) (finding, result.Side, error) {
	spec, err := c.spec(ctx, fuzz)
	if err != nil {
		return finding{}, result.SideHead, err
	}
	args := c.commandFor(fuzz)
	args.Twice = twice
	f := finding{args: args}
	var side result.Side
	if f.reply, side, err = c.ask(ctx, fuzz, args); err != nil {
		return f, side, err
	}
	switch {
	case !f.reply.Passed:
		f.code, f.message = result.CodeWrongOutput, Describe(f.reply)
		if args.Bound != nil && f.reply.Oracle == OracleReference {
			f.message += LookWords(f.reply, dtypes(spec))
		}
		return f, "", nil
	case !same(f.reply) && c.rules().Deterministic:
		f.code, f.message = result.CodeNotDeterministic, "two launches on the same inputs gave different bits, and the configuration asks for deterministic"
		return f, "", nil
	}
	err = c.checkRelations(ctx, fuzz, spec, &f)
	return f, result.SideHead, err
}

// dtypes are those of the floating inputs of a case, joined by "and".
func dtypes(spec kernels.SpecReply) string {
	var out []string
	for _, t := range spec.Tensors {
		if t.IsInput() && strings.ContainsAny(t.Dtype, "f") && !slices.Contains(out, t.Dtype) {
			out = append(out, t.Dtype)
		}
	}
	return strings.Join(out, " and ")
}

// What passes by less than the whole bound is not asked about further, and its error is a share of less. So one case in fullShare is held
// against the whole bound from the start, and the first of each kind of inputs: their errors say how exact a kernel is, beside base's, too.
const (
	fullStage = 2
	fullShare = 8
)

// byWhole says whether the error of a case is a share of all that it may be.
func (c *check) byWhole(r reply) bool {
	return c.subject.Tolerances.Bound == nil || r.Oracle != OracleReference || r.Stage >= fullStage
}

// commandFor asks about a case; the oracle is left open.
func (c *check) commandFor(fuzz plan.FuzzCase) command {
	bound := c.subject.Tolerances.Bound
	if bound != nil && (fuzz.Seed%fullShare == 0 || !c.whole[fuzz.Values]) {
		bound = &kernels.Bound{Accumulate: bound.Accumulate, Stage: fullStage}
	}
	return command{
		Case: fuzz.Case.Spec(), Seed: strconv.FormatUint(fuzz.Seed, 10), Values: fuzz.Values, Tolerances: c.subject.Tolerances.For(fuzz.Values),
		Bound: bound,
	}
}

// ask compares one case with its oracle. A reference may be missing for single cases; base then takes its place. Where
// relations are all there is, it is launched and compared with itself.
func (c *check) ask(ctx context.Context, fuzz plan.FuzzCase, args command) (reply, result.Side, error) {
	var r reply
	if c.isJudged() { // by its reference, and where there is none by its own launch
		oracles := []string{OracleLaunch}
		if c.judge.HasReference {
			oracles = []string{OracleReference, OracleLaunch}
		}
		return c.deliver(ctx, fuzz.Case.Name(), args, "", oracles...)
	}
	if c.out.Oracle == OracleRelations {
		args.Oracle = "none"
		return r, result.SideHead, c.head.Call(ctx, "parity", fuzz.Case.Name(), args, &r, c.patience())
	}
	if c.head.Has("reference") {
		args.Oracle = "reference"
		limit := c.patience()
		err := c.head.Call(ctx, "parity", fuzz.Case.Name(), args, &r, limit)
		var fault *kernels.RunnerError
		if !errors.As(err, &fault) || fault.Code != result.CodeNoReference || c.subject.Base == "" {
			side, err := c.blameReference(ctx, fuzz, args, err, limit)
			return r, side, err
		}
	}
	given, _, err := DeliveryFolders(c.opt.Scratch)
	if err != nil {
		return r, "", err
	}
	path := filepath.Join(given, "expected.bin")
	defer os.Remove(path)
	ofBase := args
	ofBase.Oracle, ofBase.Dump, ofBase.Twice = "none", path, false
	if err = c.startBase(ctx); err == nil {
		err = c.base.Call(ctx, "parity", fuzz.Case.Name(), ofBase, nil, c.patience())
	}
	if err != nil {
		return r, result.SideBase, err
	}
	args.Oracle, args.Expect = "file", path
	return r, result.SideHead, c.head.Call(ctx, "parity", fuzz.Case.Name(), args, &r, c.patience())
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

// spec asks what a case looks like; a dtype may be a parameter, so each case has its own.
func (c *check) spec(ctx context.Context, fuzz plan.FuzzCase) (kernels.SpecReply, error) {
	name := fuzz.Case.Name()
	spec, err := c.specFor(ctx, name, fuzz.Case.Spec())
	if err == nil {
		c.specOf, c.lastSpec = name, spec
	}
	return spec, err
}

// specFor asks for the tensors of any case, unless it was the last one that spec was asked for.
func (c *check) specFor(ctx context.Context, name string, of kernels.CaseSpec) (kernels.SpecReply, error) {
	if name == c.specOf {
		return c.lastSpec, nil
	}
	var spec kernels.SpecReply
	args := map[string]any{"case": of}
	began := time.Now()
	err := c.head.Call(ctx, "spec", name, args, &spec, settingUp*c.opt.CaseLimit)
	c.toldIn = max(c.toldIn, time.Since(began))
	if c.isJudged() {
		return c.specOfJudge(ctx, name, args, spec, err)
	}
	return spec, err
}

// What this package says to runners and hears from them, by short names.
type (
	command = kernels.ParityCommand
	reply   = kernels.ParityReply
)

// byBase says whether a case was compared with what base computes.
func byBase(r reply) bool { return r.Oracle == "file" || r.Oracle == "launch" }

// same is false only where two launches on equal inputs gave different bits.
func same(r reply) bool { return r.Same == nil || *r.Same }
