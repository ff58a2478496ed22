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

// magnitudes of the inputs of a kind where they are not of order 1. An absolute tolerance is one for inputs of order 1:
// errors grow at least with what they are errors of, and a logit of a thousand has lost ten bits before its exponential is
// taken. It is not the magnitude of the reference that counts: a softmax of large logits is as small as any other, and as
// inexact as its logits. Smaller inputs do not make the tolerance smaller, since outputs need not follow them.
var magnitudes = map[string]float64{"large": 16, "dominant": 16, "cancel": 16}

// For inputs of a kind, absolute tolerance grows with their magnitude.
func (t Tolerance) For(values string) Tolerance {
	if m := magnitudes[values]; m > 1 {
		t.ATol *= m
	}
	return t
}

// DefaultTolerance is the loosest default among the outputs of a case.
func DefaultTolerance(tensors []kernels.Tensor) Tolerance {
	var t Tolerance
	for _, tensor := range tensors {
		if isOutput(tensor) {
			d := defaultTolerances[tensor.Dtype]
			t.ATol, t.RTol = max(t.ATol, d.ATol), max(t.RTol, d.RTol)
		}
	}
	return t
}

func isOutput(t kernels.Tensor) bool { return t.Role == "out" || t.Role == "inout" }

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

// spec asks what a case looks like; a dtype may be a parameter, so each case has its own.
func (c *check) spec(ctx context.Context, fuzz plan.FuzzCase) (kernels.SpecReply, error) {
	var spec kernels.SpecReply
	if name := fuzz.Case.Name(); name != c.specOf {
		args := map[string]any{"case": fuzz.Case.Spec()}
		if err := c.head.Call(ctx, "spec", name, args, &spec, c.opt.CaseLimit); err != nil {
			return spec, err
		}
		c.specOf, c.lastSpec = name, spec
	}
	return c.lastSpec, nil
}

// Outputs of eight bits have so few values that a right kernel lands on the neighbour of the right one now and then, which
// may be further off than any tolerance worth the name. Of such outputs a share may be beyond the tolerance, by a bounded
// factor; none may be NaN or unwritten. The share is the configuration's, if there is one.
const (
	matchedShare = 0.99
	matchedRatio = 4
)

func lowBit(tensors []kernels.Tensor) bool {
	found := false
	for _, t := range tensors {
		if !isOutput(t) {
			continue
		}
		if t.Dtype != "f8e4m3" && t.Dtype != "f8e5m2" {
			return false
		}
		found = true
	}
	return found
}

// passed is the judgement over a reply: the runner's own, or the matched share for low-bit outputs.
func passed(r reply, tensors []kernels.Tensor, matched float64) bool {
	if r.Passed || !lowBit(tensors) {
		return r.Passed
	}
	if matched == 0 {
		matched = matchedShare
	}
	return r.NaN == 0 && r.Unwritten == 0 && float64(r.MaxRatio) <= matchedRatio &&
		float64(r.Failed) <= (1-matched)*float64(r.Elements)
}
