package result

import "testing"

func TestCaseMatches(t *testing.T) {
	t.Parallel()
	const kernel, name = "gemm", "gemm/M=64,N=128"
	for pattern, want := range map[string]bool{
		"gemm": true, "gemm/**": true, "gemm/*": true, "**": true, name: true, "gemm/M=64,*": true, "{gemm,softmax}/*": true,
		"gem": false, "softmax": false, "*": false, "[gemm": false, "": false,
	} {
		if got := CaseMatches(pattern, kernel, name); got != want {
			t.Errorf("%q: %v", pattern, got)
		}
	}
}
