package simulate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/stats"
)

// Shifts are the true slowdowns of which the power is stated.
var Shifts = []float64{0.01, 0.02, 0.03, 0.05}

// CheckedRounds are the rounds after which bounds and the minimum detectable effect are checked: 12, 28 and 60 processes.
var CheckedRounds = []int{2, 6, 14}

// coverageAlpha is the error of one side of the bounds whose coverage is counted.
const coverageAlpha = 0.01

// promiseTables are the tables of promises. Only those that are asked for are simulated.
var promiseTables = []struct {
	name, title string
	row         func(promising) Row
}{
	{"errors", "How often it is wrong", promising.errors},
	{"costs", costsTitle, promising.costs},
	{"power", "What it finds", promising.power},
	{"effects", "Bounds and the minimum detectable effect, after 12 / 28 / 60 processes", promising.effects},
}

// costsTitle is that of the table below which all rows are one suite.
const costsTitle = "What unchanged code costs"

// PromiseTables are the names of all tables of promises.
func PromiseTables() (names []string) {
	for _, t := range promiseTables {
		names = append(names, t.name)
	}
	return names
}

// Promise simulates what the rule promises.
func (o Options) Promise() (Tables, error) {
	costs := map[float64]*cost{}
	for _, tolerance := range o.Tolerances {
		costs[tolerance] = &cost{}
	}
	t, err := o.simulate(o.promiseHead(), func(t *Tables, n Noise, policies []result.Policy) {
		for _, p := range policies {
			c := promising{o, n, p, sync.OnceValue(func() []outcome { return o.cases(n, 0, p) }), costs[p.Tolerance]}
			t.addPromise(c)
		}
	})
	for _, one := range t.tables {
		for _, tolerance := range o.Tolerances {
			if one.title == costsTitle && !o.RuleTwo {
				one.below += costs[tolerance].words(tolerance)
			}
		}
	}
	return t, err
}

func (o Options) promiseHead() string {
	head := fmt.Sprintf("Confidence %.4g %% over suites of %d cases, seed %d, %d cases a number", 100*o.Policy.Confidence, o.SuiteCases, o.Seed, o.Trials)
	if o.FloorNS > 0 {
		head += fmt.Sprintf(", a floor of %g ns", o.FloorNS)
	}
	if o.RuleTwo {
		head += ", by rule 2"
	}
	return head + ". All rates in %, of cases where nothing else is said; (at most) is the upper 95 % limit of the rate before it. " +
		"Targets are those of the tables shown.\n\n"
}

// addPromise adds a row to each table that is asked for. The first says which targets of all of them are missed.
func (t *Tables) addPromise(c promising) {
	var all Row
	var first *table
	for _, one := range promiseTables {
		if !slices.Contains(c.o.Tables, one.name) {
			continue
		}
		row := one.row(c)
		all = append(all, row...)
		to := t.add(one.title, append(Row{name("noise", c.n.Name()), cell("tolerance", "%g", 100*c.p.Tolerance)}, row...))
		if first == nil {
			first = to
		}
	}
	target := "holds"
	if misses := targetOf(c.n).misses(all, c.p.Tolerance); len(misses) > 0 {
		target = "missed: " + strings.Join(misses, "; ")
	}
	last := len(first.rows) - 1
	first.rows[last] = append(first.rows[last], cell("target", "%s", target))
}

// promising is one kind of noise at one tolerance.
type promising struct {
	o         Options
	n         Noise
	p         result.Policy
	unchanged func() []outcome
	cost      *cost // of all noise at this tolerance
}

// slower are cases that are slower by a fraction.
func (c promising) slower(by float64) []outcome { return c.o.cases(c.n, math.Log1p(by), c.p) }

// margin is the slowdown that passes of a case in this noise, by base's true time.
func (c promising) margin() float64 {
	return c.p.ToleranceOf(theCase).Margin(c.n.Timing().MedianNS)
}

// errors are of unchanged code and of cases exactly at the tolerance. Runs fail by an estimate too.
func (c promising) errors() Row {
	unchanged, edge := c.unchanged(), c.slower(c.margin())
	return Row{
		limited("unchanged: regression", casesWith(unchanged, isRegression)),
		rate("unchanged: run fails", casesWith(unchanged, isRed)),
		limited("unchanged: suites that fail", suitesWith(unchanged, c.o.SuiteCases, isRed)),
		limited("at the tolerance: passed", casesWith(edge, passes)),
		rate("at the tolerance: regression", casesWith(edge, isRegression)),
		limited("at the tolerance: suites with a regression", suitesWith(edge, c.o.SuiteCases, isRegression)),
		rate("at the tolerance: slower, estimate over", casesWith(edge, isOver)),
	}
}

