// Package parity shows that head still computes the right thing: many small cases with inputs of many kinds, each
// compared with an oracle, before anything is timed.
package parity

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	ATol, RTol *float64 // nil: the default of the output's dtype
}

// Runner is a live process that answers commands; *kernels.Runner is one.
type Runner interface {
	Call(ctx context.Context, op, what string, args, answer any, limit time.Duration) error
	Has(function string) bool
	Close()
}

// Options say how to check.
type Options struct {
	Start    func(ctx context.Context, library string) (Runner, error)
	Scratch  string                // private folder, for base's outputs
	Seed     string                // of the run: replays any of its cases alone
	Repro    string                // command line that failing cases are appended to
	Progress func(done, total int) // may be nil
	Limit    time.Duration         // of all cases; 0 means 2 minutes
	// CaseLimit ends a case that hangs; 0 means 30 seconds. Cases are small: even a float64 reference on one core takes
	// seconds at most.
	CaseLimit time.Duration
}

// Oracles.
const (
	OracleReference = "reference" // the adapter's pg_reference, in float64
	OracleBase      = "base"      // what base computes from the same inputs
)

const (
	defaultLimit     = 2 * time.Minute
	defaultCaseLimit = 30 * time.Second
)

// check is one Run.
type check struct {
	subject    Subject
	opt        Options
	out        result.Parity
	head, base Runner
}

// Run checks the cases of a subject in order until one fails or the time is up. What head does wrong is in the result;
// the error is ours, the machine's or the context's.
func Run(ctx context.Context, s Subject, opt Options) (result.Parity, error) {
	if opt.Limit == 0 {
		opt.Limit = defaultLimit
	}
	if opt.CaseLimit == 0 {
		opt.CaseLimit = defaultCaseLimit
	}
	c := &check{subject: s, opt: opt, out: result.Parity{Planned: len(s.Cases), Seed: opt.Seed}}
	start := time.Now()
	err := c.run(ctx)
	c.close()
	c.out.Seconds = time.Since(start).Seconds()
	return c.out, err
}

func (c *check) close() {
	if c.head != nil {
		c.head.Close()
	}
	if c.base != nil {
		c.base.Close()
	}
}

func (c *check) run(ctx context.Context) error {
	if len(c.subject.Cases) == 0 {
		c.skip("the plan has no case")
		return nil
	}
	if err := c.start(ctx); err != nil || c.out.Status != "" {
		return err
	}
	deadline := time.Now().Add(c.opt.Limit)
	for i, fuzz := range c.subject.Cases {
		if time.Now().After(deadline) {
			c.out.Reason = fmt.Sprintf("the time limit of %s ended it after %d of %d cases", c.opt.Limit, i, len(c.subject.Cases))
			break
		}
		if err := c.one(ctx, fuzz); err != nil || c.out.Status != "" {
			return err
		}
		if c.opt.Progress != nil {
			c.opt.Progress(i+1, len(c.subject.Cases))
		}
	}
	c.conclude()
	return nil
}

func (c *check) skip(reason string) { c.out.Status, c.out.Reason = result.ParitySkipped, reason }

func (c *check) conclude() {
	switch {
	case c.out.Run > 0:
		c.out.Status = result.ParityPassed
	case c.out.Refused > 0:
		c.skip("the adapter refused every case, or has no oracle for it")
	default:
		c.skip("no case was run: " + c.out.Reason)
	}
}

// start starts head's runner and finds the oracle: the adapter's reference, else base.
func (c *check) start(ctx context.Context) error {
	var err error
	if c.head, err = c.opt.Start(ctx, c.subject.Head); err != nil {
		return c.cannotLoad(ctx, err)
	}
	switch {
	case c.head.Has("reference"):
		c.out.Oracle = OracleReference
	case c.subject.Base != "":
		c.out.Oracle = OracleBase
	default:
		c.skip("there is no oracle: the adapter has no pg_reference, and there is no base to compare with")
	}
	return nil
}

