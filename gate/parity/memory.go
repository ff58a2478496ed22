package parity

import (
	"context"
	"errors"

	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// littleMemory is what every machine has room for: the tensors of a case that no kernel of a right mind runs out of memory for.
const littleMemory = 16 << 20

// outOfMemory settles a case for which head says that there is no memory. That may be so, and then the case is not run. It may also be how a kernel
// leaves out what it gets wrong: base is asked, which has no more room, as head's process is still there. settled is false where the case is none of
// head's faults.
func (c *check) outOfMemory(ctx context.Context, fuzz plan.FuzzCase, fault *kernels.RunnerError) (settled bool, err error) {
	if !c.compared() || c.baseGone {
		c.noteLittle(fuzz, fault)
		return false, nil
	}
	if c.base != nil { // what base holds, head may have lacked
		c.base.Close()
		c.base = nil
		return true, c.checkCase(ctx, fuzz)
	}
	runs, err := c.baseRuns(ctx, fuzz)
	if err != nil || !runs {
		return false, err
	}
	c.out.Run++
	said := *fault
	said.Message += ", and base has enough for this case"
	return true, c.failed(ctx, fuzz, fault.Code, said.Brief(), reply{})
}

// baseRuns says whether base can launch a case.
func (c *check) baseRuns(ctx context.Context, fuzz plan.FuzzCase) (bool, error) {
	err := c.startBase(ctx)
	if err == nil {
		args := c.commandFor(fuzz)
		args.Oracle, args.Bound = "none", nil
		err = c.base.Call(ctx, "parity", fuzz.Case.Name(), args, &reply{}, c.patience())
	}
	if _, ok := errors.AsType[*kernels.RunnerError](err); ok {
		if c.base != nil { // it may have ended, and is started again where it is needed
			c.base.Close()
			c.base = nil
		}
		return false, nil
	}
	return err == nil, err
}

// noteLittle notes a case without a base to ask that is so small that it should run anywhere.
func (c *check) noteLittle(fuzz plan.FuzzCase, fault *kernels.RunnerError) {
	bytes := int64(0)
	for _, t := range c.lastSpec.Tensors {
		bytes += t.Bytes
	}
	if c.little == nil && c.specOf == fuzz.Case.Name() && bytes <= littleMemory {
		c.little = fault
	}
}

// leftOut ends a check that passed but for what head kept from being checked: small cases that ran out of memory, or all that its slowness left no
// time for.
func (c *check) leftOut() bool {
	var why string
	switch {
	case c.out.Run == 0:
		return false
	case c.little != nil:
		why = c.little.Error() + ", though its tensors are small"
	case c.cutOff && c.yard.isSlow():
		why = "head takes far longer than base in the cases of parity, and " + result.MessageOf(c.out.Reason)
	default:
		return false
	}
	c.out.Status, c.out.ErrorSide, c.out.Reason = result.ParityError, result.SideBoth, result.Message(why)
	return true
}
