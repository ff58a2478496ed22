package stats

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func drawRounds(t *rapid.T) []Round {
	side := rapid.SliceOfN(rapid.Float64Range(-0.1, 0.1), 2, 5)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Round {
		return Round{Base: side.Draw(t, "base"), Head: side.Draw(t, "head")}
	}), 1, 12).Draw(t, "rounds")
}

const floor = 1e-12

func TestBoundsAreOrderedAndNested(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fit, err := FitRounds(drawRounds(t), floor)
		must(t, err)
		loose, tight := 1e-3, 0.1
		for name, bounds := range map[string]func(float64) (float64, float64){
			"t":         fit.TBounds,
			"bootstrap": func(alpha float64) (float64, float64) { return only(fit.BootstrapBounds(alpha)) },
		} {
			outerLow, outerHigh := bounds(loose)
			low, high := bounds(tight)
			if !(outerLow <= low && low <= fit.Theta && fit.Theta <= high && high <= outerHigh) {
				t.Fatalf("%s: %v %v %v %v %v", name, outerLow, low, fit.Theta, high, outerHigh)
			}
		}
	})
}

func TestFloorHoldsScatterUp(t *testing.T) {
	y := math.Log(1000)
	rounds := []Round{{[]float64{y, y}, []float64{y, y}}, {[]float64{y, y}, []float64{y, y}}}
	fit, err := FitRounds(rounds, 0.01*0.01)
	must(t, err)
	if !fit.Floored || math.Abs(fit.S-0.01) > 1e-15 || math.Abs(fit.SE-0.01/math.Sqrt2) > 1e-15 {
		t.Errorf("floored %v, s %v, se %v", fit.Floored, fit.S, fit.SE)
	}
	low, high := only(fit.BootstrapBounds(0.01))
	tLow, tHigh := fit.TBounds(0.01)
	if low != tLow || high != tHigh {
		t.Errorf("without residuals the bootstrap says [%v, %v], t says [%v, %v]", low, high, tLow, tHigh)
	}
	if _, err := FitRounds(rounds, 0); !errors.Is(err, ErrConstant) {
		t.Errorf("no scatter and no floor: %v", err)
	}
}

func TestFitRoundsRefuses(t *testing.T) {
	bad := []Round{{Base: []float64{1, math.NaN()}, Head: []float64{1, 2}}}
	huge := []Round{{Base: []float64{1, math.Inf(1)}, Head: []float64{1, 2}}}
	fine := []Round{{Base: []float64{1, 1.1}, Head: []float64{1, 1.2}}}
	for _, tt := range []struct {
		name   string
		rounds []Round
		floor  float64
		want   error
	}{
		{"no rounds", nil, 0, ErrEmpty},
		{"NaN", bad, 0, ErrNotFinite},
		{"infinity", huge, 0, ErrNotFinite},
		{"NaN floor", fine, math.NaN(), ErrArgument},
		{"negative floor", fine, -1, ErrArgument},
		{"infinite floor", fine, math.Inf(1), ErrArgument},
	} {
		if _, err := FitRounds(tt.rounds, tt.floor); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	if _, err := FitPairs([]float64{1, 2}, []float64{1}, 0); !errors.Is(err, ErrArgument) {
		t.Errorf("sides of different length: %v", err)
	}
}

func TestBadAlphaGivesNoBounds(t *testing.T) {
	fit, err := FitRounds([]Round{{Base: []float64{1, 1.1}, Head: []float64{1, 1.2}}}, 0)
	must(t, err)
	for _, alpha := range []float64{0, -1, 0.6, math.NaN()} {
		if low, high := fit.TBounds(alpha); !math.IsNaN(low) || !math.IsNaN(high) {
			t.Errorf("alpha %v: [%v, %v]", alpha, low, high)
		}
		if low, high := only(fit.BootstrapBounds(alpha)); !math.IsNaN(low) || !math.IsNaN(high) {
			t.Errorf("bootstrap, alpha %v: [%v, %v]", alpha, low, high)
		}
	}
}

// Sides that do not vary differ from 0 by what sums are rounded by; that is no scatter to be sure of anything with.
func TestConstantSidesAreNoScatter(t *testing.T) {
	var rounds []Round
	base, head := math.Log(100000), math.Log(103045)
	for range 12 {
		rounds = append(rounds, Round{Base: []float64{base, base}, Head: []float64{head, head}})
	}
	if fit, err := FitRounds(rounds, 0); !errors.Is(err, ErrConstant) {
		t.Errorf("rounds: %+v, %v, want ErrConstant", fit, err)
	}
	ys := func(y float64) []float64 { return slices.Repeat([]float64{y}, 12) }
	if fit, err := FitPairs(ys(base), ys(head), 0); !errors.Is(err, ErrConstant) {
		t.Errorf("pairs: %+v, %v, want ErrConstant", fit, err)
	}
	if fit, err := FitUnpaired(ys(base), ys(head), SessionVariance{}, 0); !errors.Is(err, ErrConstant) {
		t.Errorf("unpaired: %+v, %v, want ErrConstant", fit, err)
	}
	fit, err := FitRounds(rounds, QuantumVariance(32, 1, 100000))
	if err != nil || !fit.Floored || fit.Scatter != 0 {
		t.Fatalf("with a quantum: %+v, %v, want the floor", fit, err)
	}
	low, high := only(fit.BootstrapBounds(0.001))
	if l, h := fit.TBounds(0.001); low != l || high != h {
		t.Errorf("bootstrap of nothing but rounding: %v %v, want Student's %v %v", low, high, l, h)
	}
}
