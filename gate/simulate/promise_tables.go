package simulate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// promiseTable is one table of promises: what it has simulated, and what it says of a row. Only tables that are asked for are simulated.
type promiseTable struct {
	name, title string
	simulate    func(o Options, n Noise, p result.Policy, unchanged func() []outcome, row *Promise)
	columns     []column[Promise]
}

var promiseTables = []promiseTable{
	{"errors", "How often it is wrong", simulateErrors, []column[Promise]{
		limited("unchanged: regression", func(p Promise) Rate { return p.Red }),
		rate("unchanged: run fails", func(p Promise) Rate { return p.Failed }),
		limited("unchanged: suites that fail", func(p Promise) Rate { return p.FailedSuites }),
		limited("at the tolerance: passed", func(p Promise) Rate { return p.Passed }),
		rate("at the tolerance: regression", func(p Promise) Rate { return p.EdgeRed }),
		limited("at the tolerance: suites with a regression", func(p Promise) Rate { return p.EdgeSuites }),
		rate("at the tolerance: slower, estimate over", func(p Promise) Rate { return p.EdgeOver }),
	}},
	{"costs", "What unchanged code costs", simulateCosts, []column[Promise]{
		rate("unchanged: passed", func(p Promise) Rate { return p.Same }),
		rate("unchanged: undecided", func(p Promise) Rate { return p.Undecided }),
		number("processes", func(p Promise) float64 { return p.Processes[0] }),
		number("by rule 2", func(p Promise) float64 { return p.Processes[1] }),
		number("of rule 2's, %", func(p Promise) float64 { return 100 * p.Processes[0] / p.Processes[1] }),
	}},
	{"power", "What it finds", simulatePower, slices.Concat(
		[]column[Promise]{rate("regression at twice the tolerance", func(p Promise) Rate { return p.Found })},
		powerColumns(),
		[]column[Promise]{
			rate("at +3 %: slower, estimate over", func(p Promise) Rate { return p.OverAt3 }),
			rate("passed at +3 %", func(p Promise) Rate { return p.PassedAt3 }),
			number("processes at +3 %", func(p Promise) float64 { return p.ProcessesAt3 }),
		})},
	{"effects", "Bounds and the minimum detectable effect, after 12 / 28 / 60 processes", simulateEffects, []column[Promise]{
		effect("98 % bounds cover", func(e Effect) string { return e.Covered.String() }),
		effect("effect, %", func(e Effect) string { return fmt.Sprintf("%.2f", 100*e.MDE) }),
		effect("effect stated", func(e Effect) string { return e.Stated.String() }),
		effect("effect seen", func(e Effect) string { return e.Seen.String() }),
	}},
}

func simulateErrors(o Options, n Noise, p result.Policy, unchanged func() []outcome, row *Promise) {
	edge := o.cases(n, math.Log1p(margin(n, p)), p)
	row.Red, row.Failed = casesWith(unchanged(), isRegression), casesWith(unchanged(), isRed)
	row.FailedSuites = suitesWith(unchanged(), o.SuiteCases, isRed)
	row.Passed, row.EdgeRed, row.EdgeOver = casesWith(edge, passes), casesWith(edge, isRegression), casesWith(edge, isOver)
	row.EdgeSuites = suitesWith(edge, o.SuiteCases, isRegression)
}

func simulateCosts(o Options, n Noise, p result.Policy, unchanged func() []outcome, row *Promise) {
	row.Same, row.Undecided = casesWith(unchanged(), passes), casesWith(unchanged(), isUndecided)
	o.RuleTwo, o.Seed = true, o.Seed+1
	before := o.cases(n, 0, p)
	row.Processes = [2]float64{meanProcesses(unchanged()), meanProcesses(before)}
	row.SamplingNS = [2]float64{meanSampling(unchanged()), meanSampling(before)}
}

