package config

import "slices"

// SpecInputs is the kind of input values that the adapter's own fills give. It is what is timed.
const SpecInputs = "spec"

// InputKinds are the kinds of input values that parity tries, as the runner protocol names them: first those that tell wrong kernels from
// right ones best, then those that serve one kind of fault each.
var InputKinds = slices.Concat(sharpInputs, bluntInputs)

var (
	sharpInputs = []string{SpecInputs, "normal", "integers", "mixed", "uniform", "outlier", "large", "dominant"}
	bluntInputs = []string{"cancel", "tiny", "denormal", "constant", "zeros"}
)

// Inputs are those kinds of the first sort that parity is to try, and of the second; all of them where the configuration names none. What is
// timed is always tried.
func (p Parity) Inputs() (sharp, blunt []string) { return p.tried(sharpInputs), p.tried(bluntInputs) }

// Tries says whether parity is to try a kind of input values.
func (p Parity) Tries(kind string) bool {
	return len(p.Values) == 0 || kind == SpecInputs || slices.Contains(p.Values, kind)
}

func (p Parity) tried(kinds []string) []string {
	return slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { return !p.Tries(kind) })
}
