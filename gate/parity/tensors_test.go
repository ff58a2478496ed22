package parity

import (
	"testing"

	"github.com/org/perfgate/kernels"
)

func TestOtherTensors(t *testing.T) {
	in, out := kernels.Tensor{Name: "x", Role: "in", Dtype: "f32", Shape: []int64{4, 8}}, kernels.Tensor{Name: "y", Role: "out", Dtype: "f32", Shape: []int64{4}}
	scratch := kernels.Tensor{Name: "w", Role: "scratch", Dtype: "u8", Shape: []int64{64}}
	spec := func(tensors ...kernels.Tensor) kernels.SpecReply { return kernels.SpecReply{Tensors: tensors} }
	with := func(t kernels.Tensor, change func(*kernels.Tensor)) kernels.Tensor { change(&t); return t }
	own := spec(in, out)
	for name, other := range map[string]kernels.SpecReply{
		"another shape": spec(with(in, func(t *kernels.Tensor) { t.Shape = []int64{8, 4} }), out),
		"another dtype": spec(in, with(out, func(t *kernels.Tensor) { t.Dtype = "f16" })),
		"another role":  spec(in, with(out, func(t *kernels.Tensor) { t.Role = "inout" })),
		"another fill":  spec(with(in, func(t *kernels.Tensor) { t.Fill = 3 }), out),
		"one less":      spec(in), "one more": spec(in, in, out), "another order": spec(out, in),
	} {
		if OtherTensors(own, other) == "" {
			t.Errorf("%s: no difference", name)
		}
	}
	if other := OtherTensors(own, spec(scratch, in, with(out, func(t *kernels.Tensor) { t.Name = "result" }))); other != "" {
		t.Errorf("scratch and other names: %s", other)
	}
}
