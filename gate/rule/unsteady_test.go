package rule_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/org/perfgate/gate/internal/ruletest"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// Where some processes of a run lie far outside of all others, what it could have seen is not stated; a steady run states it. A machine says nothing of another.
func TestUnsteadyNoise(t *testing.T) {
	t.Parallel()
	p := rule.Default()
	p.Cases = 8
	steady, wild := rule.Part{Machine: "steady"}, rule.Part{Machine: "wild"}
	for i := range p.Cases {
		c, err := ruletest.Measured(strconv.Itoa(i+1), rand.New(rand.NewPCG(3, uint64(i))), 0.001, 0, p)
		must(t, err)
		c.Machine = "steady"
		steady.Cases = append(steady.Cases, c)
		c.Machine = "wild"
		c.Processes = append([]result.Process{}, c.Processes...)
		if i < 3 {
			q := &c.Processes[0]
			q.ValueNS *= math.Exp(0.3)
			q.Quantiles.Max = q.ValueNS
		}
		wild.Cases = append(wild.Cases, c)
	}
	for _, part := range []rule.Part{steady, wild} {
		if got := rule.ConcludePart(part, p); got.Has(result.FindingUnsteady) != (part.Machine == "wild") || got.Exit != result.ExitPassed {
			t.Errorf("%s: %+v", part.Machine, got)
		}
	}
}

// No finding of an unsteady machine states a minimum detectable effect, whatever it is about; the same findings of a steady one do.
func TestUnsteadyNoiseStatesNoEffect(t *testing.T) {
	t.Parallel()
	p := rule.Default()
	p.Cases = 8
	wide := p
	wide.Tolerance = 0.03
	noisy, err := ruletest.Measured("1", rand.New(rand.NewPCG(7, 1)), 0.1, 0, p)
	must(t, err)
	unfinished := noisy
	unfinished.Verdict, unfinished.Looks = result.Undecided, noisy.Looks[:1]
	near, err := ruletest.Measured("1", rand.New(rand.NewPCG(7, 2)), 0.02, 0.0249, wide)
	must(t, err)
	for kind, tt := range map[result.FindingKind]struct {
		c result.Case
		p result.Policy
	}{result.FindingTooNoisy: {noisy, p}, result.FindingUnfinished: {unfinished, p}, result.FindingInconclusive: {near, wide}} {
		for _, wild := range []float64{1, 50} {
			tt.c.Processes = slices.Clone(tt.c.Processes)
			for i := range 3 {
				q := &tt.c.Processes[i]
				q.ValueNS, q.Quantiles.Max = q.ValueNS*wild, q.Quantiles.Max*wild
			}
			got := rule.ConcludePart(rule.Part{Cases: []result.Case{tt.c}}, tt.p)
			i := slices.IndexFunc(got.Findings, func(f result.Finding) bool { return f.Kind == kind })
			if i < 0 || got.Has(result.FindingUnsteady) != (wild > 1) || (got.Findings[i].MDE > 0) != (wild == 1) {
				t.Errorf("%s, three processes times %v: %+v", kind, wild, got.Findings)
			}
		}
	}
}
