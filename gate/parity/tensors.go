package parity

import (
	"fmt"
	"slices"

	"github.com/org/perfgate/kernels"
)

// HasOtherTensors begins the message on a competitor that is none of its kernel.
const HasOtherTensors = "it has other tensors than the kernel: "

// OtherTensors says in which input or output a competitor is not of the kernel, or "". What is scratch is its own business.
func OtherTensors(kernel, competitor kernels.SpecReply) string {
	own, others := shown(kernel), shown(competitor)
	for i, t := range own {
		if i >= len(others) {
			return fmt.Sprintf("it has no %s", describeTensor(t))
		}
		o := others[i]
		sameFill := t.Fill == o.Fill && t.A == o.A && t.B == o.B
		if t.Role != o.Role || t.Dtype != o.Dtype || !slices.Equal(t.Shape, o.Shape) || t.IsInput() && !sameFill {
			return fmt.Sprintf("%s in the place of %s", describeTensor(o), describeTensor(t))
		}
	}
	if len(others) > len(own) {
		return fmt.Sprintf("it also has %s", describeTensor(others[len(own)]))
	}
	return ""
}

func shown(s kernels.SpecReply) []kernels.Tensor {
	return slices.DeleteFunc(slices.Clone(s.Tensors), func(t kernels.Tensor) bool { return t.Role == "scratch" })
}

func describeTensor(t kernels.Tensor) string {
	fill := ""
	if t.IsInput() {
		fill = fmt.Sprintf(", fill %d (%g, %g)", t.Fill, t.A, t.B)
	}
	return fmt.Sprintf("%s %s of %s %v%s", t.Role, t.Name, t.Dtype, t.Shape, fill)
}
