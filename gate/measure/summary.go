package measure

import (
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
)

// Of are the processes of a variant so far, for whatever purpose.
func (c *Case) Of(v result.Variant) []result.Process {
	return slices.DeleteFunc(slices.Clone(c.Processes), func(p result.Process) bool { return p.Variant != v })
}

// policy is that of the case, of which base has been timed.
func (c *Case) policy(of result.Policy) result.Policy {
	return of.OfCase(result.Case{Name: c.Subject.Name, Method: c.Method, Processes: c.Processes})
}

// sides are the processes of base and head so far.
func (c *Case) sides() []result.Process { return result.Case{Processes: c.Processes}.Sides() }

// All are the processes of a case in the order in which they ran; those of a competitor that has no answer count for nothing, and are not among them.
func (c *Case) All() []result.Process {
	return slices.DeleteFunc(slices.Clone(c.Processes), func(p result.Process) bool {
		return slices.ContainsFunc(c.competitors(), func(v *variant) bool { return v.Variant == p.Variant && v.hasFailed() })
	})
}

// Summary describes a variant of a case over its processes; nil if it has none.
func (c *Case) Summary(v result.Variant) *result.Summary {
	s, competes := rule.Summarize(c.Of(v), c.Flops, c.Bytes, c.HalfInputs), v.Role == result.RoleCompetitor
	if s != nil && competes {
		s.RooflineShare = 0
	}
	if s != nil && (competes || !c.calibrated) { // else the types of the inputs are known, and which roof is theirs
		s.FlopRoof, s.ByteRoof = 0, 0
	}
	return s
}

// halfInputs tells whether the floating inputs, of which there is at least one, have at most 16 bits each.
func halfInputs(tensors []kernels.Tensor) bool {
	found := false
	for _, t := range tensors {
		if !t.IsInput() {
			continue
		}
		switch {
		case t.Dtype == "f64" || t.Dtype == "f32":
			return false
		case strings.HasPrefix(t.Dtype, "f") || t.Dtype == "bf16":
			found = true
		}
	}
	return found
}
