package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// The goal of simulations: in so many cases of a run, whichever they are, head is so many times as fast as a competitor.
const (
	goalSpeedup = 1.1
	goalCases   = 2
	goalMargin  = 0.05 // by which a case is off its goal that is not just at it
)

// goalTruths are by how much the first cases and the others are faster than the goal wants.
var goalTruths = []struct {
	what          string
	first         int
	margin, other float64
}{
	{"one case above the goal, the others just at it", goalCases - 1, goalMargin, 0},
	{"just enough cases at the goal, the others below it", goalCases, 0, -goalMargin},
	{"just enough cases above the goal, the others below it", goalCases, goalMargin, -goalMargin},
	{"one case too few above the goal, the others below it", goalCases - 1, goalMargin, -goalMargin},
}

// Goal simulates runs that are asked for a speedup over a competitor in some of their cases.
func (o Options) Goal() (Tables, error) {
	head := fmt.Sprintf("Confidence %.4g %%, runs of %d cases with one goal: %gx in %d cases, which are off it by %g %% where they are not at it. Seed %d, %d runs a row; rates in %%.\n\n",
		100*o.Policy.Confidence, o.SuiteCases, goalSpeedup, goalCases, 100*goalMargin, o.Seed, o.Trials)
	kernels := []result.Kernel{{Name: "k", Competitors: []result.Competitor{{Name: "lib", Adapter: "lib", Status: result.CompetitorMeasured}}}}
	return o.simulate(head, func(t *Tables, n Noise, policies []result.Policy) {
		p := policies[0]
		p.MinSpeedups, p.Competitors, p.Goals = p.Cases, 1, []result.Goal{{Speedup: goalSpeedup, Over: "lib", Cases: goalCases}}
		for _, shared := range []bool{false, true} {
			for _, truth := range goalTruths {
				runs := parallel(o.Trials, func(run int) result.Conclusion {
					cases, common := make([]result.Case, p.Cases), sharedLevels(shared, o.Seed, run)
					for i := range cases {
						margin := truth.other
						if i < truth.first {
							margin = truth.margin
						}
						cases[i] = besideLibrary(n, math.Log(goalSpeedup)+math.Log1p(margin), common, p, o.Seed, run*p.Cases+i)
					}
					return rule.Conclude(cases, kernels, p)
				})
				t.add("A goal over a competitor", Row{
					name("noise", n.Name()), name("cases of a process", sharing(shared)), name("truth", truth.what),
					limited("reached", casesWith(runs, func(c result.Conclusion) bool { return c.Has(result.FindingGoalReached) })),
					limited("missed", casesWith(runs, func(c result.Conclusion) bool { return c.Has(result.FindingGoalMissed) })),
				})
			}
		}
	})
}

// sharedLevels are what the cases of a process have in common, by its round and its place.
func sharedLevels(shared bool, seed uint64, run int) []float64 {
	looks := rule.CompetitorLooks(1)
	levels := make([]float64, placesBeside*looks[len(looks)-1])
	common := rand.New(rand.NewPCG(seed, uint64(run)))
	for i := range levels {
		if shared {
			levels[i] = sharedSD * common.NormFloat64()
		}
	}
	return levels
}

// placesBeside is how many processes a round with one competitor has: two of each.
const placesBeside = 6

// besideLibrary is case i as it was measured alongside a library that takes longer than it by a logarithm, until its goal needs no further look.
func besideLibrary(n Noise, longer float64, levels []float64, p result.Policy, seed uint64, i int) result.Case {
	t, c := newTrial(n, 0, seed, i), newCase(fmt.Sprintf("k/n=%d", i), n.Timing())
	orders, library := rule.Orders{Schedule: rule.Schedule{Even: true}, Competitors: 1}, result.CompetitorNamed("lib")
	q, stop, rounds := rule.ToCompetitor(library.Name, 0), rule.NewSpeedups(p), 0
	c.SetComparison(q.Of, q.To, &q)
	for _, size := range rule.CompetitorLooks(p.Competitors) {
		for ; rounds < size; rounds++ {
			for place, letter := range orders.Of(rounds, func() bool { return t.random.IntN(2) == 0 }) {
				side := base
				if letter == 'B' {
					side = head
				}
				y := t.process(side, Place{side == head, place, placesBeside}) + levels[placesBeside*rounds+place]
				v := []result.Variant{result.VariantBase, result.VariantHead}[side]
				if letter != 'A' && letter != 'B' {
					v, y = library, y+longer
				}
				ns := math.Exp(y)
				c.Processes = append(c.Processes, result.Process{Round: rounds, Position: place, Variant: v, ValueNS: ns, Quantiles: result.Quantiles{Min: ns, Max: ns}})
			}
		}
		if _, err := stop.Look(size, []*result.Case{&c}); err != nil || !stop.Wants(&c, library) {
			break
		}
	}
	c.Verdict = result.Same
	return c
}
