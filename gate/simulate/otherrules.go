package simulate

import (
	"fmt"
	"math"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// The other rules get ten processes a side, as in `-count=10`: base has as many in its first rounds, and head more.
const (
	otherRounds    = 5
	otherProcesses = 10
)

// otherRule is a rule of another tool: samples of every process of base and of head to "slower, fail" or not.
type otherRule struct {
	name  string
	fails func(base, head [][]float64) bool
}

// otherRules are the rules that the gate is compared with. Each gets what its users give it.
var otherRules = []otherRule{
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

// gateName is how the gate's own rule is called in the table.
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
		out[i] = stats.Mean(samples)
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

// OtherRule lets the gate and the rules of other tools decide the same cases, at the first tolerance.
func (o Options) OtherRule() (Tables, error) {
	return o.simulate("", func(t *Tables, n Noise, policies []result.Policy) {
		unchanged := o.casesOfAll(n, 0, policies[0])
		slower := make([][][]outcome, len(Shifts))
		for i, s := range Shifts {
			slower[i] = o.casesOfAll(n, math.Log1p(s), policies[0])
		}
		for k, rule := range append([]otherRule{{name: gateName}}, otherRules...) {
			fails := func(by []outcome) bool { return isRed(by[k]) }
			row := Row{name("noise", n.Name()), name("rule", rule.name), rate("unchanged suites that fail", suitesWith(unchanged, o.SuiteCases, fails))}
			for i, s := range Shifts {
				row = append(row, rate(fmt.Sprintf("fails at %+g %%", 100*s), casesWith(slower[i], fails)))
			}
			t.add("Other rules, on the same samples", row)
		}
	})
}

// casesOfAll lets the gate and every other rule decide the same cases: result [i][0] is the gate's, [i][1+k] that of rule k. The gate's first rounds
// are the samples of the others.
func (o Options) casesOfAll(n Noise, shift float64, p result.Policy) [][]outcome {
	return parallel(o.Trials, func(i int) []outcome {
		t := newTrial(n, shift, o.Seed+2, i)
		t.keep = otherRounds
		t.upTo(otherRounds)
		outcomes := []outcome{gateCase(t, n.Timing(), p)}
		for _, rule := range otherRules {
			outcomes = append(outcomes, outcome{red: rule.fails(t.samples[base][:otherProcesses], t.samples[head][:otherProcesses])})
		}
		return outcomes
	})
}
