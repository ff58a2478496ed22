package parity

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// Where base rules, head's library is loaded in a process that launches and hands its outputs over as a file, and no more. What they
// should be is said by base's library in another process, the judge, which also compares.

// isJudged says whether another process than head's says what is right.
func (c *check) isJudged() bool { return c.subject.Judge != "" }

// hasReference says whether the library that says what is right has a pg_reference.
func (c *check) hasReference() bool {
	if c.isJudged() {
		return c.judge.HasReference
	}
	return c.head.Has("reference")
}

// openJudge starts the judge for the first time. If base's library cannot be loaded there is nothing to compare with.
func (c *check) openJudge(ctx context.Context) error {
	if !c.isJudged() {
		return nil
	}
	c.judge = &Judge{Library: c.subject.Judge, Start: c.opt.Start}
	err := c.judge.Open(ctx)
	if _, ok := errors.AsType[*kernels.RunnerError](err); !ok {
		return err
	}
	c.out.Status, c.out.ErrorSide, c.out.Reason = result.ParityError, result.SideBase, result.Message(err.Error())
	return nil
}

// deliver lets head launch a case, and has its outputs compared with the first of the oracles that there is for it; expect is what
// OracleFile compares with. The side says whose error an error is.
func (c *check) deliver(ctx context.Context, name string, args command, expect string, oracles ...string) (reply, result.Side, error) {
	_, made, err := DeliveryFolders(c.opt.Scratch)
	if err != nil {
		return reply{}, "", err
	}
	path := filepath.Join(made, "outputs.bin")
	defer os.RemoveAll(path)
	delivered, err := c.launchHead(ctx, name, args, path)
	if err != nil {
		return reply{}, result.SideHead, err
	}
	r, side, err := c.compare(ctx, name, args, kernels.JudgeCommand{Expect: expect, Outputs: path, Launches: delivered.Launches}, oracles...)
	// pg_fill may use what head's sources define.
	if head := delivered.InputDigest; err == nil && head != "" && r.InputDigest != "" && head != r.InputDigest {
		return r, result.SideHead, c.otherAdapter(name, "its inputs hold other values")
	}
	return r, side, err
}

// launchHead lets head write what it computes to path, and returns what head says of it.
func (c *check) launchHead(ctx context.Context, name string, args command, path string) (r reply, err error) {
	if err := os.RemoveAll(path); err != nil {
		return r, fmt.Errorf("make room for outputs: %w", err)
	}
	spec, err := c.specFor(ctx, name, args.Case)
	if err != nil {
		return r, err
	}
	wanted := 1
	if args.Twice || args.Relation != "" {
		wanted = 2
	}
	if err := Deliverable(spec.OutputBytes()*int64(wanted), filepath.Dir(path)); err != nil {
		return r, &kernels.RunnerError{Code: result.CodeTooMuchOutput, Message: err.Error()}
	}
	args.Oracle, args.Expect, args.Deliver = "none", "", path
	if err := c.head.Call(ctx, "parity", name, args, &r, c.patience()); err != nil {
		return r, err
	}
	if r.Launches < 1 || r.Launches > wanted || args.Relation != "" && r.Launches != wanted {
		return r, &kernels.RunnerError{Code: result.CodeBadDelivery, Message: fmt.Sprintf("head says that it made %d launches of %s, and %d were asked for", r.Launches, name, wanted)}
	}
	return r, nil
}

// compare asks the judge about what head delivered.
func (c *check) compare(ctx context.Context, name string, args command, q kernels.JudgeCommand, oracles ...string) (reply, result.Side, error) {
	limit := c.patience()
	q.Case, q.Seed, q.Values, q.Tolerances, q.Bound = args.Case, args.Seed, args.Values, args.Tolerances, args.Bound
	if oracles[0] == OracleRelation {
		q.Relation, q.Tensors = args.Relation, args.Tensors
	}
	r, asked, err := c.judge.Compare(ctx, name, q, limit, oracles...)
	var fault *kernels.RunnerError
	switch {
	case !errors.As(err, &fault):
		return r, "", err
	case fault.Code == result.CodeBadDelivery:
		return r, result.SideHead, err
	case asked == OracleLaunch && fault.Code != result.CodeInternal: // it can be loaded
		return r, result.SideBase, err
	}
	return r, result.SideBoth, blameAdapter(name, fault, limit)
}