// costOfAll is what all rows of a tolerance cost together, as one suite: each case takes its own processes.
func costOfAll(rows []Promise, tolerance float64) string {
	var processes, sampling [2]float64
	for _, row := range rows {
		for i := range processes {
			if row.Tolerance == tolerance {
				processes[i] += row.Processes[i]
				sampling[i] += row.SamplingNS[i]
			}
		}
	}
	return fmt.Sprintf("All of it at a tolerance of %g %%: %.1f %% of rule 2's processes, and %.1f %% of the time that its samples take.\n\n",
		100*tolerance, 100*processes[0]/processes[1], 100*sampling[0]/sampling[1])
}

func simulatePower(o Options, n Noise, p result.Policy, _ func() []outcome, row *Promise) {
	row.Found = casesWith(o.cases(n, math.Log1p(2*margin(n, p)), p), isRegression)
	for i, s := range Shifts {
		cases := o.cases(n, math.Log1p(s), p)
		row.Power = append(row.Power, casesWith(cases, isRegression))
		if i == at3 {
			row.PassedAt3, row.OverAt3, row.ProcessesAt3 = casesWith(cases, passes), casesWith(cases, isOver), meanProcesses(cases)
		}
	}
}

func simulateEffects(o Options, n Noise, p result.Policy, _ func() []outcome, row *Promise) {
	row.Effects = o.effects(n, p)
}

// margin is the slowdown that passes of a case in this noise, by base's true time.
func margin(n Noise, p result.Policy) float64 {
	return p.ToleranceOf(theCase).Margin(n.Timing().MedianNS)
}

// tables are those that are asked for.
func (o Options) tables() []promiseTable {
	return slices.DeleteFunc(slices.Clone(promiseTables), func(t promiseTable) bool { return !slices.Contains(o.Tables, t.name) })
}

// PromiseTables are the names of all tables of promises.
func PromiseTables() (names []string) {
	for _, t := range promiseTables {
		names = append(names, t.name)
	}
	return names
}

// Render writes the promises as Markdown tables.
func (r Promises) Render() string {
	var b strings.Builder
	o := r.Options
	fmt.Fprintf(&b, "Confidence %.4g %% over suites of %d cases, seed %d, %d cases a number", 100*o.Policy.Confidence, o.SuiteCases, o.Seed, o.Trials)
	if o.FloorNS > 0 {
		fmt.Fprintf(&b, ", a floor of %g ns", o.FloorNS)
	}
	if o.RuleTwo {
		b.WriteString(", by rule 2")
	}
	b.WriteString(". All rates in %, of cases where nothing else is said; (at most) is the upper 95 % limit of the rate before it. " +
		"Targets are those of the tables shown.\n\n")
	common := []column[Promise]{
		{"noise", func(p Promise) string { return p.Noise }},
		{"tolerance", func(p Promise) string { return fmt.Sprintf("%g", 100*p.Tolerance) }},
	}
	for i, t := range o.tables() {
		columns := slices.Concat(common, t.columns)
		if i == 0 {
			columns = append(columns, column[Promise]{"target", func(p Promise) string { return targetWords(p.Misses) }})
		}
		writeTable(&b, t.title, 1, r.Rows, columns...)
		if t.name == "costs" && !o.RuleTwo {
			for _, tolerance := range o.Tolerances {
				b.WriteString(costOfAll(r.Rows, tolerance))
			}
		}
	}
	return b.String()
}

func powerColumns() (out []column[Promise]) {
	for i, s := range Shifts {
		out = append(out, rate(fmt.Sprintf("at %+g %%", 100*s), func(p Promise) Rate { return p.Power[i] }))
	}
	return out
}

func rate(header string, of func(Promise) Rate) column[Promise] {
	return column[Promise]{header, func(p Promise) string { return of(p).String() }}
}

func limited(header string, of func(Promise) Rate) column[Promise] {
	return column[Promise]{header + " (at most)", func(p Promise) string { return of(p).String() + " (" + of(p).upper() + ")" }}
}

func number(header string, of func(Promise) float64) column[Promise] {
	return column[Promise]{header, func(p Promise) string { return decimal(of(p)) }}
}

func effect(header string, text func(Effect) string) column[Promise] {
	return column[Promise]{header, func(p Promise) string { return joined(p.Effects, text) }}
}

func targetWords(misses []string) string {
	if len(misses) == 0 {
		return "holds"
	}
	return "missed: " + strings.Join(misses, "; ")
}
