package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// What a suite is asked in simulations.
const (
	suiteTolerance = 0.01
	suiteWorst     = 0.05
	suiteGain      = 0.05 // of a suite that is faster
	tradedLoss     = 0.03 // of a case that may be traded
)

// suiteTruth is the true shifts of a suite, as fractions: its value, that of one case, and that case's from its best-known level. The other cases make up for it.
type suiteTruth struct {
	what               string
	suite, slower, old float64
}

var suiteTruths = []suiteTruth{
	{"unchanged", 0, 0, 0},
	{"suite at its tolerance", suiteTolerance, suiteTolerance, suiteTolerance},
	{"suite at 0, one case at the worst", 0, suiteWorst, suiteWorst},
	{"suite at 0, one case slower", 0, tradedLoss, tradedLoss},
	{"suite faster, one case at the worst", -suiteGain, suiteWorst, suiteWorst},
	{"suite faster, one case slower, at the worst since its best-known level", -suiteGain, tradedLoss, suiteWorst},
	{"suite faster, one case slower", -suiteGain, tradedLoss, tradedLoss},
}

// Suite simulates runs whose cases are decided together as well.
func (o Options) Suite() (Tables, error) {
	head := fmt.Sprintf("Confidence %.4g %%, runs of %d cases of equal weight, tolerance %g %%; of the suite %g %%, worst %g %%. Faster is %g %%, slower %g %%. Seed %d, %d runs a row; rates in %%.\n\n",
		100*o.Policy.Confidence, o.SuiteCases, 100*o.Tolerances[0], 100*suiteTolerance, 100*suiteWorst, 100*suiteGain, 100*tradedLoss, o.Seed, o.Trials)
	return o.simulate(head, func(t *Tables, n Noise, policies []result.Policy) {
		p := policies[0]
		p.Suite = result.Suite{Tolerance: suiteTolerance, Worst: suiteWorst}
		for _, shared := range []bool{false, true} {
			for _, truth := range suiteTruths {
				t.add("A suite, and its trades", o.suiteRow(n, truth, shared, p))
			}
		}
	})
}

// suiteRow is one truth in one kind of noise. Where it is shared, half of the variance between processes is that of all their cases.
func (o Options) suiteRow(n Noise, truth suiteTruth, shared bool, p result.Policy) Row {
	type run struct {
		result.Conclusion
		value     result.Verdict // of the suite
		processes int
	}
	runs := parallel(o.Trials, func(i int) run {
		cases := suiteRun(n, truth, shared, p, o.Seed, i)
		c := rule.Conclude(cases, nil, p)
		return run{c, c.Suites[0].Verdict, len(cases[0].Sides())}
	})
	return Row{
		name("noise", n.Name()), name("cases of a process", sharing(shared)), name("truth", truth.what),
		limited("traded", casesWith(runs, func(r run) bool { return len(r.With(result.EffectTraded)) > 0 })),
		limited("suite: regression", casesWith(runs, func(r run) bool { return r.value == result.Regression })),
		limited("suite: passes", casesWith(runs, func(r run) bool {
			return slices.Contains([]result.Verdict{result.Same, result.Slower, result.Faster, result.Improvement}, r.value)
		})),
		limited("run passes", casesWith(runs, func(r run) bool { return r.Exit == result.ExitPassed })),
		number("processes", meanOf(runs, func(r run) int { return r.processes })),
	}
}

