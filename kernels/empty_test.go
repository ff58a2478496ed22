package kernels

import "testing"

func TestEmptyCaseHasNoOutputElements(t *testing.T) {
	in, none, some := Tensor{Role: "in", Bytes: 16}, Tensor{Role: "out"}, Tensor{Role: "inout", Bytes: 4}
	for name, c := range map[string]struct {
		tensors []Tensor
		want    bool
	}{
		"an input alone has elements": {[]Tensor{in, none}, true},
		"two empty outputs":           {[]Tensor{none, {Role: "inout"}}, true},
		"one output has some":         {[]Tensor{none, some}, false},
		"no outputs":                  {[]Tensor{in}, false},
	} {
		if got := (SpecReply{Tensors: c.tensors}).IsEmpty(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
