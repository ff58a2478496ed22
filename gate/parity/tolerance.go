package parity

import (
	"context"

	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/kernels"
)

// Tolerance is what an element may be off: atol + rtol·|want|.
type Tolerance struct{ ATol, RTol float64 }

// defaultTolerances by the dtype of an output, for kernels that sum some hundred terms of order 1: a few units in the
// last place of the dtype, relative, and as much absolute for results near zero. Integers must be exact.
var defaultTolerances = map[string]Tolerance{
	"f64":    {1e-10, 1e-9},
	"f32":    {1e-5, 1e-4},
	"f16":    {2e-3, 1e-3},
	"bf16":   {1.6e-2, 8e-3},
	"f8e4m3": {1.3e-1, 6.3e-2},
	"f8e5m2": {2.5e-1, 1.3e-1},
}

// DefaultTolerance is the loosest default among the outputs of a case.
func DefaultTolerance(tensors []kernels.Tensor) Tolerance {
	var t Tolerance
	for _, tensor := range tensors {
		if tensor.Role == "out" || tensor.Role == "inout" {
			d := defaultTolerances[tensor.Dtype]
			t.ATol, t.RTol = max(t.ATol, d.ATol), max(t.RTol, d.RTol)
		}
	}
	return t
}

// Or returns the configured values where there are any.
func (t Tolerance) Or(atol, rtol *float64) Tolerance {
	if atol != nil {
		t.ATol = *atol
	}
	if rtol != nil {
		t.RTol = *rtol
	}
	return t
}

// tolerances finds the tolerance of a case; a dtype may be a parameter, so each case has its own.
func (c *check) tolerances(ctx context.Context, fuzz plan.FuzzCase) (Tolerance, error) {
	if c.subject.ATol != nil && c.subject.RTol != nil {
		return Tolerance{*c.subject.ATol, *c.subject.RTol}, nil
	}
	var spec kernels.SpecReply
	args := map[string]any{"case": fuzz.Case.Spec()}
	if err := c.head.Call(ctx, "spec", fuzz.Case.Name(), args, &spec, c.opt.CaseLimit); err != nil {
		return Tolerance{}, err
	}
	return DefaultTolerance(spec.Tensors).Or(c.subject.ATol, c.subject.RTol), nil
}
