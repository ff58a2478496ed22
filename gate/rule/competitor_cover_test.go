package rule

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The interval of head against a competitor holds the true ratio as often as it is stated, at its first look, where processes scatter evenly,
// drift, have tails, or where a place of every round is slower.
func TestIntervalsAgainstCompetitorsCover(t *testing.T) {
	t.Parallel()
	const trials = 150
	p := Default()
	p.Cases, p.MinSpeedups, p.Competitors = 1, 1, 1
	for name, b := range map[string]beside{
		"even": {head: 0.1, sd: 0.01}, "drift": {head: -0.2, sd: 0.005, drift: 0.002}, "a slow place": {competitor: 0.05, sd: 0.01, middle: 0.03}, "noisy": {head: 0.4, sd: 0.05},
	} {
		rng := rand.New(rand.NewPCG(41, math.Float64bits(b.sd)))
		missed, wide := 0, 0.0
		for range trials {
			ofCase, ofCompetitor := b.rounds(rng, CompetitorLooks(1)[0])
			for i := range ofCase { // one process in ten is up to 4 sd slower, whatever its side
				if rng.IntN(10) == 0 {
					ofCase[i].ValueNS *= math.Exp(4 * b.sd * rng.Float64())
					ofCase[i].Quantiles.Max = ofCase[i].ValueNS
				}
			}
			head, _, err := LookAtCompetitor(ToCompetitor("lib", 1), slices.Concat(ofCase, ofCompetitor), 1, Timing{QuantumNS: 1, Launches: 1, MedianNS: 1e5}, p)
			if err != nil {
				t.Fatal(err)
			}
			truth := b.head - b.competitor
			if head.Low > truth+0.2*b.sd || head.High < truth-0.2*b.sd { // the slow ones are a part of head: 0.2 sd on average
				missed++
			}
			wide += (head.High - head.Low) / trials
		}
		t.Logf("%s: %d of %d missed, %.2f %% wide", name, missed, trials, 100*wide)
		if stated := 1 - p.Confidence; float64(missed) > 2+3*stated*trials {
			t.Errorf("%s: %d of %d intervals miss the ratio", name, missed, trials)
		}
		if math.IsNaN(wide) || wide > 20*b.sd+0.1 {
			t.Errorf("%s: intervals are %.3f wide on average: they hold anything", name, wide)
		}
	}
}
