package history

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// Change is where one level of a case ends and the next begins.
type Change struct {
	After Commit `json:"after"` // the last record of the level before
	At    Commit `json:"at"`    // the first one of the new level: the change lies in the commits between, this one included
	// Ratio is the new level over the old one, with its interval of 95 %. 0 where they cannot be compared.
	Ratio float64           `json:"ratio,omitempty"`
	Low   float64           `json:"low,omitempty"`
	High  float64           `json:"high,omitempty"`
	Cause result.LevelCause `json:"cause"`
	// Machine is the part of Ratio that is the machine's: what moved the unchanged code between the same records. 0 where it had none.
	Machine float64 `json:"machine,omitempty"`
	// SameCode: records of byte by byte the same code show the change.
	SameCode bool                   `json:"sameCode"`
	Beside   []baseline.StateChange `json:"beside,omitempty"` // what else is no longer as it was
	// Environment are the packages, libraries and tools of the case that differ between the two records, as far as these have them.
	Environment []string              `json:"environment,omitempty"`
	Accepted    []baseline.Acceptance `json:"accepted,omitempty"`
}

// Move is a change of the machine: what moved though its code did not.
type Move struct {
	After    Commit                 `json:"after"`
	At       Commit                 `json:"at"`
	Moved    []string               `json:"moved"`    // cases that it moved
	Measured int                    `json:"measured"` // cases that were measured before and after
	Canaries []string               `json:"canaries,omitempty"`
	Ratio    float64                `json:"ratio"` // median over the cases
	Beside   []baseline.StateChange `json:"beside,omitempty"`
}

// change describes the step to level i. Its cause is found later, beside the other cases.
func (c *Case) change(i int) Change {
	before, after := c.Levels[i-1], c.Levels[i]
	machine, from, to := c.machineAt(after.First)
	last, first := c.Points[from-1], c.Points[to]
	out := Change{After: last.Commit, At: first.Commit, Beside: baseline.StateChanges(last.record, first.record)}
	out.Environment = baseline.PartsChanged(last.record, last.of, first.record, first.of)
	if !sameWork(last.of, first.of) {
		out.Cause = result.LevelOfOtherWork
		return out
	}
	sd := max(c.scatterFloor(before.First, after.First+after.Count), stats.StepScatter(c.logs(before.First, after.First+after.Count)))
	shift := after.log - before.log
	reach := intervalT(before.Count+after.Count) * medianError(before.Count, after.Count, sd)
	out.Ratio, out.Low, out.High = math.Exp(shift), math.Exp(shift-reach), math.Exp(shift+reach)
	out.SameCode = c.shownBySameCode(before, after, sd)
	if machine != 0 {
		out.Machine = math.Exp(machine)
	}
	return out
}

// shownBySameCode says whether the records around a change that are of one code show at least half of it, beyond their scatter. In a slope
// of small steps a level may begin between two records of one code that are alike: that proves nothing of the machine.
func (c *Case) shownBySameCode(before, after Level, sd float64) bool {
	at := after.First
	from, to := c.sameCodeAround(at)
	if from, to = max(from, before.First), min(to, after.First+after.Count); from == at {
		return false
	}
	shift, all := c.logMedian(at, to)-c.logMedian(from, at), after.log-before.log
	return shift*all > 0 && math.Abs(shift) > math.Abs(all)/2 && math.Abs(shift) > sureZ*medianError(at-from, to-at, sd)
}

// sureZ is how many standard errors a shift has to have to be believed.
const sureZ = 2

// medianError is the standard error of the difference of two medians of normal samples.
func medianError(n, m int, sd float64) float64 {
	return sd * math.Sqrt(medianVariance(n)+medianVariance(m))
}

// medianVariance is that of the median of n normal values, in units of theirs.
func medianVariance(n int) float64 { return math.Pi / 2 / float64(n) }

// intervalT is how many standard errors an interval of 95 % reaches, where the scatter is estimated from n points.
func intervalT(n int) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: float64(max(1, n-2))}.Quantile(0.975)
}

func sameCode(a, b *baseline.Case) bool {
	return a.Fingerprint != "" && a.Fingerprint == b.Fingerprint && a.Libraries == b.Libraries && a.Reads == b.Reads
}

// step is a change of one case, or of a canary, on the timeline: it lies after record from and not after record to.
type step struct {
	change   *Change
	name     string
	canary   bool
	steadied bool // a canary was taken out of it
	from, to int
}

// explain finds the cause of every change by what else happened between the same records, and returns what the machine did.
func (t timeline) explain(cases []Case) []Move {
	var moves []Move
	for _, group := range together(t.steps(cases)) {
		t.causes(group, cases)
		if m, ok := t.move(group, cases); ok {
			moves = append(moves, m)
		}
	}
	slices.Reverse(moves)
	return moves
}

// steps are all changes whose levels can be compared, those of the canaries among them, in the order of time.
func (t timeline) steps(cases []Case) []step {
	var out []step
	add := func(c *Case, canary bool) {
		for j := range c.Changes {
			if change := &c.Changes[j]; change.Cause != result.LevelOfOtherWork {
				out = append(out, step{change, c.Name, canary, c.steady != baseline.SteadyNone, t.index[change.After.ID], t.index[change.At.ID]})
			}
		}
	}
	for i := range cases {
		add(&cases[i], false)
	}
	for i := range t.canaries {
		add(&t.canaries[i], true)
	}
	slices.SortStableFunc(out, func(a, b step) int { return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.from, b.from)) })
	return out
}

