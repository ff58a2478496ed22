package calibrate

import (
	"math"

	"github.com/org/perfgate/stats"
)

// The other rules get ten processes a side, as in `-count=10`: base has as many in its first rounds, and head more.
const (
	peerRounds    = 5
	peerProcesses = 10
)

// peer is a rule of another tool: samples of every process of base and of head to "slower, fail" or not.
type peer struct {
	name string
	says func(base, head [][]float64) bool
}

// peerRules are the rules beside which the gate is put. Each gets what its users give it.
var peerRules = []peer{
	{"over 3 % and disjoint 95 % intervals, one process a side", func(base, head [][]float64) bool {
		return disjoint(base[0], head[0])
	}},
	{"the same, launches of ten processes pooled", func(base, head [][]float64) bool {
		return disjoint(pooled(base), pooled(head))
	}},
	{"Mann-Whitney p < 0.05, ten processes a side (benchstat)", mannWhitneySlower},
	{"ratio of medians over 1.5 %, one process a side", func(base, head [][]float64) bool {
		return medianRatio(base[0], head[0]) > 1.015
	}},
	{"ratio of medians over 3 %, one process a side", func(base, head [][]float64) bool {
		return medianRatio(base[0], head[0]) > 1.03
	}},
}

// gateName is how the gate's own rule is called in the table of peers.
const gateName = "perfgate"

// disjoint is the seed project's rule for a regression: the median more than 3 % up, and 95 % percentile bootstrap
// intervals of the two medians that do not overlap.
func disjoint(base, head []float64) bool {
	b, errBase := stats.BootstrapMedian(base, 0.95)
	h, errHead := stats.BootstrapMedian(head, 0.95)
	return errBase == nil && errHead == nil && h.Estimate > 1.03*b.Estimate && h.Low > b.High
}

// mannWhitneySlower is benchstat's: one value a process, the mean as `go test -bench` reports it, p < 0.05, slower.
func mannWhitneySlower(base, head [][]float64) bool {
	b, h := means(base), means(head)
	test, err := stats.MannWhitneyU(b, h)
	return err == nil && test.P < 0.05 && medianRatio(b, h) > 1
}

func medianRatio(base, head []float64) float64 {
	b, errBase := stats.Median(base)
	h, errHead := stats.Median(head)
	if errBase != nil || errHead != nil {
		return math.NaN()
	}
	return h / b
}

func means(processes [][]float64) []float64 {
	out := make([]float64, len(processes))
	for i, samples := range processes {
		for _, x := range samples {
			out[i] += x / float64(len(samples))
		}
	}
	return out
}

func pooled(processes [][]float64) []float64 {
	var all []float64
	for _, samples := range processes {
		all = append(all, samples...)
	}
	return all
}

// PeerRow is what one rule says in one world.
type PeerRow struct {
	World  string
	Rule   string
	Suites Rate   // suites of unchanged code that fail
	Power  []Rate // cases of Shifts that fail
}

// peerWorlds are the worlds of the peers' table: the plain ones and what was recorded.
func (o Options) peerWorlds() []World {
	var kept []World
	for _, w := range o.Worlds {
		_, recorded := w.(Recording)
		model, ok := w.(Model)
		plain := ok && model.ModeChance == 0 && model.Drift == 0 && model.Wander == 0 && model.StepSize == 0 &&
			model.OutlierChance == 0 && !model.HeavyTails && model.HeadScatter == 0 && model.Correlation == 0.5 && model.MedianNS == 100_000
		if recorded || plain {
			kept = append(kept, w)
		}
	}
	return kept
}

func (o Options) peers() []PeerRow {
	var rows []PeerRow
	for _, w := range o.peerWorlds() {
		unchanged := o.peerCases(w, 0, o.Suites/2*o.SuiteCases)
		powers := make([][][]outcome, len(Shifts))
		for i, s := range Shifts {
			powers[i] = o.peerCases(w, math.Log1p(s), o.Cases/2)
		}
		for rule := range len(peerRules) + 1 {
			row := PeerRow{World: w.Name(), Rule: gateName}
			if rule > 0 {
				row.Rule = peerRules[rule-1].name
			}
			red := func(c outcome) bool { return c.red }
			row.Suites = suitesWith(column(unchanged, rule), o.SuiteCases, red)
			for i := range Shifts {
				row.Power = append(row.Power, casesWith(column(powers[i], rule), red))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// peerCases lets the gate and every peer judge the same cases: result [i][0] is the gate's, [i][1+k] that of peer k.
// The gate's first rounds are the peers' samples.
func (o Options) peerCases(w World, shift float64, n int) [][]outcome {
	return parallel(n, func(i int) []outcome {
		t := newTrial(w, shift, o.Seed+2, i)
		t.keep = peerRounds
		t.upTo(peerRounds)
		verdicts := []outcome{gateCase(t, w.Timing(), o.Policy)}
		for _, p := range peerRules {
			verdicts = append(verdicts, outcome{red: p.says(t.samples[base][:peerProcesses], t.samples[head][:peerProcesses])})
		}
		return verdicts
	})
}

func column(rows [][]outcome, k int) []outcome {
	out := make([]outcome, len(rows))
	for i, row := range rows {
		out[i] = row[k]
	}
	return out
}
