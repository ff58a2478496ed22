package parity

import (
	"fmt"
	"math"

	"github.com/org/perfgate/kernels"
)

// Look is what a wrong output looks like.
type Look string

// Looks of a wrong output.
const (
	LookUnknown   Look = ""
	LookRounding  Look = "rounding"  // few elements, here and there, by little more than the bound
	LookStructure Look = "structure" // what is wrong has a place in common: a tile's edge, a row, a head
)

// Rounding leaves the bound in few elements, and by little; that of a coarser accumulator in many.
const (
	roundingShare = 0.05
	roundingRatio = 8
	commonShare   = 0.25
)

// LookOf tells a wrong output that looks like rounding apart from one that has structure, by numbers: what was compared by a bound, how many
// elements are beyond it, by how much, and whether they have a place in common. Three wrong elements in one row are chance, and a whole one
// is none.
func LookOf(r kernels.ParityReply) Look {
	if r.Worst == nil || r.Failed == 0 || r.Unwritten > 0 || r.NaN > 0 || r.Pattern == nil {
		return LookUnknown
	}
	const chance = 4
	placed := r.Failed >= chance && filled(r.Pattern)
	few := float64(r.Failed) <= max(1, roundingShare*float64(r.Elements))
	ratio := float64(r.Worst.Ratio)
	switch {
	case placed:
		return LookStructure
	case !math.IsInf(ratio, 0) && (excused(r) || few && ratio <= roundingRatio):
		return LookRounding
	}
	return LookUnknown
}

// excused says whether a sum in a coarser accumulator would be as far off, and not in single elements: it loses as much in all of them. Fewer than
// three terms are no sum whose accumulator could matter.
func excused(r kernels.ParityReply) bool {
	common := float64(r.Failed) >= commonShare*float64(r.Elements) || float64(r.Worst.Ratio) <= roundingRatio
	return r.PassesWith != "" && r.Length >= 3 && common && !scaled(r)
}

// scaled says whether the output as a whole is off by a factor, which explains most of what its worst element is off by: a wrong constant. Rounding
// has no sign in common, and of few elements that cannot be told.
func scaled(r kernels.ParityReply) bool {
	const told = 32
	if r.Elements < told {
		return false
	}
	for _, m := range r.MeanErrors {
		if m.Tensor == r.Worst.Tensor {
			off := float64(r.Worst.Got) - float64(r.Worst.Want)
			return math.Abs(off-float64(m.Value)*float64(r.Worst.Want)) < math.Abs(off)/2
		}
	}
	return false
}

// filled says whether the wrong elements fill a part of the tensor, and not all of it. Along a single row any elements have as many indices as there are of
// them, so what counts there is how far they reach.
func filled(p *kernels.Pattern) bool {
	box, all := int64(1), int64(1)
	for _, e := range p.Extents {
		box *= e.Count
		all *= e.Size
	}
	for _, e := range p.Extents {
		if e.Size == all {
			box = e.Last - e.First + 1
		}
	}
	return box < all && p.Wrong*2 > box
}

// LookWords says what a wrong output looks like, and what to do about it, as the end of a message; "" where it looks like nothing.
func LookWords(r kernels.ParityReply, dtypes string) string {
	switch LookOf(r) {
	case LookRounding:
		sums := ""
		if r.Length > 1 {
			sums = fmt.Sprintf(" of sums of about %.0f terms", float64(r.Length))
		}
		return fmt.Sprintf("; this is probably rounding%s in %s, %.3g times what the bound allows: %s", sums, dtypes, float64(r.Worst.Ratio), remedy(r))
	case LookStructure:
		words := "; the wrong elements fill one part of the output, and those of rounding lie here and there"
		if excused(r) {
			words += ", but for sums that go on from element to element: " + remedy(r)
		}
		return words
	}
	return ""
}

// narrowest is the accumulator that excuses an output of f32 which is off by a few roundings.
const narrowest = "tf32"

func remedy(r kernels.ParityReply) string {
	if r.PassesWith == "" {
		return "if it is meant, set rtol under parity"
	}
	excused := fmt.Sprintf("with `accumulate: %s` under parity it would pass, if that precision is meant", r.PassesWith)
	if r.PassesWith == narrowest && !r.NarrowReference {
		return "where terms cancel on the way (a mean, a norm of few columns, an angle), define pg_reference_f32 (docs/parity.md); " + excused
	}
	return excused
}
