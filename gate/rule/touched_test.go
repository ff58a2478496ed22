package rule

import (
	"testing"

	"github.com/org/perfgate/gate/result"
)

// Compiling alone decides what cannot build or breaks a limit, and passes nothing that has to be measured as if it had been.
func TestConcludeTouched(t *testing.T) {
	t.Parallel()
	same, other := result.TouchedKernel{Same: true}, result.TouchedKernel{}
	over := result.TouchedKernel{Same: true, Limits: []result.OverLimit{{Key: "registers"}}}
	head := result.TouchedKernel{Failed: []result.Side{result.SideHead}}
	base := result.TouchedKernel{Failed: []result.Side{result.SideBase}}
	both := result.TouchedKernel{Failed: []result.Side{result.SideBase, result.SideHead}}
	unchecked := result.TouchedKernel{Same: true, Unchecked: &result.Reason{Kind: result.ReasonNoReport}}
	for name, c := range map[string]struct {
		kernels []result.TouchedKernel
		exit    result.ExitCode
		measure bool
	}{
		"nothing":                    {nil, result.ExitPassed, false},
		"the same":                   {[]result.TouchedKernel{same, same}, result.ExitPassed, false},
		"one is not":                 {[]result.TouchedKernel{same, other}, result.ExitPassed, true},
		"a limit, of equal code too": {[]result.TouchedKernel{over, same}, result.ExitFailed, false},
		"head does not build":        {[]result.TouchedKernel{other, head}, result.ExitFailed, true},
		"base does not build":        {[]result.TouchedKernel{base, same}, result.ExitNotMeasurable, false},
		"neither builds":             {[]result.TouchedKernel{both}, result.ExitNotMeasurable, false},
		"limits cannot be checked":   {[]result.TouchedKernel{unchecked}, result.ExitNotMeasurable, false},
		"a no outweighs":             {[]result.TouchedKernel{head, base, over}, result.ExitFailed, false},
	} {
		got := result.Touched{Kernels: c.kernels}
		ConcludeTouched(&got)
		if got.Exit != c.exit || got.Measure != c.measure {
			t.Errorf("%s: exit %d, measure %t", name, got.Exit, got.Measure)
		}
	}
}