// referenceOfJudge asks the judge what its reference makes of inputs, and nothing about head.
func (c *check) referenceOfJudge(ctx context.Context, fuzz plan.FuzzCase, args command) (reply, error) {
	var r reply
	question := kernels.JudgeCommand{Case: args.Case, Seed: args.Seed, Values: args.Values, Oracle: OracleReference}
	name := fuzz.Case.Name()
	err := c.judge.Call(ctx, "judge", name, question, &r, c.caseLimit())
	if fault, ok := errors.AsType[*kernels.RunnerError](err); ok {
		err = blameAdapter(name, fault, c.caseLimit())
	}
	return r, err
}

// blameAdapter turns a fault of the judge into one that is not the kernel's: only the adapter, which both sides have, was at work.
func blameAdapter(name string, fault *kernels.RunnerError, limit time.Duration) error {
	switch {
	case fault.Code.SparesKernel():
		return fault
	case fault.Code == result.CodeHung:
		return slowReference(name, limit, "")
	}
	return &kernels.RunnerError{Code: result.CodeReferenceFailed, Message: fault.Message, Doing: fault.Doing, Printed: fault.Printed}
}

// specOfJudge asks the judge what a case looks like, and compares what head's library says with it: an adapter that another header
// makes another one is no longer base's. Scratch is the kernel's own affair.
func (c *check) specOfJudge(ctx context.Context, name string, args any, head kernels.SpecReply, headErr error) (kernels.SpecReply, error) {
	var spec kernels.SpecReply
	err := c.judge.Call(ctx, "spec", name, args, &spec, settingUp*c.opt.CaseLimit)
	var fault, refused *kernels.RunnerError
	if errors.As(err, &fault) && !fault.Code.SparesKernel() {
		err = blameAdapter(name, fault, settingUp*c.opt.CaseLimit)
	}
	switch what := c.otherCase(head, spec); {
	case err != nil:
		return spec, err
	case errors.As(headErr, &refused) && refused.Code.SparesKernel():
		return spec, c.otherAdapter(name, refused.Message)
	case headErr != nil || what == "":
		return spec, headErr
	default:
		return spec, c.otherAdapter(name, what)
	}
}

func (c *check) otherAdapter(name, what string) error {
	if c.subject.Competitor {
		return &kernels.RunnerError{Code: result.CodeOtherCase, Message: HasOtherTensors + what}
	}
	return &kernels.RunnerError{Code: result.CodeOtherCase, Message: fmt.Sprintf(
		"with head's files base's adapter describes another case of %s than with base's: %s; that is an adapter change, and needs the label", name, what)}
}

// otherCase says how head's tensors differ from those of the judge, or "".
func (c *check) otherCase(head, judge kernels.SpecReply) string {
	if c.subject.Competitor {
		return OtherTensors(judge, head)
	}
	if len(head.Tensors) != len(judge.Tensors) {
		return fmt.Sprintf("%d tensors in place of %d", len(head.Tensors), len(judge.Tensors))
	}
	for i, want := range judge.Tensors {
		got := head.Tensors[i]
		if want.Role == "scratch" {
			want.Shape, want.Dtype, want.Bytes, want.Fill, want.A, want.B = got.Shape, got.Dtype, got.Bytes, got.Fill, got.A, got.B
		}
		want.Dims = got.Dims
		if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
			return fmt.Sprintf("tensor %d is %.300s in place of %.300s", i, g, w)
		}
	}
	return ""
}
