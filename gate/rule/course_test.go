package rule

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/org/perfgate/stats"
)

// roundsOf draws rounds of a case: scatter and shift are in log units.
func roundsOf(random *rand.Rand, n int, shift, scatter float64) []stats.Round {
	rounds := make([]stats.Round, n)
	for i := range rounds {
		level := 10 + 0.05*random.NormFloat64()
		for range 2 {
			rounds[i].Base = append(rounds[i].Base, level+scatter*random.NormFloat64())
			rounds[i].Head = append(rounds[i].Head, level+shift+scatter*random.NormFloat64())
		}
	}
	return rounds
}

// follow takes looks until one is the last word, and says after how many rounds.
func follow(t *testing.T, c Course, all ...[]stats.Round) (Standing, int) {
	t.Helper()
	for _, n := range c.Looks {
		seen, timings := make([][]stats.Round, len(all)), make([]Timing, len(all))
		for i := range all {
			seen[i], timings[i] = all[i][:n], Timing{QuantumNS: 1, Launches: 1, MedianNS: 1e6}
		}
		s, err := c.Look(seen, timings)
		must(t, err)
		if s.Over {
			return s.Standing, n
		}
	}
	t.Fatal("the last look is not over")
	return Undecided, 0
}

// The chance that equal code is called ahead is held over all looks, also where claims are rare.
func TestEqualCodeIsNotAhead(t *testing.T) {
	if testing.Short() {
		t.Skip("many trials")
	}
	random := rand.New(rand.NewPCG(7, 8))
	const trials = 1500
	ahead, behind := 0, 0
	c := Screening(0.95, 0.02)
	for range trials {
		got, _ := follow(t, c, roundsOf(random, c.Last(), 0, 0.01))
		if got == Ahead {
			ahead++
		}
		if got == Behind {
			behind++
		}
	}
	if most := 0.05*trials + 3*math.Sqrt(0.05*trials); float64(ahead) > most || float64(behind) > most {
		t.Errorf("of %d pairs of equal code %d are ahead and %d behind", trials, ahead, behind)
	}
}

func TestCourseRefuses(t *testing.T) {
	c := Screening(0.99, 0.015)
	random := rand.New(rand.NewPCG(1, 1))
	one, two := roundsOf(random, 1, 0, 0.01), roundsOf(random, 2, 0, 0.01)
	tm := Timing{QuantumNS: 1, Launches: 1, MedianNS: 1e6}
	for name, cases := range map[string][][]stats.Round{"no case": nil, "before the first look": {one}, "cases of different length": {two, one}} {
		if _, err := c.Look(cases, []Timing{tm, tm}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
