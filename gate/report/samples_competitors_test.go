package report

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// competitorsSample is a regression that falls behind one competitor, on a machine that is slower than when it was recorded, and another competitor
// that could not be built.
func competitorsSample(tb testing.TB) *result.Result {
	r := blankSample()
	r.Policy.Cases, r.Policy.MinSpeedups, r.Policy.Competitors = 3, 3, 2
	k := kernel("attention", result.KernelCompared, passedParity(200))
	k.Competitors = []result.Competitor{
		{Name: "sdpa", Adapter: "bench/sdpa.pg.py", MinSpeedup: 1, Status: result.CompetitorMeasured, Build: k.Base},
		{Name: "flash", Adapter: "bench/flash.pg.cc", Status: result.CompetitorFailed, Reason: result.Message("it does not build: flash.h: No such file or directory")},
	}
	r.Kernels = []result.Kernel{k}
	shapes := with(attention, func(i int, s *shape) { s.shift, s.scatter = []float64{0.001, 0.12, -0.09}[i], 0.006 })
	speeds := []float64{1.32, 1.05, 0.97} // base's, against sdpa
	r = add(tb, r, shapes...)
	for i := range r.Cases {
		beside(tb, &r.Cases[i], r.Policy, shapes[i], speeds[i])
	}
	for i := range 2 {
		by := 1.021 + 0.003*float64(i)
		r.Cases[i].Competitors[0].Moved = &result.Moved{Commit: strings.Repeat("4e", 20), Machine: true,
			Base: result.Shift{Ratio: by, Low: by - 0.004, High: by + 0.004}, Competitor: result.Shift{Ratio: by + 0.002, Low: by - 0.003, High: by + 0.007}}
	}
	conclude(r)
	for i := range r.Rounds {
		r.Rounds[i].Order = competitorOrder(i)
	}
	return r
}

func competitorOrder(round int) string {
	o := rule.Orders{Schedule: rule.Schedule{Even: true}, Competitors: 2} // the second has its place, and was not built
	return o.Of(round, func() bool { return false })
}

// beside measures a case beside a competitor, in as many rounds as its first look takes, and decides what head has to keep.
func beside(tb testing.TB, c *result.Case, p result.Policy, s shape, speed float64) {
	tb.Helper()
	rng := rand.New(rand.NewPCG(7, math.Float64bits(s.ns)))
	rounds := max(rule.CompetitorLooks(p.Competitors)[0], len(c.Processes)/4)
	for i := len(c.Processes) / 4; i < rounds; i++ {
		simulateRound(c, rng, p, s, i)
	}
	var ofCompetitor []result.Process
	for i := range rounds {
		for place, letter := range competitorOrder(i) {
			if letter == 'R' {
				ns := s.ns * speed * math.Exp(s.scatter*rng.NormFloat64())
				ofCompetitor = append(ofCompetitor, result.Process{Round: i, Position: place, Variant: result.CompetitorNamed("sdpa"), ValueNS: ns, Samples: 16, Planned: 16, Checks: 2,
					Quantiles: result.Quantiles{Min: ns * 0.98, P25: ns * 0.99, P50: ns, P75: ns * 1.01, P90: ns * 1.02, P99: ns * 1.06, Max: ns * 1.09}})
			}
		}
	}
	head, base, err := rule.LookAtCompetitor(rule.ToCompetitor("sdpa", 1), slices.Concat(c.Processes, ofCompetitor), 1, rule.TimingOf(*c.Method), p)
	if err != nil {
		tb.Fatal(err)
	}
	places(c)
	c.Processes = append(c.Processes, ofCompetitor...)
	flash := rule.ToCompetitor("flash", 0)
	flash.Verdict, flash.Reason = result.Unmeasured, result.Message("it does not build")
	c.Comparisons = append(c.Comparisons, head, base, flash)
	c.Competitors = []result.Versus{{Competitor: "sdpa", Summary: summary(s, s.ns*speed, rounds)}, {Competitor: "flash"}}
}

// places moves the processes of a case to where rounds with a competitor have them.
func places(c *result.Case) {
	letters := map[result.Variant]rune{result.VariantBase: 'A', result.VariantHead: 'B'}
	seen := map[[2]int]int{}
	for i := range c.Processes {
		p := &c.Processes[i]
		key := [2]int{p.Round, int(letters[p.Variant])}
		for place, letter := range competitorOrder(p.Round) {
			if letter == letters[p.Variant] && place >= seen[key] {
				p.Position, seen[key] = place, place+1
				break
			}
		}
	}
}
