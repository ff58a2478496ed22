package plan

import (
	"github.com/org/perfgate/gate/config"
)

// pair is two values of two listed parameters, as positions in listed and in their values.
type pair struct {
	p, v, q, w int
}

// maxPairs bounds the table of pairs; no run has the cases to cover more, so rows are drawn at random then.
const maxPairs = 20_000

// pairRows returns rows of listed parameters in which every two values of two parameters stand together at least
// once: most faults need one or two parameters to be just so. Rows are built greedily around a pair that is still
// missing. Each row has values for the ranges as well, with which where holds: the smallest, or others where those do not do.
// Pairs for which none were found are left out.
func (g *generator) pairRows() [][]config.Value {
	if len(g.listed) == 0 {
		return nil
	}
	if len(g.listed) == 1 {
		return g.singleRows()
	}
	missing := g.allPairs()
	if missing == nil {
		return nil
	}
	open := map[pair]bool{}
	for _, m := range missing {
		open[m] = true
	}
	var rows [][]config.Value
	for _, m := range missing {
		if !open[m] || len(rows) >= g.n {
			continue
		}
		choice, row := g.rowAround(m, open)
		if row == nil {
			continue
		}
		cover(choice, open)
		rows = append(rows, row)
	}
	return rows
}

func (g *generator) singleRows() [][]config.Value {
	var rows [][]config.Value
	for v := range g.valuesOf(0) {
		if row := g.possible([]int{v}); row != nil {
			rows = append(rows, row)
		}
	}
	return rows
}

func (g *generator) valuesOf(p int) []config.Value {
	return g.kernel.Params[g.listed[p]].Values
}

// allPairs in random order; nil where they are too many.
func (g *generator) allPairs() []pair {
	var out []pair
	for p := range g.listed {
		for q := p + 1; q < len(g.listed); q++ {
			if len(out)+len(g.valuesOf(p))*len(g.valuesOf(q)) > maxPairs {
				return nil
			}
			for v := range g.valuesOf(p) {
				for w := range g.valuesOf(q) {
					out = append(out, pair{p, v, q, w})
				}
			}
		}
	}
	g.rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// rowAround chooses the values beside a pair: first greedily, then at random until where holds. No row: none was found.
func (g *generator) rowAround(m pair, open map[pair]bool) (choice []int, row []config.Value) {
	for attempt := range 20 {
		choice = make([]int, len(g.listed))
		for p := range choice {
			choice[p] = -1
		}
		choice[m.p], choice[m.q] = m.v, m.w
		for p := range choice {
			switch {
			case choice[p] >= 0:
			case attempt == 0:
				choice[p] = g.greedy(choice, p, open)
			default:
				choice[p] = g.rng.IntN(len(g.valuesOf(p)))
			}
		}
		if row = g.possible(choice); row != nil {
			return choice, row
		}
	}
	return nil, nil
}

// greedy is the value of parameter p that completes most missing pairs with the values chosen so far.
func (g *generator) greedy(choice []int, p int, open map[pair]bool) int {
	best, bestGain := 0, -1
	offset := g.rng.IntN(len(g.valuesOf(p)))
	for i := range g.valuesOf(p) {
		// Starting anywhere keeps ties from always going to the first value.
		v := (i + offset) % len(g.valuesOf(p))
		gain := 0
		for q, w := range choice {
			if w >= 0 && q != p && open[ordered(p, v, q, w)] {
				gain++
			}
		}
		if gain > bestGain {
			best, bestGain = v, gain
		}
	}
	return best
}

func ordered(p, v, q, w int) pair {
	if p < q {
		return pair{p, v, q, w}
	}
	return pair{q, w, p, v}
}

func cover(choice []int, open map[pair]bool) {
	for p, v := range choice {
		for q := p + 1; q < len(choice); q++ {
			delete(open, pair{p, v, q, choice[q]})
		}
	}
}

// mostWitnesses bounds how often where is asked for the sake of all pairs together.
const mostWitnesses = 100_000

// possible returns a row with the chosen values and values for the ranges with which where holds: all smallest, each or all at
// their largest, or drawn ones. nil: none was found.
func (g *generator) possible(choice []int) []config.Value {
	row := make([]config.Value, len(g.kernel.Params))
	for p, v := range choice {
		row[g.listed[p]] = g.valuesOf(p)[v]
	}
	set := func(value func(s *span) int64) bool {
		g.fill(row, value)
		return g.kernel.Parity.Where.Holds(newCase(g.kernel, row).Int)
	}
	if set(func(s *span) int64 { return s.first }) {
		return row
	}
	if len(g.ranges) == 0 {
		return nil
	}
	const tries = 24
	for try := 0; try < tries+len(g.ranges) && g.witnesses < mostWitnesses; try++ {
		g.witnesses++
		if set(func(s *span) int64 { return g.witness(s, try) }) {
			return row
		}
	}
	return nil
}

// witness is a value for a range in one try: at first one range at its largest and the others smallest, then all largest,
// then anything.
func (g *generator) witness(s *span, try int) int64 {
	switch {
	case try == len(g.ranges) || try < len(g.ranges) && g.ranges[try] == s:
		return s.last
	case try < len(g.ranges):
		return s.first
	}
	switch g.rng.IntN(4) {
	case 0:
		return s.small(g.rng)
	case 1:
		return s.draw(g.rng)
	}
	return s.anyEdge(g.rng)
}