// costs are those of unchanged code, by this rule and by the one before.
func (c promising) costs() Row {
	o := c.o
	o.RuleTwo, o.Seed = true, o.Seed+1
	var processes [2]float64
	for i, cases := range [][]outcome{c.unchanged(), o.cases(c.n, 0, c.p)} {
		processes[i] = meanProcesses(cases)
		c.cost.processes[i] += processes[i]
		c.cost.samplingNS[i] += meanOf(cases, func(c outcome) float64 { return c.sampling })
	}
	return Row{
		rate("unchanged: passed", casesWith(c.unchanged(), passes)),
		rate("unchanged: undecided", casesWith(c.unchanged(), isUndecided)),
		number("processes", processes[0]), number("by rule 2", processes[1]), number("of rule 2's, %", 100*processes[0]/processes[1]),
	}
}

// cost is what all rows of a tolerance cost together, as one suite: each case takes its own processes. By this rule, and by the one before.
type cost struct{ processes, samplingNS [2]float64 }

func (c cost) words(tolerance float64) string {
	return fmt.Sprintf("All of it at a tolerance of %g %%: %.1f %% of rule 2's processes, and %.1f %% of the time that its samples take.\n\n",
		100*tolerance, 100*c.processes[0]/c.processes[1], 100*c.samplingNS[0]/c.samplingNS[1])
}

func (c promising) power() Row {
	row := Row{rate("regression at twice the tolerance", casesWith(c.slower(2*c.margin()), isRegression))}
	var at3 []outcome
	for _, s := range Shifts {
		cases := c.slower(s)
		row = append(row, rate(foundAt(s), casesWith(cases, isRegression)))
		if s == 0.03 {
			at3 = cases
		}
	}
	return append(row, rate("at +3 %: slower, estimate over", casesWith(at3, isOver)), rate("passed at +3 %", casesWith(at3, passes)),
		number("processes at +3 %", meanProcesses(at3)))
}

// foundAt is the header of the cases of one of Shifts that are called a regression.
func foundAt(shift float64) string { return fmt.Sprintf("at %+g %%", 100*shift) }

func (c promising) effects() Row {
	e := c.o.effects(c.n, c.p)
	return Row{
		rate("98 % bounds cover", e.covered...),
		cell("effect, %", "%s", joined(e.mde, func(mde float64) string { return fmt.Sprintf("%.2f", 100*mde) })),
		rate("effect stated", e.stated...), rate("effect seen", e.seen...),
	}
}

// effects are what bounds and the minimum detectable effect are worth, after CheckedRounds each.
type effects struct {
	covered []Rate    // 98 % bounds that contain the true shift
	stated  []Rate    // cases whose run states an effect
	seen    []Rate    // of these, those whose effect another case of the same noise distinguishes from 0
	mde     []float64 // median; 0.01 is 1 %
}

// checkedCase is what bounds and effect of one case are worth, and the rounds from which the effect was stated.
type checkedCase struct {
	rounds                []stats.Round
	covered, stated, seen bool
	mde                   float64
}

// effects counts how often 98 % bounds contain the true shift, made as the gate makes them, and how often the effect that one case states is
// distinguished from 0 by another whose true shift is that.
func (o Options) effects(n Noise, p result.Policy) effects {
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
	out := effects{make([]Rate, len(CheckedRounds)), make([]Rate, len(CheckedRounds)), make([]Rate, len(CheckedRounds)), nil}
	for k := range CheckedRounds {
		var stated []float64
		for suite := range slices.Chunk(cases, o.SuiteCases) { // whether effects are stated, all cases of a run decide together
			var rounds [][]stats.Round
			for _, c := range suite {
				rounds = append(rounds, c[k].rounds)
			}
			unsteady := rule.Unsteady(rounds)
			for _, c := range suite {
				out.covered[k].add(c[k].covered)
				out.stated[k].add(c[k].stated && !unsteady)
				if c[k].stated {
					stated = append(stated, c[k].mde)
				}
				if c[k].stated && !unsteady {
					out.seen[k].add(c[k].seen)
				}
			}
		}
		out.mde = append(out.mde, stats.MedianOrNaN(stated))
	}
	return out
}
