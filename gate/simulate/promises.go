package simulate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/stats"
)

// Shifts are the true slowdowns of which the power is stated.
var Shifts = []float64{0.01, 0.02, 0.03, 0.05}

// at3 is where Shifts has 3 %.
const at3 = 2

// CheckedRounds are the rounds after which bounds and the minimum detectable effect are checked: 12, 28 and 60 processes.
var CheckedRounds = []int{2, 6, 14}

// coverageAlpha is the error of one side of the bounds whose coverage is counted.
const coverageAlpha = 0.01

// ruleTwoLooks are the looks of the rule that this one replaced, in rounds. It had two processes of each side in every round and shared both
// error rates equally, which a policy with as many planned looks does as well.
var ruleTwoLooks = []int{4, 6, 8, 12, 16, 20, 28, 36}

// Promises are what the rule promises.
type Promises struct {
	Options Options
	Rows    []Promise
}

// Promise is what the rule does in one kind of noise at one tolerance.
type Promise struct {
	Noise        string
	Tolerance    float64
	Red          Rate       // unchanged cases called a regression
	Failed       Rate       // unchanged cases that fail a run, by their estimate too
	FailedSuites Rate       // unchanged suites with such a case
	Passed       Rate       // cases exactly at the tolerance that pass
	EdgeRed      Rate       // the same that are called a regression
	EdgeSuites   Rate       // suites at the tolerance with such a case
	EdgeOver     Rate       // cases at the tolerance that fail by their estimate
	Same         Rate       // unchanged cases that pass
	Undecided    Rate       // unchanged cases that no look decides
	Found        Rate       // cases twice the tolerance slower that are called a regression
	Power        []Rate     // cases of Shifts that are called a regression
	PassedAt3    Rate       // cases at +3 % that pass
	Processes    [2]float64 // of an unchanged case, by this rule and by the one before
	ProcessesAt3 float64    // of a case at +3 %
	Effects      []Effect   // after CheckedRounds
	Misses       []string   // targets that are missed
}

// Effect is what bounds and the minimum detectable effect are worth.
type Effect struct {
	Covered Rate    // 98 % bounds that contain the true shift
	Stated  Rate    // cases whose run states an effect
	Seen    Rate    // of these, those whose effect another case of the same noise distinguishes from 0
	MDE     float64 // median; 0.01 is 1 %
}

// Promise simulates what the rule promises.
func (o Options) Promise() (Promises, error) {
	out := Promises{Options: o}
	policies, err := o.policies()
	for _, n := range o.Noise {
		for _, p := range policies {
			out.Rows = append(out.Rows, o.promise(n, p))
		}
		o.observe(n.Name())
	}
	return out, err
}

func (o Options) promise(n Noise, p result.Policy) Promise {
	unchanged, edge, slow := o.cases(n, 0, p), o.cases(n, math.Log1p(p.Tolerance), p), o.cases(n, math.Log1p(2*p.Tolerance), p)
	row := Promise{
		Noise: n.Name(), Tolerance: p.Tolerance,
		Red: casesWith(unchanged, isRegression), Failed: casesWith(unchanged, isRed), FailedSuites: suitesWith(unchanged, o.SuiteCases, isRed),
		Passed: casesWith(edge, passes), EdgeRed: casesWith(edge, isRegression), EdgeSuites: suitesWith(edge, o.SuiteCases, isRegression),
		EdgeOver: casesWith(edge, func(c outcome) bool { return c.kind == result.FindingSlowerEstimateOver }),
		Same:     casesWith(unchanged, passes), Undecided: casesWith(unchanged, func(c outcome) bool { return c.verdict == result.Inconclusive }),
		Found: casesWith(slow, isRegression), Effects: o.effects(n, p),
	}
	row.Processes = [2]float64{meanProcesses(unchanged), meanProcesses(o.casesOfRuleTwo(n, p))}
	for i, s := range Shifts {
		cases := o.cases(n, math.Log1p(s), p)
		row.Power = append(row.Power, casesWith(cases, isRegression))
		if i == at3 {
			row.PassedAt3, row.ProcessesAt3 = casesWith(cases, passes), meanProcesses(cases)
		}
	}
	row.Misses = targetOf(n).misses(row)
	return row
}

// casesOfRuleTwo are unchanged cases by the rule before.
func (o Options) casesOfRuleTwo(n Noise, p result.Policy) []outcome {
	p.PlannedLooks = len(ruleTwoLooks)
	return parallel(o.Trials, func(i int) outcome {
		t := newTrial(n, 0, o.Seed+1, i)
		t.orders.Even = true
		return lookUntilDecided(t, n.Timing(), p, ruleTwoLooks)
	})
}

// checkedCase is what bounds and effect of one case are worth, and the rounds from which the effect was stated.
type checkedCase struct {
	rounds                []stats.Round
	covered, stated, seen bool
	mde                   float64
}

