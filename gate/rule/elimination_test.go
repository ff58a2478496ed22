package rule

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// eliminated compares configurations that take times[case][configuration], with processes that scatter by sd, and returns it with what it cost.
func eliminated(t *testing.T, rng *rand.Rand, times [][]float64, sd, gain float64) (*Survivors, int) {
	t.Helper()
	r := NewSurvivors(Elimination{Confidence: 0.99, Gain: gain, Configurations: len(times[0]), Cases: len(times)}, 0)
	series := make([][]Series, len(times))
	for c := range times {
		for s := range times[c] {
			series[c] = append(series[c], Series{Configuration: s, Timing: Timing{QuantumNS: 1, Launches: 1, MedianNS: 1e6}})
		}
	}
	processes := 0
	for round := 1; round <= r.Last() && (round == 1 || !r.Over()); round++ {
		counted := make([][]Series, len(times))
		for c := range times {
			for s, time := range times[c] {
				l := &series[c][s]
				if !r.Wants(c, s) {
					counted[c] = append(counted[c], Series{Configuration: s})
					continue
				}
				l.Values = append(l.Values, [2]float64{math.Log(time) + sd*rng.NormFloat64(), math.Log(time) + sd*rng.NormFloat64()})
				counted[c] = append(counted[c], *l)
				processes += 2
			}
		}
		if r.LooksAt(round) {
			if err := r.Look(counted); err != nil {
				t.Fatal(err)
			}
		}
	}
	return r, processes
}

// The fastest configuration of a case and of all is always among those that are left, slower ones are dropped early, and one configuration that is best over all
// need not be best in any case.
func TestEliminationKeepsTheFastest(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 7))
	times := [][]float64{ // shipped, then four others; the last is the best over all cases
		{1.20, 1.00, 1.60, 2.00, 1.05},
		{1.20, 1.60, 1.00, 2.00, 1.05},
	}
	for range 4 {
		r, processes := eliminated(t, rng, times, 0.004, 0.02)
		for c, best := range []int{1, 2, 4} { // the third is all cases together
			if s := r.Standing(c, best); s != result.TunedBest || !r.Over() {
				t.Errorf("track %d: configuration %d is %s, over %t", c, best, s, r.Over())
			}
			if s := r.Standing(c, 3); s != result.TunedSlower {
				t.Errorf("track %d: the slowest is %s", c, s)
			}
		}
		if all := 2 * 2 * 5 * r.Last(); processes > all/4 {
			t.Errorf("%d processes; all configurations in all rounds are %d", processes, all)
		}
	}
}

// Configurations of the same speed: none of them is dropped, and they end level where the scatter lets it be seen.
func TestEliminationOfEquals(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(11, 13))
	for range 4 {
		r, _ := eliminated(t, rng, [][]float64{{1, 1, 1, 1}}, 0.004, 0.02)
		for s := range 4 {
			if at := r.Standing(0, s); at != result.TunedBest && at != result.TunedLevel {
				t.Errorf("configuration %d of four equals is %s", s, at)
			}
		}
	}
}

// The shipped configuration is measured until it is known whether it loses more than the gain that counts, and one that is measured nowhere has no place.
func TestEliminationAnswersForTheShipped(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(17, 19))
	for loss, want := range map[float64]result.TunedStanding{1.01: result.TunedLevel, 1.06: result.TunedSlower} {
		r, _ := eliminated(t, rng, [][]float64{{loss, 1, 1.5}}, 0.004, 0.03)
		if at := r.Standing(1, 0); at != want || !r.Over() {
			t.Errorf("shipped is %g times as slow, and %s", loss, at)
		}
	}
	r := NewSurvivors(Elimination{Confidence: 0.99, Gain: 0.02, Configurations: 2, Cases: 1}, 0)
	if err := r.Look([][]Series{{{Configuration: 0}, {Configuration: 1}}}); err != nil || !r.Over() || r.Standing(0, 1) != result.TunedUnmeasured {
		t.Errorf("%v, over %t", err, r.Over())
	}
}
