package rule

import (
	"slices"

	"github.com/org/perfgate/gate/result"
)

// ConcludeTouched decides what compiling alone can decide: head must build and keep its limits. What is not the same is to be measured,
// which is no verdict on it.
func ConcludeTouched(t *result.Touched) {
	t.Verdict, t.Measure = result.RunPassed, false
	for i := range t.Kernels {
		k := &t.Kernels[i]
		k.Measure = !k.Same && len(k.Failed) == 0
		t.Measure = t.Measure || k.Measure
		switch {
		case len(k.Limits) > 0 || slices.Equal(k.Failed, []result.Side{result.SideHead}):
			t.Verdict = result.RunFailed
		case t.Verdict != result.RunFailed && (len(k.Failed) > 0 || k.Unchecked != nil):
			t.Verdict = result.RunError
		}
	}
	t.Exit = result.ExitOf(t.Verdict)
}

// TouchedProblems are what fail-on calls what compiling alone found wrong.
func TouchedProblems(t *result.Touched) []Problem {
	switch t.Verdict {
	case result.RunPassed:
		return nil
	case result.RunFailed:
	default:
		return []Problem{ProblemError}
	}
	return []Problem{ProblemBuild}
}
