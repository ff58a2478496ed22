package calibrate

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/stats"
)

// PromiseOptions says what the table of promises is simulated of.
type PromiseOptions struct {
	Seed       uint64
	Trials     int // cases for every number
	SuiteCases int // of a run, each tested at its share of the error rate
	Policy     result.Policy
	Tolerances []float64
	Worlds     []World
	Observe    func(done string) // may be nil
}

// Promises is what the rule promises, world by world.
type Promises struct {
	Options PromiseOptions
	Rows    []Promise
}

// Promise is what the rule does in one world at one tolerance.
type Promise struct {
	World     string
	Tolerance float64
	Red       Rate       // unchanged cases called a regression
	Failed    Rate       // unchanged cases that fail a run, by their estimate too
	Passed    Rate       // cases exactly at the tolerance that pass
	EdgeRed   Rate       // the same that are called a regression
	EdgeOver  Rate       // the same that fail by their estimate
	Same      Rate       // unchanged cases that pass
	Found     Rate       // cases twice the tolerance slower that are called a regression
	Processes [2]float64 // of an unchanged case, by this rule and by the one before
	Seen      []Rate     // runs that see the effect that another of the same world states, after SeenRounds
	Stated    []Rate     // runs that state one
}

// SeenRounds are the rounds after which the power of the stated effect is counted: 12, 28 and 60 processes.
var SeenRounds = []int{2, 6, 14}

// before are the looks of the rule that this one replaced. It had two processes of each side in every round and shared both chances of
// error equally, which a policy with as many planned looks does as well.
var before = []int{4, 6, 8, 12, 16, 20, 28, 36}

// Promise simulates the table of promises.
func (o PromiseOptions) Promise() (Promises, error) {
	o.Policy.Cases = o.SuiteCases
	out := Promises{Options: o}
	for _, w := range o.Worlds {
		for _, tolerance := range o.Tolerances {
			p := o.Policy
			if p.Tolerance = tolerance; p.Validate() != nil {
				return out, p.Validate()
			}
			out.Rows = append(out.Rows, o.row(w, p))
		}
		if o.Observe != nil {
			o.Observe(w.Name())
		}
	}
	return out, nil
}

func (o PromiseOptions) row(w World, p result.Policy) Promise {
	m := math.Log1p(p.Tolerance)
	unchanged, edge, slow := o.cases(w, 0, p), o.cases(w, m, p), o.cases(w, math.Log1p(2*p.Tolerance), p)
	over := func(c outcome) bool { return c.kind == result.FindingSlowerEstimateOver }
	row := Promise{
		World: w.Name(), Tolerance: p.Tolerance,
		Red: casesWith(unchanged, isRegression), Failed: casesWith(unchanged, isRed), Same: casesWith(unchanged, passes),
		Passed: casesWith(edge, passes), EdgeRed: casesWith(edge, isRegression), EdgeOver: casesWith(edge, over),
		Found: casesWith(slow, isRegression),
	}
	row.Processes = [2]float64{meanProcesses(unchanged), meanProcesses(o.casesBefore(w, p))}
	row.Stated, row.Seen = o.seen(w, p)
	return row
}

func (o PromiseOptions) cases(w World, shift float64, p result.Policy) []outcome {
	return parallel(o.Trials, func(i int) outcome { return gateCase(newTrial(w, shift, o.Seed, i), w.Timing(), p) })
}

// casesBefore are unchanged cases by the rule before.
func (o PromiseOptions) casesBefore(w World, p result.Policy) []outcome {
	p.PlannedLooks = len(before)
	return parallel(o.Trials, func(i int) outcome {
		t := newTrial(w, 0, o.Seed+1, i)
		t.orders.Even = true
		return lookUntilDecided(t, w.Timing(), p, before)
	})
}

