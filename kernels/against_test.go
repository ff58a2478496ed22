package kernels

import (
	"strings"
	"testing"
)

func TestAgainstAdapters(t *testing.T) {
	x, y := Tensor{Name: "x\"\\'", Role: "in", Dtype: "f32", Shape: []int64{2}}, Tensor{Name: "y", Role: "out", Dtype: "f32", Shape: []int64{2}, Bytes: 8}
	for _, name := range Against {
		text, err := AgainstAdapter(name, map[string][]Tensor{"n=2": {x, y}})
		if err != nil || !strings.Contains(string(text), `WHAT = "`+strings.TrimPrefix(name, "torch:")+`"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
	inout := y
	inout.Role = "inout"
	for what, tensors := range map[string][]Tensor{"no output": {x}, "two outputs": {x, y, y}, "in place": {x, inout}} {
		if _, err := AgainstAdapter("torch:softmax", map[string][]Tensor{"n=2": tensors}); err == nil {
			t.Errorf("%s was taken", what)
		}
	}
	if _, err := AgainstAdapter("torch:conv", nil); err == nil {
		t.Error("torch:conv was taken")
	}
}
