package parity

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/kernels"
)

// leaningCases feeds a lean with cases whose mean error is bias and scatter units of bf16.
func leaningCases(n int, bias, scatter float64) lean {
	rng := rand.New(rand.NewPCG(1, 2))
	l := lean{}
	for range n {
		value := unitRoundoff["bf16"] * (bias + scatter*rng.NormFloat64())
		l.add(plan.FuzzCase{Values: "normal"}, reply{Elements: leanElements, MeanErrors: []kernels.MeanError{{Tensor: "y", Dtype: "bf16", Value: kernels.Number(value)}}})
	}
	return l
}

func TestErrorsThatLean(t *testing.T) {
	for name, c := range map[string]struct {
		bias, scatter float64
		leans         bool
	}{
		"a thousandth of bf16":              {0.256, 0.03, true},
		"cut off":                           {-0.72, 0.05, true},
		"both ways":                         {0, 0.05, false},
		"both ways, shared by a whole case": {0, 0.4, false},
		"constants of f32":                  {0.0001, 0.01, false},
		"less than an eighth, however well it is known": {0.1, 0.001, false},
	} {
		if got := leaningCases(24, c.bias, c.scatter).leaningOutput(leanCases, leanSigmas) != ""; got != c.leans {
			t.Errorf("%s: %t", name, got)
		}
	}
	few := leaningCases(leanSuspects, -0.7, 0.02)
	if few.leaningOutput(leanCases, leanSigmas) != "" || few.leaningOutput(leanSuspects, leanSigmas) == "" {
		t.Error("a few cases raise a suspicion and settle nothing")
	}
	scattered := leaningCases(24, 0.25, 0.15)
	if scattered.leaningOutput(leanCases, leanSigmas) != "" || scattered.leaningOutput(leanCases, leanDoubts) == "" {
		t.Error("a factor that scatter hides raises a suspicion")
	}
}

// Inputs whose roundings have a sign of their own, and cases of few elements, say nothing.
func TestWhatLeansIsAskedOfNoBluntInputs(t *testing.T) {
	l := lean{}
	mean := []kernels.MeanError{{Tensor: "y", Dtype: "f16", Value: 1}}
	l.add(plan.FuzzCase{Values: "constant"}, reply{Elements: 1000, MeanErrors: mean})
	l.add(plan.FuzzCase{Values: "normal"}, reply{Elements: 10, MeanErrors: mean})
	for _, none := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} { // one of them would hide all other means
		l.add(plan.FuzzCase{Values: "normal"}, reply{Elements: 1000, MeanErrors: []kernels.MeanError{{Tensor: "y", Dtype: "f16", Value: kernels.Number(none)}}})
	}
	if len(l) != 0 {
		t.Errorf("%+v", l)
	}
}
