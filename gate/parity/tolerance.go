package parity

import (
	"strings"

	"github.com/org/perfgate/kernels"
)

// Tolerances are what outputs may be off. Integers have none: the harness wants them exact, as indices and counts are, unless the
// adapter gives the tensor a tolerance of its own.
type Tolerances struct {
	ByDtype map[string]kernels.Tolerance // of floating dtypes
	// Bound takes the place of ByDtype where the reference is the oracle. nil: the configuration gives numbers, and they rule.
	Bound *kernels.Bound
}

// defaultTolerances by the dtype of an output, for kernels that sum some hundred terms of order 1: a few units in the
// last place of the dtype, relative, and as much absolute for results near zero.
var defaultTolerances = map[string]kernels.Tolerance{
	"f64":    {Atol: 1e-10, Rtol: 1e-9},
	"f32":    {Atol: 1e-5, Rtol: 1e-4},
	"f16":    {Atol: 2e-3, Rtol: 1e-3},
	"bf16":   {Atol: 1.6e-2, Rtol: 8e-3},
	"f8e4m3": {Atol: 1.3e-1, Rtol: 6.3e-2},
	"f8e5m2": {Atol: 2.5e-1, Rtol: 1.3e-1},
}

// Outputs of eight bits have so few values that a right kernel lands on the neighbour of the right one now and then, which
// may be further off than any tolerance worth the name. Of such outputs a share may be beyond the tolerance, by a factor that
// the harness bounds; none may be NaN or unwritten. The share is the configuration's, if there is one.
const matchedShare = 0.99

// TolerancesOf are those of a kernel: what its configuration says of atol, rtol, the matched share and the accumulator. Without atol
// and rtol the bound rules, and the defaults of each dtype where there is no reference.
func TolerancesOf(atol, rtol *float64, matched float64, accumulate string) Tolerances {
	if matched == 0 {
		matched = matchedShare
	}
	all := Tolerances{ByDtype: map[string]kernels.Tolerance{}}
	if atol == nil && rtol == nil {
		all.Bound = &kernels.Bound{Accumulate: accumulate}
	}
	for dtype, t := range defaultTolerances {
		if atol != nil {
			t.Atol = *atol
		}
		if rtol != nil {
			t.Rtol = *rtol
		}
		if strings.HasPrefix(dtype, "f8") {
			t.Matched = &matched
		}
		all.ByDtype[dtype] = t
	}
	return all
}

// magnitudes of the inputs of a kind where they are not of order 1. An absolute tolerance is one for inputs of order 1:
// errors grow at least with what they are errors of, and a logit of a thousand has lost ten bits before its exponential is
// taken. It is not the magnitude of the reference that counts: a softmax of large logits is as small as any other, and as
// inexact as its logits. Smaller inputs do not make the tolerance smaller, since outputs need not follow them.
var magnitudes = map[string]float64{"large": 16, "dominant": 16, "cancel": 16}

// For inputs of a kind, absolute tolerances by dtype grow with their magnitude. The bound needs no such help. Without any, they are the
// defaults.
func (all Tolerances) For(values string) map[string]kernels.Tolerance {
	if all.ByDtype == nil {
		all = TolerancesOf(nil, nil, 0, "")
	}
	m := magnitudes[values]
	if m <= 1 {
		return all.ByDtype
	}
	grown := map[string]kernels.Tolerance{}
	for dtype, t := range all.ByDtype {
		t.Atol *= m
		grown[dtype] = t
	}
	return grown
}
