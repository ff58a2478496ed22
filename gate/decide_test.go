package gate

import (
	"math"
	"testing"

	"github.com/org/perfgate/gate/result"
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
		{"settles for faster at 11", -0.2, -0.05, -1, 11, false, result.Faster},
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

func TestDecideAsksForAnotherLookOnlyBeforeTheLast(t *testing.T) {
	p := Default()
	for low := -0.3; low < 0.1; low += 0.0037 {
		for high := low; high < 0.1; high += 0.0041 {
			for _, rounds := range Looks {
				c := result.Comparison{Rounds: rounds, Low: low, High: high, Delta: -1}
				if got := Decide(c, p, true); !got.Decided() {
					t.Fatalf("[%v, %v] after %d rounds, last look: %q", low, high, rounds, got)
				}
				if got := Decide(c, p, false); got == result.Inconclusive {
					t.Fatalf("[%v, %v] after %d rounds, looks left: %q", low, high, rounds, got)
				}
			}
		}
	}
}
