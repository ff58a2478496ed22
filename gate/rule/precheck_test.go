package rule

import (
	"testing"

	"github.com/org/perfgate/gate/result"
)

// Compiling alone decides what cannot build or breaks a limit, and passes nothing that has to be measured as if it had been.
func TestConcludePrecheck(t *testing.T) {
	t.Parallel()
	builds := func(base, head bool) result.Kernel {
		return result.Kernel{Base: &result.Build{Failed: base}, Head: &result.Build{Failed: head}}
	}
	same, other := result.PrecheckKernel{Kernel: builds(false, false), Same: true}, result.PrecheckKernel{Kernel: builds(false, false)}
	interpreted := result.PrecheckKernel{Kernel: result.Kernel{Name: "k"}, Same: true}
	over := same
	over.Limits = []result.OverLimit{{Key: "registers"}}
	head, base, both := result.PrecheckKernel{Kernel: builds(false, true)}, result.PrecheckKernel{Kernel: builds(true, false)}, result.PrecheckKernel{Kernel: builds(true, true)}
	unchecked := same
	unchecked.Status, unchecked.Reason = result.KernelError, &result.Reason{Kind: result.ReasonNoReport}
	dropped := interpreted
	dropped.Status, dropped.Reason = result.KernelError, &result.Reason{Kind: result.ReasonDropped}
	for name, c := range map[string]struct {
		kernels []result.PrecheckKernel
		exit    result.ExitCode
		measure bool
	}{
		"nothing":                    {nil, result.ExitPassed, false},
		"the same":                   {[]result.PrecheckKernel{same, same}, result.ExitPassed, false},
		"one is not":                 {[]result.PrecheckKernel{same, other}, result.ExitPassed, true},
		"a limit, of equal code too": {[]result.PrecheckKernel{over, same}, result.ExitFailed, false},
		"head does not build":        {[]result.PrecheckKernel{other, head}, result.ExitFailed, true},
		"base does not build":        {[]result.PrecheckKernel{base, same}, result.ExitNotMeasurable, false},
		"neither builds":             {[]result.PrecheckKernel{both}, result.ExitNotMeasurable, false},
		"nothing is compiled":        {[]result.PrecheckKernel{interpreted}, result.ExitPassed, false},
		"head drops one":             {[]result.PrecheckKernel{interpreted, dropped}, result.ExitNotMeasurable, false},
		"limits cannot be checked":   {[]result.PrecheckKernel{unchecked}, result.ExitNotMeasurable, false},
		"a no outweighs":             {[]result.PrecheckKernel{head, base, over}, result.ExitFailed, false},
	} {
		got := result.Precheck{Kernels: c.kernels}
		ConcludePrecheck(&got)
		if got.Conclusion.Exit != c.exit || got.Measure != c.measure {
			t.Errorf("%s: exit %d, measure %t", name, got.Conclusion.Exit, got.Measure)
		}
	}
}
