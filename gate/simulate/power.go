package simulate

import (
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// PowerTolerances are the tolerances of the table of power.
var PowerTolerances = []float64{0.005, 0.01, 0.015}

// Power is how often the gate finds the slowdown of injected recordings.
type Power struct {
	Options  Options
	Exact    bool
	Injected []Injected
	Cells    map[PowerKey]PowerCell
}

// PowerKey is one case at one slowdown and tolerance.
type PowerKey struct {
	Case      string
	Slowdown  int // percent; 0 is unchanged code
	Tolerance float64
}

// PowerCell is what the gate says of it.
type PowerCell struct {
	Red       []int // cases that had been called a regression by each look
	Trials    int
	Processes float64 // mean, until the case was decided or all looks were done
}

// ByLook is the share of cases that are a regression by the given look, from 0.
func (c PowerCell) ByLook(look int) Rate { return Rate{c.Red[look], c.Trials} }

// Power lets the gate decide on rounds drawn from injected recordings, all of which count as cases of one run.
func (o Options) Power(injected []Injected, exact bool) (Power, error) {
	o.SuiteCases, o.Tolerances = len(injected), PowerTolerances
	r := Power{Options: o, Exact: exact, Injected: injected, Cells: map[PowerKey]PowerCell{}}
	policies, err := o.policies()
	if err != nil {
		return r, err
	}
	for _, s := range injected {
		for _, slowdown := range append([]int{0}, s.Slowdowns()...) {
			for _, p := range policies {
				r.Cells[PowerKey{s.Case, slowdown, p.Tolerance}] = o.powerCell(s, slowdown, exact, p)
			}
		}
		o.observe(s.Case)
	}
	return r, nil
}

func (o Options) powerCell(s Injected, slowdown int, exact bool, p result.Policy) PowerCell {
	looks := rule.ScheduleOf(p).Looks()
	cases := o.cases(s.recording(slowdown, exact && slowdown > 0), 0, p)
	cell := PowerCell{Red: make([]int, len(looks)), Trials: o.Trials, Processes: meanProcesses(cases)}
	for _, c := range cases {
		for look, rounds := range looks {
			if isRegression(c) && c.rounds <= rounds {
				cell.Red[look]++
			}
		}
	}
	return cell
}

// total is all cases at one slowdown and tolerance.
func (r Power) total(slowdown int, tolerance float64) PowerCell {
	all := PowerCell{Red: make([]int, len(rule.ScheduleOf(r.Options.Policy).Looks()))}
	for at, c := range r.Cells {
		if at.Slowdown == slowdown && at.Tolerance == tolerance {
			all.Trials += c.Trials
			for look, red := range c.Red {
				all.Red[look] += red
			}
		}
	}
	return all
}

// Render writes the power as Markdown tables.
func (r Power) Render() string {
	what := "what is injected is what was measured (the shifts of the table)"
	if r.Exact {
		what = "head scaled so that what is injected is the percentage itself"
	}
	t := Tables{head: fmt.Sprintf("Confidence %.4g %% over a run of %d cases, seed %d, %d cases a number; %s. All rates in %%.\n\n",
		100*r.Options.Policy.Confidence, len(r.Injected), r.Options.Seed, r.Options.Trials, what)}
	slowdowns, schedule := r.slowdowns(), rule.ScheduleOf(r.Options.Policy)
	for _, s := range r.Injected {
		row := Row{name("case", s.Case), cell("launch, µs", "%.4g", s.Median()/1e3), cell("sd of processes", "%.3f", 100*s.SD())}
		for _, d := range slowdowns[1:] {
			row = append(row, cell(fmt.Sprintf("+%d %% of work", d), "%+.2f", 100*s.Shift(d)))
		}
		t.add("What was recorded", row)
	}
	for _, tolerance := range PowerTolerances {
		for _, d := range slowdowns {
			total := r.total(d, tolerance)
			row := Row{name("tolerance, %", fmt.Sprintf("%.1f", 100*tolerance)), name("injected, %", fmt.Sprintf("+%d", d))}
			for look, rounds := range schedule.Looks() {
				row = append(row, rate(fmt.Sprintf("%d processes", schedule.Processes(rounds)), total.ByLook(look)))
			}
			t.add("Cases found to be a regression, by processes spent", row)
		}
	}
	for _, s := range r.Injected {
		row := Row{name("case", s.Case)}
		for _, tolerance := range PowerTolerances {
			for _, d := range slowdowns {
				found := "-"
				if c, ok := r.Cells[PowerKey{s.Case, d, tolerance}]; ok {
					found = fmt.Sprintf("%s (%.1f)", c.ByLook(len(c.Red)-1), c.Processes)
				}
				row = append(row, cell(fmt.Sprintf("+%d at %.1f", d, 100*tolerance), "%s", found))
			}
		}
		t.add("By case: found after all looks, and mean processes until decided", row)
	}
	return t.Render()
}

// slowdowns are 0 and those of all injected recordings.
func (r Power) slowdowns() []int {
	all := []int{0}
	for _, s := range r.Injected {
		all = append(all, s.Slowdowns()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
