package rule

import (
	"slices"
	"testing"

	"github.com/org/perfgate/gate/result"
)

func TestAcceptances(t *testing.T) {
	got := ParseAcceptances([]string{"k/** needed for accuracy", "k/n=1", "[ bad pattern", "  other/*   why not  "})
	want := []Acceptance{{"k/**", "needed for accuracy"}, {"other/*", "why not"}}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Accepting lets a run pass only if nothing else speaks against it.
func TestAcceptAsked(t *testing.T) {
	built := result.Kernel{Name: "k", Base: &result.Build{}, Head: &result.Build{}, Parity: result.Parity{Status: result.ParityPassed}}
	wrong, unchecked, off := built, built, built
	wrong.Parity.Status, unchecked.Parity.Status, off.Parity.Status = result.ParityFailed, result.ParitySkipped, result.ParityOff
	slow := []result.Case{{Name: "k/n=1", Kernel: "k", Verdict: result.Regression}, {Name: "k/n=10", Kernel: "k", Verdict: result.Regression}}
	bare := []result.Case{{Name: "k", Kernel: "k", Verdict: result.Regression}} // a kernel without parameters: its case has its name
	broken := append(slices.Clone(slow), result.Case{Name: "k2/n=1", Kernel: "k2", Verdict: result.Error, ErrorSide: result.SideBase})
	concluded := func(cases []result.Case, kernels ...result.Kernel) *result.Result {
		for i := range kernels {
			kernels[i].Status = result.KernelCompared
		}
		version := result.Version{Kind: result.KindRevision}
		return &result.Result{Schema: result.Schema, Policy: Default(), Base: version, Head: version, Cases: cases, Kernels: kernels, Conclusion: Conclude(cases, kernels, Default())}
	}
	for name, c := range map[string]struct {
		pattern  string
		res      *result.Result
		exit     result.ExitCode
		accepted int
	}{
		"all":                        {"k/**", concluded(slow, built), result.ExitPassed, 2},
		"the kernel":                 {"k", concluded(slow, built), result.ExitPassed, 2},
		"parity is off":              {"k", concluded(slow, off), result.ExitPassed, 2},
		"one of two":                 {"k/n=1", concluded(slow, built), result.ExitFailed, 1},
		"none":                       {"other/**", concluded(slow, built), result.ExitFailed, 0},
		"and wrong":                  {"k/**", concluded(slow, wrong), result.ExitFailed, 2},
		"and parity skipped":         {"k/**", concluded(slow, unchecked), result.ExitNotMeasurable, 2},
		"and skipped, no parameters": {"k", concluded(bare, unchecked), result.ExitNotMeasurable, 1},
		"and wrong, no parameters":   {"k", concluded(bare, wrong), result.ExitFailed, 1},
		"and not measured":           {"k/**", concluded(broken, built), result.ExitNotMeasurable, 2},
		"not a reason":               {"k/**", concluded(slow[:0], wrong), result.ExitFailed, 0},
	} {
		AcceptAsked(c.res, []Acceptance{{c.pattern, "because"}}, "mona", "perfgate-accept")
		if c.res.Conclusion.Exit != c.exit || len(c.res.Accepted) != c.accepted {
			t.Errorf("%s: exit %d, accepted %+v", name, c.res.Conclusion.Exit, c.res.Accepted)
		}
		if err := c.res.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
