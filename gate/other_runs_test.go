package gate

import "testing"

func TestConcludeParity(t *testing.T) {
	for name, c := range map[string]struct {
		kernels []KernelOutcome
		exit    ExitCode
		says    string
	}{
		"all pass":                  {[]KernelOutcome{{Name: "a", Parity: ParityPassed}, {Name: "b", Parity: ParityPassed}}, 0, ""},
		"one wrong":                 {[]KernelOutcome{{Name: "a", Parity: ParityPassed}, {Name: "b", Parity: ParityFailed}}, 1, "b: parity failed"},
		"wrong wins over unchecked": {[]KernelOutcome{{Name: "a", Parity: ParitySkipped}, {Name: "b", Parity: ParityFailed}}, 1, "b: parity failed"},
		"one skipped":               {[]KernelOutcome{{Name: "a", Parity: ParityPassed}, {Name: "b", Parity: ParitySkipped}}, 3, "nothing shows"},
		"no base is no matter":      {[]KernelOutcome{{Name: "a", Base: BuildAbsent, Parity: ParityPassed}}, 0, ""},
		"head does not build":       {[]KernelOutcome{{Name: "a", Base: BuildAbsent, Head: BuildFailed}}, 1, "does not build"},
		"no kernel":                 {nil, 3, "no kernel"},
	} {
		t.Run(name, func(t *testing.T) { checkConclusion(t, ConcludeParity(c.kernels), c.exit, c.says) })
	}
}

func TestNothingToDoPassesAndSaysWhy(t *testing.T) {
	c := NothingToDo("no watched file changed")
	checkConclusion(t, c, ExitPassed, "no watched file changed")
}
