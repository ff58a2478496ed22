package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// even is the size of rounds of two and two.
func even(rounds int) (s Size) {
	for range min(rounds, 2) {
		s = s.Add(2, 2)
	}
	more := float64(max(0, rounds-2))
	return Size{s.Weight + more, s.DF + 3*more}
}

// The stated effect, planted, must be found about as often as stated.
func TestMDEIsFoundWithItsPower(t *testing.T) {
	const rounds, s, alpha, power, trials = 8, 0.01, 0.001, 0.9, 4000
	effect, err := MDE(s, even(rounds), alpha, power)
	must(t, err)
	ys := normals(4*rounds*trials, 0, s, 11)
	found := 0
	for range trials {
		data := make([]Round, rounds)
		for i := range data {
			data[i] = Round{Base: []float64{ys[0], ys[1]}, Head: []float64{ys[2] + effect, ys[3] + effect}}
			ys = ys[4:]
		}
		fit, err := FitRounds(data, 0)
		must(t, err)
		if low, _ := fit.TBounds(alpha); low > 0 {
			found++
		}
	}
	if rate := float64(found) / trials; math.Abs(rate-power) > 0.02 {
		t.Errorf("an effect of %v was found in %v of trials, want %v", effect, rate, power)
	}
}

func TestRoundsNeededIsTheFirstThatSuffices(t *testing.T) {
	for _, effect := range []float64{0.003, 0.01, 0.05, 0.5} {
		rounds, err := RoundsNeeded(0.01, -effect, 4e-5, 0.9, even)
		must(t, err)
		if enough, _ := MDE(0.01, even(rounds), 4e-5, 0.9); enough > effect {
			t.Errorf("%d rounds show %v, not %v", rounds, enough, effect)
		}
		if rounds > 1 {
			if fewer, _ := MDE(0.01, even(rounds-1), 4e-5, 0.9); fewer <= effect {
				t.Errorf("%d rounds would do for %v", rounds-1, effect)
			}
		}
	}
}

// At a small alpha the library's quantiles of Student's t fail beyond some ten thousand degrees of freedom, which an answer of hundreds has nothing to do with.
func TestRoundsNeededAtASmallAlpha(t *testing.T) {
	const s, effect, alpha, power = 0.01, 0.001, 1e-7, 0.9
	rounds, err := RoundsNeeded(s, effect, alpha, power, even)
	must(t, err)
	z := distuv.UnitNormal.Quantile(1-alpha) + distuv.UnitNormal.Quantile(power)
	atBest := math.Pow(z*s/effect, 2) / even(1).Weight
	if float64(rounds) < atBest || float64(rounds) > 1.05*atBest {
		t.Errorf("%d rounds, and with a known scatter %.0f", rounds, atBest)
	}
}

func TestDetectionRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, tt := range []struct {
		name            string
		s, alpha, power float64
		want            error
	}{
		{"no scatter", 0, 0.01, 0.9, ErrConstant},
		{"negative scatter", -1, 0.01, 0.9, ErrArgument},
		{"NaN scatter", nan, 0.01, 0.9, ErrArgument},
		{"infinite scatter", inf, 0.01, 0.9, ErrArgument},
		{"alpha 0", 1, 0, 0.9, ErrArgument},
		{"alpha a half", 1, 0.5, 0.9, ErrArgument},
		{"NaN alpha", 1, nan, 0.9, ErrArgument},
		{"power 1", 1, 0.01, 1, ErrArgument},
		{"power below a half", 1, 0.01, 0.4, ErrArgument},
	} {
		_, mde := MDE(tt.s, even(5), tt.alpha, tt.power)
		_, rounds := RoundsNeeded(tt.s, 1, tt.alpha, tt.power, even)
		if !errors.Is(mde, tt.want) || !errors.Is(rounds, tt.want) {
			t.Errorf("%s: %v and %v, want %v", tt.name, mde, rounds, tt.want)
		}
	}
	if _, err := MDE(0.01, Size{}, 0.01, 0.9); !errors.Is(err, ErrTooFew) {
		t.Errorf("no rounds: %v", err)
	}
	for _, effect := range []float64{0, nan, inf, 1e-9} {
		if rounds, err := RoundsNeeded(0.01, effect, 0.01, 0.9, even); !errors.Is(err, ErrArgument) {
			t.Errorf("effect %v: %d rounds, %v", effect, rounds, err)
		}
	}
}

// What a fit prints is kept: of other runs whose true shift is that, at least nine in ten see it.
func TestStatedEffectIsSeen(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 14))
	const alpha, trials = 0.01 / (8 * 28), 4000
	for _, rounds := range []int{4, 8, 36} {
		seen := 0
		for range trials {
			stated, err := normalFit(t, rng, rounds, 0).MDE(alpha, 0.9)
			must(t, err)
			if low, _ := normalFit(t, rng, rounds, stated).TBounds(alpha); low > 0 {
				seen++
			}
		}
		if power := float64(seen) / trials; power < 0.9 || power > 0.995 {
			t.Errorf("%d rounds: what is stated is seen in %.1f %% of runs, want at least 90", rounds, 100*power)
		}
	}
}

// normalFit is the fit of rounds whose processes scatter normally by 0.6 %.
func normalFit(t *testing.T, rng *rand.Rand, rounds int, shift float64) RoundFit {
	t.Helper()
	var all []Round
	for range rounds {
		var r Round
		for range 2 {
			r.Base, r.Head = append(r.Base, 11+0.006*rng.NormFloat64()), append(r.Head, 11+shift+0.006*rng.NormFloat64())
		}
		all = append(all, r)
	}
	fit, err := FitRounds(all, 0)
	must(t, err)
	return fit
}
