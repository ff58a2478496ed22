package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/stats"
)

// HiddenGains are the true improvements that are hidden: shares of base's time.
var HiddenGains = []float64{0.02, 0.05, 0.10}

// Search simulates searches, whose smallest gain is the first tolerance: of candidates that are all base itself in disguise, and of one true
// improvement among candidates that are none.
func (o Options) Search() (Tables, error) {
	head := fmt.Sprintf("Confidence %.4g %% over a search, gain %.3g %%, seed %d, %d searches a number. Rates in %%.\n\n", 100*o.Policy.Confidence, 100*o.gain(), o.Seed, o.Searches)
	equal, hidden := fmt.Sprintf("%d candidates that are base itself", o.Candidates), fmt.Sprintf("One improvement among %d candidates", o.Hidden)
	return o.simulate(head, func(t *Tables, n Noise, _ []result.Policy) {
		t.add(equal, o.equal(n))
		for _, others := range mixes {
			for _, gain := range HiddenGains {
				t.add(hidden, o.hidden(n, others, gain))
			}
		}
	})
}

func (o Options) gain() float64 { return o.Tolerances[0] }

// searched is what became of one simulated search.
type searched struct {
	better    []int // candidates, in the order in which they were called better
	worse     int
	requests  int
	processes int
}

// search judges candidates one after the other. speeds are the log times of their code over base's.
func (o Options) search(n Noise, speeds []float64, seed uint64) searched {
	var out searched
	spent, best := rule.Spending{Total: 1 - o.Policy.Confidence}, 0.0
	for i, speed := range speeds {
		standing, rounds := o.follow(n, speed-best, seed, 3*i, rule.Screening(o.Policy.Confidence, o.gain()))
		out.processes += 4 * rounds
		if standing == rule.Behind {
			out.worse++
		}
		if standing != rule.Ahead {
			continue
		}
		out.requests++
		course := rule.Confirmation(spent.Next(), o.Policy.Confidence, o.gain())
		standing, rounds = o.follow(n, speed-best, seed, 3*i+1, course)
		out.processes += 4 * rounds
		if standing == rule.Ahead && best != 0 {
			standing, rounds = o.follow(n, speed, seed, 3*i+2, course)
			out.processes += 4 * rounds
		}
		granted := standing == rule.Ahead
		spent.Granted = append(spent.Granted, granted)
		if granted {
			out.better, best = append(out.better, i), speed
		}
	}
	return out
}

// follow takes the looks of a course, with random numbers of their own, until one is the last.
func (o Options) follow(n Noise, shift float64, seed uint64, i int, course rule.Course) (rule.Standing, int) {
	t := newTrial(n, shift, seed, i)
	t.orders.Even = true
	for _, rounds := range course.Looks {
		stand, err := course.Look([][]stats.Round{t.upTo(rounds)}, []rule.Timing{n.Timing()})
		if err != nil || stand.Over {
			return stand.Standing, rounds
		}
	}
	return rule.Undecided, course.Last()
}

func (o Options) seedOf(search int) uint64 { return o.Seed + uint64(search)*0x9e3779b97f4a7c15 }

// equal is what judge says of candidates that are base itself, and what others would have kept of them, each measured in one process beside one of
// base: those with a mean below base's, which is KernelBench's rule, a speedup over 1; and what the fastest reading of a search claims to have gained
// over base's median reading, the median over the searches.
func (o Options) equal(n Noise) Row {
	type one struct {
		searched
		faster  int
		fastest float64
	}
	all := parallel(o.Searches, func(i int) one {
		out := one{searched: o.search(n, make([]float64, o.Candidates), o.seedOf(i))}
		out.faster, out.fastest = o.naive(n, o.seedOf(i)+1)
		return out
	})
	better := casesWith(all, func(s one) bool { return len(s.better) > 0 })
	worse, faster := Rate{Trials: len(all) * o.Candidates}, Rate{Trials: len(all) * o.Candidates}
	var fastest []float64
	for _, s := range all {
		worse.Hits, faster.Hits, fastest = worse.Hits+s.worse, faster.Hits+s.faster, append(fastest, s.fastest)
	}
	return Row{
		name("noise", n.Name()), rate("judge: searches with any `better`", better), cell("(at most)", "%s", better.upper()),
		number("requests a search", meanOf(all, func(s one) int { return s.requests })), rate("candidates called worse", worse),
		number("processes a candidate", meanOf(all, func(s one) int { return s.processes })/float64(o.Candidates)),
		rate("mean below base's: candidates", faster), rate("searches with any", casesWith(all, func(s one) bool { return s.faster > 0 })),
		cell("the fastest reading claims", "%+.1f", 100*stats.MedianOrNaN(fastest)),
	}
}