// canariesOf are the machine's own fixed pieces of work as cases.
func canariesOf(records []baseline.Found) []Case {
	var out []Case
	for _, canary := range baseline.BothCanaries {
		c := Case{Name: string(canary), steady: baseline.SteadyNone}
		for _, f := range records {
			if ns := f.Record.Canaries.Of(canary); ns > 0 {
				c.Points = append(c.Points, Point{Commit: commitOf(f), NS: ns, log: math.Log(ns), record: f.Record, of: &baseline.Case{Fingerprint: "canary"}})
			}
		}
		if len(c.Points) == 0 {
			continue
		}
		c.levels()
		out = append(out, c)
	}
	return out
}

// slack is how many records the place of a change may be off by.
const slack = 1

// together groups steps that may be one event: they overlap, give or take a record.
func together(steps []step) [][]step {
	var groups [][]step
	end := math.MinInt
	for _, s := range steps {
		if len(groups) > 0 && s.from <= end+slack-1 {
			groups[len(groups)-1] = append(groups[len(groups)-1], s)
		} else {
			groups = append(groups, []step{s})
			end = s.to
		}
	}
	return groups
}

// causes names the cause of each change of a group.
func (t timeline) causes(group []step, cases []Case) {
	moved := 0
	for _, s := range group {
		if !s.canary {
			moved++
		}
	}
	most := moved >= 3 && 2*moved >= t.measured(group, cases)
	known := slices.ContainsFunc(group, func(s step) bool { return s.change.Machine > 0 })
	for _, s := range group {
		usual, err := stats.Median(witnesses(group, s))
		if s.change.Machine > 0 {
			s.change.Cause = causeBeside(*s.change)
			continue
		}
		s.change.Cause = causeOf(*s.change, err == nil && !known, usual, most)
		switch {
		case err == nil && (s.change.Cause == result.LevelByMachine || s.change.Cause == result.LevelByBoth):
			s.change.Machine = math.Exp(usual)
		case s.change.Cause == result.LevelByMachine:
			s.change.Machine = s.change.Ratio
		}
	}
}

// witnesses are the shifts, in ln units, of what has not changed itself. Canaries are none for a case that they were taken out of.
func witnesses(group []step, of step) []float64 {
	var out []float64
	for _, s := range group {
		if s.change.SameCode && !(s.canary && of.steadied) {
			out = append(out, math.Log(s.change.Ratio))
		}
	}
	return out
}

// causeBeside names the cause of a change of which it is known how much of it is the machine's.
func causeBeside(c Change) result.LevelCause {
	if c.Low <= c.Machine && c.Machine <= c.High {
		return result.LevelByMachine
	}
	return result.LevelByBoth
}

// causeOf names the cause of one change. usual is the shift of the witnesses, in ln units, where there are any; most says that most of all
// cases changed at once.
func causeOf(c Change, witnessed bool, usual float64, most bool) result.LevelCause {
	state, toolchain := stateOf(c.Beside)
	switch {
	case c.SameCode:
		return result.LevelByMachine
	case witnessed && math.Log(c.Low) <= usual && usual <= math.Log(c.High):
		return result.LevelByMachine
	case witnessed && usual*math.Log(c.Ratio) > 0:
		return result.LevelByBoth
	case toolchain && most:
		return result.LevelByToolchain
	case state && most:
		return result.LevelByMachine
	case state || toolchain:
		return result.LevelUnclear
	}
	return result.LevelByCommit
}

// stateOf says whether the machine changed, and whether the compiler did.
func stateOf(changes []baseline.StateChange) (state, toolchain bool) {
	for _, c := range changes {
		if c.What == baseline.StateCompiler {
			toolchain = true
		} else {
			state = true
		}
	}
	return state, toolchain
}

// measured counts the cases with records on both sides of a group.
func (t timeline) measured(group []step, cases []Case) int {
	from, to := span(group)
	n := 0
	for _, c := range cases {
		before := slices.ContainsFunc(c.Points, func(p Point) bool { return t.index[p.ID] <= from })
		after := slices.ContainsFunc(c.Points, func(p Point) bool { return t.index[p.ID] >= to })
		if before && after {
			n++
		}
	}
	return n
}

// span is where most steps of a group lie, the narrowest of them where they disagree.
func span(group []step) (from, to int) {
	votes := map[[2]int]int{}
	for _, s := range group {
		votes[[2]int{s.from, s.to}]++
	}
	best := slices.MinFunc(group, func(a, b step) int {
		return cmp.Or(cmp.Compare(votes[[2]int{b.from, b.to}], votes[[2]int{a.from, a.to}]), cmp.Compare(a.to-a.from, b.to-b.from))
	})
	return best.from, best.to
}

// move is what the machine did in a group; ok is false where it did nothing.
func (t timeline) move(group []step, cases []Case) (m Move, ok bool) {
	var ratios []float64
	for _, s := range group {
		switch {
		case s.canary:
			m.Canaries = append(m.Canaries, s.name)
		case s.change.Machine > 0:
			m.Moved = append(m.Moved, s.name)
			ratios = append(ratios, s.change.Machine)
		}
	}
	if len(m.Moved) == 0 && len(m.Canaries) == 0 {
		return m, false
	}
	from, to := span(group)
	m.After, m.At = commitOf(t.records[from]), commitOf(t.records[to])
	m.Ratio, _ = stats.Median(ratios) // 0 where only canaries moved
	m.Measured = t.measured(group, cases)
	m.Beside = baseline.StateChanges(t.records[from].Record, t.records[to].Record)
	return m, true
}
