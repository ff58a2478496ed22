package parity

import (
	"context"

	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/kernels"
)

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
	err := c.head.Call(ctx, "spec", name, args, &spec, c.opt.CaseLimit)
	if c.isJudged() {
		return c.specOfJudge(ctx, name, args, spec, err)
	}
	return spec, err
}