// naive measures each candidate in one process beside one of base: how many have a mean below base's, and what the fastest claims.
func (o Options) naive(n Noise, seed uint64) (faster int, fastest float64) {
	var bases, heads []float64
	for i := range o.Candidates {
		t := newTrial(n, 0, seed, i)
		t.keep = 1
		t.upTo(1)
		b, h := stats.Mean(t.samples[base][0]), stats.Mean(t.samples[head][0])
		if h < b {
			faster++
		}
		bases, heads = append(bases, b), append(heads, h)
	}
	return faster, stats.MedianOrNaN(bases)/slices.Min(heads) - 1
}

// mix is what the candidates are that are no improvement: log times over base's, in turn.
type mix struct {
	name   string
	speeds []float64
}

var mixes = []mix{
	{"equal to base", []float64{0}},
	{"a third each equal, 5 % and 30 % slower", []float64{0, math.Log(1.05), math.Log(1.3)}},
}

// hidden is how often judge calls the improvement better and another candidate, and how often a run of the gate for each does, which knows nothing of
// the others.
func (o Options) hidden(n Noise, others mix, gain float64) Row {
	type one struct {
		judge, gate searched
		at          int // place of the improvement
	}
	random := rand.New(rand.NewPCG(o.Seed, 0x68696464))
	places := make([]int, o.Searches)
	for i := range places {
		places[i] = random.IntN(o.Hidden)
	}
	all := parallel(o.Searches, func(i int) one {
		speeds := make([]float64, o.Hidden)
		for j := range speeds {
			speeds[j] = others.speeds[j%len(others.speeds)]
		}
		speeds[places[i]] = math.Log1p(-gain)
		return one{o.search(n, speeds, o.seedOf(i)+2), o.gates(n, speeds, o.seedOf(i)+3), places[i]}
	})
	row := Row{name("noise", n.Name()), name("the others", others.name), cell("hidden", "%.0f", 100*gain)}
	for _, by := range []struct {
		found, wrong, processes string
		of                      func(one) searched
	}{
		{"judge: found", "another one `better`", "processes a search", func(s one) searched { return s.judge }},
		{"gate for each: found", "another one faster", "processes", func(s one) searched { return s.gate }},
	} {
		found := func(s one) bool { return slices.Contains(by.of(s).better, s.at) }
		row = append(row, rate(by.found, casesWith(all, found)),
			rate(by.wrong, casesWith(all, func(s one) bool { return len(by.of(s).better) > 1 || len(by.of(s).better) == 1 && !found(s) })),
			cell(by.processes, "%.0f", meanOf(all, func(s one) int { return by.of(s).processes })))
	}
	return row
}

// gates runs the gate on each candidate beside base, and keeps what it calls significantly faster.
func (o Options) gates(n Noise, speeds []float64, seed uint64) searched {
	var out searched
	p := o.Policy
	p.Tolerance = o.gain()
	for i, speed := range speeds {
		c := gateCase(newTrial(n, speed, seed, i), n.Timing(), p)
		out.processes += c.processes
		if c.verdict == result.Faster || c.verdict == result.Improvement {
			out.better = append(out.better, i)
		}
	}
	return out
}