// suiteRun measures the cases of a run, as its stop rules ask for.
func suiteRun(n Noise, truth suiteTruth, shared bool, p result.Policy, seed uint64, run int) []result.Case {
	cases, trials := make([]result.Case, p.Cases), make([]*trial, p.Cases)
	all, stop := make([]*result.Case, p.Cases), rule.NewSuiteLooks(p, nil, nil, false)
	rest := (float64(p.Cases)*math.Log1p(truth.suite) - math.Log1p(truth.slower)) / float64(max(1, p.Cases-1))
	for i := range cases {
		shift := rest
		if i == 0 {
			shift = math.Log1p(truth.slower)
		}
		trials[i], cases[i] = newTrial(n, shift, seed, run*p.Cases+i), newCase(fmt.Sprintf("k/n=%d", i), n.Timing())
		all[i] = &cases[i]
	}
	common := rand.New(rand.NewPCG(seed, uint64(run)))
	looks := rule.ScheduleOf(p).Looks()
	for look, size := range looks {
		levels := make([]float64, 6*size) // of processes, where their cases share them
		for i := 6 * len(rule.Rounds(cases[0].Processes)); shared && i < len(levels); i++ {
			levels[i] = sharedSD * common.NormFloat64()
		}
		for i := range cases {
			extend(&cases[i], trials[i], size, levels)
			decideOnce(&cases[i], look, look == len(looks)-1, p)
		}
		undecided := slices.ContainsFunc(cases, func(c result.Case) bool { return c.Verdict == result.Undecided })
		if undecided {
			continue
		}
		if _, err := stop.Look(size, all); err != nil || !stop.Wants(all[0], result.VariantHead) {
			break
		}
	}
	if slices.Contains(rule.TradeCandidates(cases, p, false), cases[0].Name) {
		besideBest(&cases[0], newTrial(n, math.Log1p(truth.old), seed+1, run), n.Timing(), p)
	}
	return cases
}

// sharedSD is what all cases of a process have in common, in addition to the noise of each.
const sharedSD = 0.006

func newCase(name string, tm rule.Timing) result.Case {
	return result.Case{Name: name, Kernel: "k", Verdict: result.Undecided, Method: &result.Method{
		Clock: result.ClockBenchmark, Launches: tm.Launches, QuantumNS: tm.QuantumNS, LaunchNS: tm.MedianNS,
	}}
}

// extend measures a case until it has so many rounds. Levels are what its processes share with those of other cases, none where it is alone.
func extend(c *result.Case, t *trial, rounds int, levels []float64) {
	done := len(rule.Rounds(c.Processes))
	for i, r := range t.upTo(rounds) {
		for k, y := range slices.Concat(r.Base, r.Head) {
			v := result.VariantHead
			if k < len(r.Base) {
				v = result.VariantBase
			}
			if i >= done {
				if levels != nil {
					y += levels[6*i+k]
				}
				ns := math.Exp(y)
				c.Processes = append(c.Processes, result.Process{Round: i, Position: k, Variant: v, ValueNS: ns, Quantiles: result.Quantiles{Min: ns, Max: ns}})
			}
		}
	}
}

// decideOnce takes a look at a case that is not decided.
func decideOnce(c *result.Case, look int, last bool, p result.Policy) {
	if c.Verdict != result.Undecided {
		return
	}
	p = p.OfCase(*c)
	if rounds := rule.Rounds(c.Processes); !last && !rule.MayDecide(rounds, look+1, rule.TimingOf(*c.Method), p) {
		c.Looks = append(c.Looks, result.Look{Rounds: len(rounds), Verdict: c.Verdict})
		return
	}
	q, err := rule.CompareProcesses(c.Processes, look+1, *c.Method, p)
	if err != nil {
		c.Verdict = result.Error
		return
	}
	c.Verdict = rule.Decide(q, p, last)
	q.Verdict = c.Verdict
	c.SetComparison(result.VariantHead, result.VariantBase, &q)
	c.Looks = append(c.Looks, result.Look{Rounds: q.Rounds, Verdict: c.Verdict})
}

// besideBest measures a case beside a build of its best-known level.
func besideBest(c *result.Case, t *trial, tm rule.Timing, p result.Policy) {
	limit, other, looks := rule.CumulativePolicy(p, p.Suite.Worst), newCase(theCase, tm), rule.ScheduleOf(p).Looks()
	for look, size := range looks {
		extend(&other, t, size, nil)
		decideOnce(&other, look, look == len(looks)-1, limit)
	}
	c.SetComparison(result.VariantHead, result.Variant{Role: result.RoleBestKnown}, other.Compared())
}

func sharing(shared bool) string {
	if shared {
		return "share a level"
	}
	return "independent"
}
