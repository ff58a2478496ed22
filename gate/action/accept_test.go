package action

import (
	"testing"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/result"
)

func TestAcceptances(t *testing.T) {
	got := acceptances("k/** needed for accuracy\nk/n=1\n[ bad pattern\n  other/*   why not  \n")
	want := []acceptance{{"k/**", "needed for accuracy"}, {"other/*", "why not"}}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Accepting lets a run pass only if nothing else speaks against it.
func TestApplyAccepted(t *testing.T) {
	built := result.Kernel{Name: "k", Head: &result.Build{}, Parity: result.Parity{Status: result.ParityPassed}}
	wrong := built
	wrong.Parity.Status = result.ParityFailed
	slow := []result.Case{{Name: "k/n=1", Kernel: "k", Verdict: gate.Regression}, {Name: "k/n=10", Kernel: "k", Verdict: gate.Regression}}
	reasons := []string{"k/n=1: regression", "k/n=10: regression"}
	for name, c := range map[string]struct {
		pattern  string
		res      *result.Result
		exit     gate.ExitCode
		accepted int
	}{
		"all":              {"k/**", failed(slow, []result.Kernel{built}, reasons...), gate.ExitPassed, 2},
		"the kernel":       {"k", failed(slow, []result.Kernel{built}, reasons...), gate.ExitPassed, 2},
		"one of two":       {"k/n=1", failed(slow, []result.Kernel{built}, reasons...), gate.ExitFailed, 1},
		"none":             {"other/**", failed(slow, []result.Kernel{built}, reasons...), gate.ExitFailed, 0},
		"and wrong":        {"k/**", failed(slow, []result.Kernel{wrong}, append(reasons, "k: parity failed")...), gate.ExitFailed, 2},
		"and not measured": {"k/**", failed(slow, []result.Kernel{built}, append(reasons, "k2/n=1: could not be measured")...), gate.ExitFailed, 2},
		"not a reason":     {"k/**", failed([]result.Case{{Name: "k/n=1", Kernel: "k", Verdict: gate.Same}}, []result.Kernel{built}, "x: regression"), gate.ExitFailed, 0},
	} {
		applyAccepted(c.res, []acceptance{{c.pattern, "because"}}, github.Approval{Granted: true, By: "mona", Label: "perfgate-accept"})
		if c.res.Conclusion.Exit != c.exit || len(c.res.Accepted) != c.accepted {
			t.Errorf("%s: exit %d, accepted %+v", name, c.res.Conclusion.Exit, c.res.Accepted)
		}
		if err := result.Check(fill(c.res)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// fill gives a result what the schema wants beside what a test is about.
func fill(r *result.Result) *result.Result {
	r.Schema = result.Schema
	r.Base.Kind, r.Head.Kind = result.KindRevision, result.KindRevision
	for i := range r.Kernels {
		r.Kernels[i].Status = result.KernelCompared
	}
	return r
}
