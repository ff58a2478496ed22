package measure

import (
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
)

// summarize completes what a result has of the case. The processes of a competitor that has no answer count for nothing; of others in head's place the reason
// is kept.
func (c *Case) summarize() {
	if to := c.to(); to.Role == result.RoleCompetitor {
		c.Competitors = append(c.Competitors, result.Versus{Competitor: to.Name, Summary: c.summary(to)})
	}
	for _, v := range c.competitors() {
		one := result.Versus{Competitor: v.Name}
		if c.hasFailed(v) {
			c.Processes = slices.DeleteFunc(slices.Clone(c.Processes), func(p result.Process) bool { return p.Variant == v.Variant.Variant })
		} else {
			one.Summary = c.summary(v.Variant.Variant)
		}
		c.Competitors = append(c.Competitors, one)
	}
	for _, v := range c.variants {
		if v.isOneOfMany && c.Verdict == result.Error && !c.hasFailed(&v) {
			c.SetComparison(v.Variant.Variant, v.Variant.Variant, &result.Comparison{Verdict: result.Unmeasured, Reason: c.Reason})
		}
	}
	place := func(q result.Comparison) int {
		return slices.IndexFunc(c.variants, func(v variant) bool { return v.Variant.Variant == q.To })
	}
	slices.SortStableFunc(c.Comparisons, func(a, b result.Comparison) int { return place(a) - place(b) })
	c.Base, c.Head = c.summary(result.VariantBase), c.summary(result.VariantHead)
	if c.to() != result.VariantBase && c.ErrorSide != result.SideHead {
		c.ErrorSide = result.SideNone // base was not measured
	}
}

// summary describes a variant over its processes; nil if it has none.
func (c *Case) summary(v result.Variant) *result.Summary {
	s, competes := rule.Summarize(c.Of(v), c.Flops, c.Bytes, c.HalfInputs), v.Role == result.RoleCompetitor && v != c.to()
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
