package rule_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/org/perfgate/gate/internal/ruletest"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// The tolerance that init proposes is the first by which its own run passes, and what stayed open in it would have shown as much. None is
// proposed for what no tolerance mends.
func TestToleranceThatHoldsItsOwnRun(t *testing.T) {
	t.Parallel()
	of := func(sd, shift float64) *result.Result {
		p := rule.Default()
		c, err := ruletest.Measured("1", rand.New(rand.NewPCG(3, 7)), sd, shift, p)
		if err != nil {
			t.Fatal(err)
		}
		r := &result.Result{
			Schema: result.Schema, Started: time.Unix(0, 0), Policy: p, Cases: []result.Case{c},
			Kernels: []result.Kernel{{
				Name: "k", Status: result.KernelCompared, Base: &result.Build{Fingerprint: "1"}, Head: &result.Build{Fingerprint: "2"},
				Parity: result.Parity{Status: result.ParityPassed, Run: 1, Planned: 1},
			}},
		}
		r.Conclusion = rule.Conclude(r.Cases, r.Kernels, p)
		return r
	}
	for sd, want := range map[float64]float64{0.05: 0.05, 0.1: 0.09} {
		r := of(sd, 0)
		got := rule.HeldBy(r)
		if got == 0 || r.Conclusion.Exit == result.ExitPassed {
			t.Errorf("sd %g: %v, exit %d", sd, got, r.Conclusion.Exit)
		}
		if got != want {
			t.Errorf("sd %g: %v, want %v (mde %v)", sd, got, want, r.Cases[0].Compared().MDE)
		}
	}
	// A case with a wide tolerance of its own asks nothing of the others' tolerance, and one with a narrow one is not helped by theirs.
	wide, narrow := of(0.05, 0), of(0.05, 0)
	wide.Policy.Tolerances = []result.CaseTolerance{{Cases: wide.Cases[0].Name, Tolerance: 0.2}}
	narrow.Policy.Tolerances = []result.CaseTolerance{{Cases: narrow.Cases[0].Name, Tolerance: 0.01}}
	if got := rule.HeldBy(wide); got != 0.02 {
		t.Errorf("with a tolerance of its own that holds: %v", got)
	}
	if got := rule.HeldBy(narrow); got != 0 {
		t.Errorf("with a tolerance of its own that does not hold: %v", got)
	}
	broken := of(0.05, 0)
	broken.Cases[0].Verdict, broken.Cases[0].ErrorSide, broken.Cases[0].Reason = result.Error, result.SideBase, result.Message("it crashed")
	if got := rule.HeldBy(broken); got != 0 {
		t.Errorf("a benchmark that fails: %v", got)
	}
}
