package history

import (
	"math"
	"slices"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/stats"
)

// moved is what the machine did between two records: how far cases moved whose code did not change, in ln units.
type moved struct {
	at       int      // index of the first record after it
	cases    []string // that show it
	plain    float64  // of cases that no canary is taken out of
	steadied float64  // of the others
	general  bool     // enough cases show it that it holds for those that cannot tell themselves
}

// movesOf are the machine's moves that steps of a first look show, oldest first.
func (t timeline) movesOf(cases []Case) []moved {
	var out []moved
	for _, group := range together(t.steps(cases)) {
		t.causes(group, cases)
		m := moved{at: t.placeOf(group)}
		shifts := map[bool][]float64{}
		for _, s := range group {
			if !s.canary && s.change.SameCode {
				shifts[s.steadied] = append(shifts[s.steadied], math.Log(s.change.Ratio))
				m.cases = append(m.cases, s.name)
			}
		}
		if len(m.cases) == 0 || len(out) > 0 && out[len(out)-1].at == m.at {
			continue
		}
		m.plain, m.steadied = medianOr(shifts[false], shifts[true]), medianOr(shifts[true], shifts[false])
		m.general = t.isGeneral(m.at, cases, len(m.cases))
		out = append(out, m)
	}
	return out
}

// medianOr is the median of the first, or of the second where that is empty.
func medianOr(a, b []float64) float64 {
	middle, err := stats.Median(a)
	if err != nil {
		middle, _ = stats.Median(b)
	}
	return middle
}

// placeOf is where the machine moved: where its state changed, if it did so near by. That is on record, and the place of a step is not.
func (t timeline) placeOf(group []step) int {
	from, to := span(group)
	best := to
	for at := max(1, from+1-slack); at <= min(len(t.records)-1, to+slack); at++ {
		if t.stateChanged(at) && (!t.stateChanged(best) || distance(at, to) < distance(best, to)) {
			best = at
		}
	}
	return best
}

func distance(a, b int) int { return max(a-b, b-a) }

func (t timeline) stateChanged(at int) bool {
	state, _ := stateOf(baseline.StateChanges(t.records[at-1].Record, t.records[at].Record))
	return state
}

// isGeneral says whether a move that some cases show holds for all: they are half of those that could show it, and two at least unless the
// state of the machine changed there.
func (t timeline) isGeneral(at int, cases []Case, shown int) bool {
	could := 0
	for i := range cases {
		c := &cases[i]
		if b := t.firstPoint(c, at); b > 0 && b < len(c.Points) && sameCode(c.Points[b-1].of, c.Points[b].of) {
			could++
		}
	}
	return (shown >= 2 || t.stateChanged(at)) && 2*shown >= could
}

// takeMachineOut splits a case again, now that it is known what the machine did.
func (t timeline) takeMachineOut(c *Case, moves []moved) {
	for _, m := range moves {
		at := t.firstPoint(c, m.at)
		if at == 0 || at == len(c.Points) {
			continue
		}
		shift := c.shiftAt(at, m)
		if shift == 0 {
			continue
		}
		for i := at; i < len(c.Points); i++ {
			c.Points[i].machine += shift
		}
		c.moved = append(c.moved, at)
	}
	if len(c.moved) > 0 {
		c.levels()
	}
}

// shiftAt is how far a move of the machine moved the case, by its own records of one code where there are enough, else by what others show.
func (c *Case) shiftAt(at int, m moved) float64 {
	usual := m.plain
	if c.steady != baseline.SteadyNone {
		usual = m.steadied
	}
	if !m.general {
		usual = 0
		if !slices.Contains(m.cases, c.Name) {
			return 0
		}
	}
	from, to := c.sameCodeAround(at)
	if at-from < stats.LeastLevel || to-at < stats.LeastLevel {
		return usual
	}
	sd := max(c.scatterFloor(from, to), stats.StepScatter(c.logs(from, to)))
	own := c.logMedian(at, to) - c.logMedian(from, at)
	switch reach := sureZ * medianError(at-from, to-at, sd); {
	case math.Abs(own-usual) <= min(reach, math.Abs(own)):
		return usual
	case math.Abs(own) > reach:
		return own
	}
	return 0
}

// sameCodeAround are the ends of the points around one whose code and work are its own.
func (c *Case) sameCodeAround(at int) (from, to int) {
	same := func(i int) bool {
		return sameCode(c.Points[i].of, c.Points[at].of) && sameWork(c.Points[i].of, c.Points[at].of)
	}
	for from = at; from > 0 && same(from-1); {
		from--
	}
	for to = at; to < len(c.Points) && same(to); {
		to++
	}
	return from, to
}

// placesOf are where levels of points from..to begin, the first left out: where the code's level changes once the machine's moves are taken
// out, and where the machine moved. Two that no level fits between are one.
func (c *Case) placesOf(from, to int, least float64) []int {
	var places []int
	for _, at := range stats.Shifts(c.codeLogs(from, to), least, leastChange) {
		places = append(places, from+at)
	}
	for _, at := range c.moved {
		near := func(place int) bool { return distance(place, at) < stats.LeastLevel }
		if at > from && at < to && !slices.ContainsFunc(places, near) {
			places = append(places, at)
		}
	}
	slices.Sort(places)
	return places
}

// leastChange is the smallest change of a level that is worth a name: 0.4 %. Sessions of one machine differ by about as much, and canaries show
// most of that and not all.
const leastChange = 0.004

// machineAt is what the machine did at a place, and the points that this and the place lie between: they are a little apart at times.
func (c *Case) machineAt(place int) (shift float64, first, last int) {
	first, last = place, place
	for _, at := range c.moved {
		if distance(place, at) < stats.LeastLevel {
			shift += c.Points[at].machine - c.Points[at-1].machine
			first, last = min(first, at), max(last, at)
		}
	}
	return shift, first, last
}