// cannotLoad records that head's library cannot even be loaded. If base's cannot either, it is nobody's change.
func (c *check) cannotLoad(ctx context.Context, err error) error {
	var fault *kernels.RunnerError
	if !errors.As(err, &fault) {
		return err
	}
	c.out.Status, c.out.ErrorSide, c.out.Reason = result.ParityError, result.SideHead, err.Error()
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

// one checks one case. Status stays empty while all is well.
func (c *check) one(ctx context.Context, fuzz plan.FuzzCase) error {
	tolerance, err := c.tolerances(ctx, fuzz)
	if err != nil {
		return c.fault(fuzz, err, result.SideHead)
	}
	args := kernels.ParityCommand{
		Case: fuzz.Case.Spec(), Seed: strconv.FormatUint(fuzz.Seed, 10), Values: fuzz.Values, Atol: tolerance.ATol, Rtol: tolerance.RTol,
	}
	reply, side, err := c.ask(ctx, fuzz, args)
	if err != nil {
		return c.fault(fuzz, err, side)
	}
	c.out.Run++
	c.out.Elements += reply.Elements
	if !reply.Passed {
		c.failed(fuzz, "wrong-output", describe(reply))
		return nil
	}
	c.out.MaxRatio = max(c.out.MaxRatio, float64(reply.MaxRatio))
	return nil
}

// ask compares one case with its oracle and says whose error an error is. A reference may be missing for single cases;
// base then takes its place.
func (c *check) ask(ctx context.Context, fuzz plan.FuzzCase, args kernels.ParityCommand) (kernels.ParityReply, string, error) {
	var reply kernels.ParityReply
	if c.out.Oracle == OracleReference {
		args.Oracle = "reference"
		err := c.head.Call(ctx, "parity", fuzz.Case.Name(), args, &reply, c.opt.CaseLimit)
		var fault *kernels.RunnerError
		if !errors.As(err, &fault) || fault.Code != "no-reference" || c.subject.Base == "" {
			return reply, result.SideHead, err
		}
	}
	path := filepath.Join(c.opt.Scratch, "expected.bin")
	defer os.Remove(path)
	if err := c.dumpBase(ctx, fuzz, args, path); err != nil {
		return reply, result.SideBase, err
	}
	args.Oracle, args.Expect = "file", path
	return reply, result.SideHead, c.head.Call(ctx, "parity", fuzz.Case.Name(), args, &reply, c.opt.CaseLimit)
}

// dumpBase lets base write what it computes from the same inputs.
func (c *check) dumpBase(ctx context.Context, fuzz plan.FuzzCase, args kernels.ParityCommand, path string) error {
	if c.base == nil {
		base, err := c.opt.Start(ctx, c.subject.Base)
		if err != nil {
			return err
		}
		c.base = base
	}
	args.Oracle, args.Dump = "none", path
	return c.base.Call(ctx, "parity", fuzz.Case.Name(), args, nil, c.opt.CaseLimit)
}

// fault sorts out a runner's error: a case that the adapter refuses is no fault, head's others are failures, base's and
// the oracle's leave nothing to compare with.
func (c *check) fault(fuzz plan.FuzzCase, err error, side string) error {
	var fault *kernels.RunnerError
	if !errors.As(err, &fault) {
		return err
	}
	switch fault.Code {
	case "unsupported", "out-of-memory", "no-reference":
		c.out.Refused++
		return nil
	case "reference-failed", "bad-spec", "missing-parameter", "internal":
		side = result.SideBoth // the adapter's fault, and both sides have the same
	default:
		if side == result.SideHead {
			c.out.Run++
			c.failed(fuzz, fault.Code, fault.Brief())
			return nil
		}
	}
	c.out.Status, c.out.ErrorSide, c.out.Reason = result.ParityError, side, err.Error()
	return nil
}

func (c *check) failed(fuzz plan.FuzzCase, code, message string) {
	c.out.Status = result.ParityFailed
	c.out.Failure = &result.ParityFailure{
		Case: fuzz.Case.Name(), Values: fuzz.Values, Seed: c.opt.Seed, Code: code, Message: message,
		Repro: c.repro(fuzz),
	}
}

// repro is one line that runs this very case again, with inputs of every kind.
func (c *check) repro(fuzz plan.FuzzCase) string {
	parts := []string{c.opt.Repro, "--kernel", fuzz.Case.Kernel}
	if args := fuzz.Case.Args(); args != "" {
		parts = append(parts, "--case", args)
	}
	return strings.Join(append(parts, "--seed", c.opt.Seed), " ")
}

// describe says where the output is wrong, by how much, and how much of it.
func describe(r kernels.ParityReply) string {
	share := fmt.Sprintf("%d of %d elements are wrong", r.Failed, r.Elements)
	if r.Unwritten > 0 {
		share += fmt.Sprintf(", %d of them were never written", r.Unwritten)
	}
	if r.NaN > 0 {
		share += fmt.Sprintf(", %d are NaN", r.NaN)
	}
	if r.Worst == nil {
		return share
	}
	w := r.Worst
	return fmt.Sprintf("%s; worst at %s: got %s, want %s, error %s against a tolerance of %s",
		share, place(w), w.Got, w.Want, w.AbsError, w.Tolerance)
}

// place writes "o[b=0,h=0,s=65,d=0]", or "o[0,0,65,0]" where the adapter names no dimensions.
func place(w *kernels.WorstElement) string {
	names := strings.Split(w.Dims, ",")
	parts := make([]string, len(w.Coords))
	for i, at := range w.Coords {
		parts[i] = strconv.FormatInt(at, 10)
		if w.Dims != "" && len(names) == len(w.Coords) {
			parts[i] = strings.TrimSpace(names[i]) + "=" + parts[i]
		}
	}
	return w.Tensor + "[" + strings.Join(parts, ",") + "]"
}