// effects counts how often 98 % bounds contain the true shift, made as the gate makes them, and how often the effect that one case states is
// distinguished from 0 by another whose true shift is that.
func (o Options) effects(n Noise, p result.Policy) []Effect {
	single, looks, last := p, rule.ScheduleOf(p).Looks(), CheckedRounds[len(CheckedRounds)-1]
	single.Cases, single.PlannedLooks, single.Confidence = 1, 1, 1-coverageAlpha
	cases := parallel(o.Trials, func(i int) (out []checkedCase) {
		first, second := newTrial(n, 0, o.Seed+2, i).upTo(last), newTrial(n, 0, o.Seed+3, i).upTo(last)
		for _, rounds := range CheckedRounds {
			look := 1 + slices.Index(looks, rounds)
			bounds, errBounds := rule.Compare(second[:rounds], 1, n.Timing(), single)
			stating, errStating := rule.Compare(first[:rounds], look, n.Timing(), p)
			seeing, errSeeing := rule.Compare(second[:rounds], look, n.Timing(), p)
			out = append(out, checkedCase{
				rounds: first[:rounds], covered: errBounds == nil && bounds.Low <= 0 && 0 <= bounds.High,
				mde: stating.MDE, stated: errStating == nil && stating.MDE > 0,
				seen: errSeeing == nil && seeing.Low+math.Log1p(stating.MDE) > 0, // a shift moves the bounds as it is
			})
		}
		return out
	})
	effects := make([]Effect, len(CheckedRounds))
	for k := range effects {
		var stated []float64
		for suite := range slices.Chunk(cases, o.SuiteCases) { // whether effects are stated, all cases of a run decide together
			var rounds [][]stats.Round
			for _, c := range suite {
				rounds = append(rounds, c[k].rounds)
			}
			unsteady := rule.Unsteady(rounds)
			for _, c := range suite {
				effects[k].Covered.add(c[k].covered)
				effects[k].Stated.add(c[k].stated && !unsteady)
				if c[k].stated {
					stated = append(stated, c[k].mde)
				}
				if c[k].stated && !unsteady {
					effects[k].Seen.add(c[k].seen)
				}
			}
		}
		effects[k].MDE = stats.MedianOrNaN(stated)
	}
	return effects
}

// Render writes the promises as Markdown tables.
func (r Promises) Render() string {
	var b strings.Builder
	o := r.Options
	fmt.Fprintf(&b, "Confidence %.4g %% over suites of %d cases, seed %d, %d cases a number. All rates in %%, of cases where nothing else is said; "+
		"(at most) is the upper 95 %% limit of the rate before it.\n\n",
		100*o.Policy.Confidence, o.SuiteCases, o.Seed, o.Trials)
	noise := column[Promise]{"noise", func(p Promise) string { return p.Noise }}
	tolerance := column[Promise]{"tolerance", func(p Promise) string { return fmt.Sprintf("%g", 100*p.Tolerance) }}
	rate := func(header string, of func(Promise) Rate) column[Promise] {
		return column[Promise]{header, func(p Promise) string { return of(p).String() }}
	}
	limited := func(header string, of func(Promise) Rate) column[Promise] {
		return column[Promise]{header + " (at most)", func(p Promise) string { return of(p).String() + " (" + of(p).upper() + ")" }}
	}
	number := func(header string, of func(Promise) float64) column[Promise] {
		return column[Promise]{header, func(p Promise) string { return decimal(of(p)) }}
	}
	effect := func(header string, text func(Effect) string) column[Promise] {
		return column[Promise]{header, func(p Promise) string { return joined(p.Effects, text) }}
	}
	writeTable(&b, "How often it is wrong", 1, r.Rows, noise, tolerance,
		limited("unchanged: regression", func(p Promise) Rate { return p.Red }),
		rate("unchanged: run fails", func(p Promise) Rate { return p.Failed }),
		limited("unchanged: suites that fail", func(p Promise) Rate { return p.FailedSuites }),
		limited("at the tolerance: passed", func(p Promise) Rate { return p.Passed }),
		rate("at the tolerance: regression", func(p Promise) Rate { return p.EdgeRed }),
		limited("at the tolerance: suites with a regression", func(p Promise) Rate { return p.EdgeSuites }),
		rate("at the tolerance: slower, estimate over", func(p Promise) Rate { return p.EdgeOver }),
		column[Promise]{"target", func(p Promise) string { return targetWords(p.Misses) }})
	costs := []column[Promise]{noise, tolerance,
		rate("unchanged: passed", func(p Promise) Rate { return p.Same }),
		rate("unchanged: undecided", func(p Promise) Rate { return p.Undecided }),
		rate("regression at twice the tolerance", func(p Promise) Rate { return p.Found })}
	for i, s := range Shifts {
		costs = append(costs, rate(fmt.Sprintf("at %+g %%", 100*s), func(p Promise) Rate { return p.Power[i] }))
	}
	writeTable(&b, "What it finds, and what it costs", 1, r.Rows, append(costs,
		rate("passed at +3 %", func(p Promise) Rate { return p.PassedAt3 }),
		number("processes", func(p Promise) float64 { return p.Processes[0] }),
		number("by rule 2", func(p Promise) float64 { return p.Processes[1] }),
		number("of rule 2's, %", func(p Promise) float64 { return 100 * p.Processes[0] / p.Processes[1] }),
		number("processes at +3 %", func(p Promise) float64 { return p.ProcessesAt3 }))...)
	writeTable(&b, "Bounds and the minimum detectable effect, after 12 / 28 / 60 processes", 1, r.Rows, noise, tolerance,
		effect("98 % bounds cover", func(e Effect) string { return e.Covered.String() }),
		effect("effect, %", func(e Effect) string { return fmt.Sprintf("%.2f", 100*e.MDE) }),
		effect("effect stated", func(e Effect) string { return e.Stated.String() }),
		effect("effect seen", func(e Effect) string { return e.Seen.String() }))
	return b.String()
}

func targetWords(misses []string) string {
	if len(misses) == 0 {
		return "holds"
	}
	return "missed: " + strings.Join(misses, "; ")
}
