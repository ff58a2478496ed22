package rule

import (
	"testing"

	"github.com/org/perfgate/gate/result"
)

func TestConcludeParity(t *testing.T) {
	built, broken := &result.Build{}, &result.Build{Failed: true}
	kernel := func(name string, status result.ParityStatus) result.Kernel {
		return result.Kernel{Name: name, Base: built, Head: built, Parity: result.Parity{Status: status}}
	}
	passed, failed, skipped := kernel("a", result.ParityPassed), kernel("b", result.ParityFailed), kernel("b", result.ParitySkipped)
	for name, c := range map[string]struct {
		kernels []result.Kernel
		exit    result.ExitCode
		kind    result.FindingKind
	}{
		"all pass":                  {[]result.Kernel{passed, kernel("b", result.ParityPassed)}, 0, ""},
		"one wrong":                 {[]result.Kernel{passed, failed}, 1, result.FindingWrongOutput},
		"wrong wins over unchecked": {[]result.Kernel{kernel("a", result.ParitySkipped), failed}, 1, result.FindingWrongOutput},
		"one skipped":               {[]result.Kernel{passed, skipped}, 3, result.FindingParitySkipped},
		"no base is no matter":      {[]result.Kernel{{Name: "a", Head: built, Parity: passed.Parity}}, 0, ""},
		"base's failure neither":    {[]result.Kernel{{Name: "a", Base: broken, Head: built, Parity: passed.Parity}}, 0, ""},
		"head does not build":       {[]result.Kernel{{Name: "a", Head: broken}}, 1, result.FindingBuild},
		"no kernel":                 {nil, 3, result.FindingNoKernel},
	} {
		t.Run(name, func(t *testing.T) { checkConclusion(t, ConcludeParity(c.kernels), c.exit, c.kind) })
	}
}

func TestNothingToDoPassesAndSaysWhy(t *testing.T) {
	c := NothingToDo(result.Reason{Kind: result.ReasonUnwatched})
	checkConclusion(t, c, result.ExitPassed, result.FindingNothingToDo)
	if c.Findings[0].Reason.Kind != result.ReasonUnwatched {
		t.Errorf("%+v", c.Findings)
	}
}
