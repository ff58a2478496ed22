package kernels

import "testing"

// What was chosen before is asked for beside what is pinned, and what a process could not tell in full is left away.
func TestPinLines(t *testing.T) {
	t.Parallel()
	pins := []Pin{{Function: "softmax", Config: "BLOCK=64"}}
	for chosen, want := range map[string]string{
		"": "softmax: BLOCK=64",
		"attend: M=64, num_warps=4; copy: N=2; and 3 others": "softmax: BLOCK=64\nattend?: M=64, num_warps=4\ncopy?: N=2",
	} {
		if got := pinLines(pins, chosen); got != want {
			t.Errorf("%q: %q, want %q", chosen, got, want)
		}
	}
}
