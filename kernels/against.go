package kernels

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/kernels/task"
)

//go:embed against/torch.pg.py
var againstTorch string

// Against are the competitors that come with perfgate, which stand in the place of an adapter's path: functions of PyTorch.
var Against = []string{"torch:sdpa", "torch:matmul", "torch:softmax", "torch:layer_norm"}

// IsAgainst says whether an adapter comes with perfgate.
func IsAgainst(adapter string) bool { return slices.Contains(Against, adapter) }

// AgainstAdapter is the adapter in Python of one of Against for a kernel whose cases have these tensors, by their arguments (S=64,D=8). It
// takes inputs in their order, and the one output; a kernel with others is an error.
func AgainstAdapter(name string, tensors map[string][]Tensor) ([]byte, error) {
	if !IsAgainst(name) {
		return nil, fmt.Errorf("%.60q is none of %s", name, strings.Join(Against, ", "))
	}
	for args, all := range tensors {
		outputs := 0
		for _, t := range all {
			if t.Role == "inout" {
				return nil, fmt.Errorf("it computes a new tensor, and %s of %s is updated in place: write an adapter for it", t.Name, args)
			}
			if t.IsOutput() {
				outputs++
			}
		}
		if outputs != 1 {
			return nil, fmt.Errorf("it computes one tensor, and %s has %d outputs: write an adapter for it", args, outputs)
		}
	}
	_, what, _ := strings.Cut(name, ":")
	return fmt.Appendf([]byte(againstTorch), "\n\nimport json\n\nWHAT = %q\nSPECS = json.loads(%s)\n", what, task.Literal(tensors)), nil
}
