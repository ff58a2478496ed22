package rule

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// noisySuite has cases of four rounds; a side has a level of its own in each, of the given scatter.
func noisySuite(rng *rand.Rand, cases int, scatter, sides, shift float64, heavy bool) []result.Case {
	draw := func() float64 {
		z := rng.NormFloat64()
		if heavy && rng.IntN(10) == 0 {
			z *= 8
		}
		return z
	}
	var out []result.Case
	for i := range cases {
		c := result.Case{Name: fmt.Sprint("k/n=", i), Kernel: "k", Verdict: result.Same}
		var orders Orders
		for round := range 4 {
			levels := map[result.Side]float64{result.SideBase: sides * rng.NormFloat64(), result.SideHead: shift + sides*rng.NormFloat64()}
			for place, letter := range orders.Of(round, func() bool { return rng.IntN(2) == 0 }) {
				side := map[rune]result.Side{'A': result.SideBase, 'B': result.SideHead}[letter]
				ns := 1e6 * math.Exp(levels[side]+scatter*draw())
				c.Processes = append(c.Processes, result.Process{Round: round, Position: place, Variant: side.Variant(), ValueNS: ns, Quantiles: result.Quantiles{Min: ns, Max: ns}})
			}
		}
		out = append(out, c)
	}
	return out
}

func TestLevelsOfSidesAreNoted(t *testing.T) {
	for name, c := range map[string]struct {
		sides, shift float64
		heavy        bool
		want         bool
	}{
		"plain":          {0, 0, false, false},
		"head is slower": {0, 0.1, false, false},
		"heavy tails":    {0, 0, true, false},
		"levels":         {0.006, 0, false, true},
		"levels, slower": {0.006, 0.05, false, true},
	} {
		noted := 0
		const runs = 100
		for seed := range uint64(runs) {
			cases := noisySuite(rand.New(rand.NewPCG(seed, 9)), 28, 0.002, c.sides, c.shift, c.heavy)
			k := result.Kernel{Name: "k", Status: result.KernelCompared, Base: &result.Build{}, Head: &result.Build{}, Parity: result.Parity{Status: result.ParityPassed, Run: 1}}
			concluded := Conclude(cases, []result.Kernel{k}, Default())
			if concluded.Has(result.FindingInteraction) {
				noted++
				if concluded.Exit != result.ExitPassed {
					t.Fatalf("%s: a note fails the run: %+v", name, concluded)
				}
			}
		}
		if c.want && noted < runs || !c.want && noted > 0 {
			t.Errorf("%s: noted in %d of %d runs", name, noted, runs)
		}
	}
}

// The chance of a count over rounds of both kinds is that of drawing each: 1 in 3, and 1 in 15.
func TestChanceOfRoundsThatLieApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	const even, uneven, trials = 20, 12, 200_000
	counts := make([]int, even+uneven+1)
	for range trials {
		n := 0
		for range even {
			if rng.IntN(3) == 0 {
				n++
			}
		}
		for range uneven {
			if rng.IntN(15) == 0 {
				n++
			}
		}
		counts[n]++
	}
	atLeast := trials
	for n, count := range counts {
		d := division{n, even, uneven}
		if drawn := float64(atLeast) / trials; math.Abs(d.chance()-drawn) > 0.005 {
			t.Errorf("%d or more: %v, drawn %v", n, d.chance(), drawn)
		}
		atLeast -= count
	}
}

// Twelve processes of a case cannot show that its sides have levels: they say nothing, however many cases there are.
func TestTwelveProcessesShowNoLevels(t *testing.T) {
	cases := noisySuite(rand.New(rand.NewPCG(1, 9)), 200, 0.002, 0.02, 0, false)
	for i := range cases {
		cases[i].Processes = cases[i].Processes[:12]
	}
	if c := Conclude(cases, nil, Default()); c.Has(result.FindingInteraction) {
		t.Error("levels of sides are noted")
	}
}
