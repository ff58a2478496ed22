package rule

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// The lines of the rule at the default policy: m = 0.01489, g = 0.09531.
func TestDecideFollowsTheRule(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		name      string
		low, high float64
		delta     float64
		rounds    int
		last      bool
		want      result.Verdict
	}{
		{"over the tolerance for sure", 0.015, 0.05, 1, 4, false, result.Regression},
		{"lower bound exactly on the tolerance is no proof", math.Log1p(0.015), 0.05, 1, 4, false, result.Undecided},
		{"slower, within the tolerance", 0.001, 0.014, 1, 4, false, result.Slower},
		{"slower, maybe over the tolerance", 0.001, 0.016, 1, 4, false, result.Undecided},
		{"slower, maybe over the tolerance, last look", 0.001, 0.016, 1, 36, true, result.Inconclusive},
		{"no change seen, none above the tolerance possible", -0.005, 0.005, 0, 4, false, result.Same},
		{"lower bound 0 counts as no change", 0, 0.005, 0, 4, false, result.Same},
		{"upper bound 0 counts as no change", -0.005, 0, 0, 4, false, result.Same},
		{"same even if a large speed-up is possible", -0.2, 0.005, 0, 4, false, result.Same},
		{"a change above the tolerance is possible", -0.02, 0.02, 0, 4, false, result.Undecided},
		{"the same at the last look", -0.02, 0.02, 0, 36, true, result.Inconclusive},
		{"faster", -0.05, -0.01, -1, 4, false, result.Faster},
		{"sure improvement", -0.2, -0.1, -1, 4, false, result.Improvement},
		{"large shift of few processes is only faster", -0.2, -0.1, -0.4, 4, false, result.Faster},
		{"delta exactly at large", -0.2, -0.1, -0.474, 4, false, result.Improvement},
		{"may yet be an improvement", -0.2, -0.05, -1, 4, false, result.Undecided},
		{"may yet be an improvement, round 8", -0.2, -0.05, -1, 8, false, result.Undecided},
		{"settles for faster at 12", -0.2, -0.05, -1, 12, false, result.Faster},
		{"settles for faster at the last look", -0.2, -0.05, -1, 8, true, result.Faster},
		{"upper bound exactly on the threshold waits", -0.2, -math.Log1p(0.1), -1, 4, false, result.Undecided},
		{"NaN decides nothing", nan, nan, 0, 4, false, result.Undecided},
		{"one NaN bound decides nothing", 0.02, nan, 1, 4, false, result.Undecided},
		{"NaN at the last look", nan, nan, 0, 36, true, result.Inconclusive},
		{"infinite bounds", math.Inf(-1), math.Inf(1), 0, 36, true, result.Inconclusive},
	}
	for _, tt := range tests {
		c := result.Comparison{Rounds: tt.rounds, Low: tt.low, High: tt.high, Delta: tt.delta}
		if got := Decide(c, Default(), tt.last); got != tt.want {
			t.Errorf("%s: Decide = %q, want %q", tt.name, got, tt.want)
		}
	}
}

// What Student's bounds leave undecided, no comparison decides: a simulation skips it.
func TestMayDecideMissesNoVerdict(t *testing.T) {
	t.Parallel()
	p, rng, tm := Default(), rand.New(rand.NewPCG(5, 6)), Timing{QuantumNS: 1, Launches: 1, MedianNS: 1e6}
	p.Cases = 30
	skipped := 0
	for i := range 600 {
		rounds := make([]stats.Round, 2+2*(i%8))
		for r := range rounds {
			a, b := Schedule{}.Round(r)
			level := func() float64 { return 0.008 * rng.NormFloat64() }
			for range a {
				rounds[r].Base = append(rounds[r].Base, level())
			}
			for range b {
				rounds[r].Head = append(rounds[r].Head, 0.0075*float64(i%5-2)+level())
			}
		}
		c, err := Compare(rounds, 1+i%8, tm, p)
		must(t, err)
		may := MayDecide(rounds, 1+i%8, tm, p)
		if !may {
			skipped++
		}
		if verdict := byBounds(c, p); !may && verdict != result.Undecided {
			t.Fatalf("%s: skipped, and %+v", verdict, c)
		}
	}
	if skipped < 20 {
		t.Errorf("%d of 600 skipped", skipped)
	}
	if !MayDecide(nil, 1, tm, p) {
		t.Error("rounds that are an error are skipped")
	}
}