// seen counts how often the effect that one run states is told from 0 by another whose true shift is that.
func (o PromiseOptions) seen(w World, p result.Policy) (stated, seen []Rate) {
	looks := rule.ScheduleOf(p).Looks()
	last := SeenRounds[len(SeenRounds)-1]
	type one struct {
		stated, seen []bool
		rounds       []stats.Round
	}
	all := parallel(o.Trials, func(i int) (out one) {
		first, second := newTrial(w, 0, o.Seed+2, i).upTo(last), newTrial(w, 0, o.Seed+3, i).upTo(last)
		for _, n := range SeenRounds {
			look := 1 + slices.Index(looks, n)
			c, err := rule.Compare(first[:n], look, w.Timing().gate(), p)
			told := err == nil && c.MDE > 0
			out.stated = append(out.stated, told)
			d, err := rule.Compare(second[:n], look, w.Timing().gate(), p)
			out.seen = append(out.seen, told && err == nil && d.Low+math.Log1p(c.MDE) > 0) // a shift moves the bounds as it is
		}
		out.rounds = first
		return out
	})
	for suite := range slices.Chunk(all, max(1, o.SuiteCases)) { // what a run states, all of its cases say together
		for k, n := range SeenRounds {
			var rounds [][]stats.Round
			for _, one := range suite {
				rounds = append(rounds, one.rounds[:n])
			}
			unsteady := rule.Unsteady(rounds)
			for _, one := range suite {
				one.stated[k] = one.stated[k] && !unsteady
			}
		}
	}
	stated, seen = make([]Rate, len(SeenRounds)), make([]Rate, len(SeenRounds))
	for _, one := range all {
		for k := range SeenRounds {
			if stated[k].add(one.stated[k]); one.stated[k] {
				seen[k].add(one.seen[k])
			}
		}
	}
	return stated, seen
}

func meanProcesses(cases []outcome) float64 {
	sum := 0
	for _, c := range cases {
		sum += c.processes
	}
	return float64(sum) / float64(max(1, len(cases)))
}

// Render writes the promises as Markdown tables.
func (r Promises) Render(out io.Writer) error {
	var b strings.Builder
	o := r.Options
	fmt.Fprintf(&b, "Confidence %.4g %% over suites of %d cases, seed %d, %d cases a number. All rates in %%, of cases; (at most) is the upper 95 %% limit of the rate before it.\n\n",
		100*o.Policy.Confidence, o.SuiteCases, o.Seed, o.Trials)
	wrong := table{{"noise", "tolerance", "unchanged: regression", "(at most)", "unchanged: run fails", "at the tolerance: passed", "(at most)",
		"at the tolerance: regression", "at the tolerance: slower, estimate over"}}
	cost := table{{"noise", "tolerance", "unchanged: passed", "regression at twice the tolerance", "processes", "before", "of before",
		"effect seen, 12 / 28 / 60 processes", "effect stated"}}
	for _, row := range r.Rows {
		at := fmt.Sprintf("%g", 100*row.Tolerance)
		wrong = append(wrong, []string{row.World, at, row.Red.String(), row.Red.upper(), row.Failed.String(), row.Passed.String(), row.Passed.upper(),
			row.EdgeRed.String(), row.EdgeOver.String()})
		cost = append(cost, []string{row.World, at, row.Same.String(), row.Found.String(), fmt.Sprintf("%.1f", row.Processes[0]), fmt.Sprintf("%.1f", row.Processes[1]),
			fmt.Sprintf("%.1f", 100*row.Processes[0]/row.Processes[1]), joined(row.Seen), joined(row.Stated)})
	}
	b.WriteString("### How often it is wrong\n\n")
	wrong.write(&b, 1)
	b.WriteString("### What it costs and finds\n\n")
	cost.write(&b, 1)
	_, err := io.WriteString(out, b.String())
	return err
}

func joined(rates []Rate) string {
	words := make([]string, len(rates))
	for i, r := range rates {
		words[i] = r.String()
	}
	return strings.Join(words, " / ")
}
