package plan

import "github.com/org/perfgate/gate/config"

// twinPairs are a range and another parameter that can have the same value of at least 2: a kernel that mixes them up is
// right, or wrong, only there. Below 2 every run has them equal anyway.
func (g *generator) twinPairs() [][2]int {
	var out [][2]int
	for n, s := range g.ranges {
		for _, other := range g.ranges[n+1:] {
			if max(s.first, other.first, 2) <= min(s.last, other.last) {
				out = append(out, [2]int{s.index, other.index})
			}
		}
		for _, i := range g.listed {
			if len(g.shared(s, i)) > 0 {
				out = append(out, [2]int{s.index, i})
			}
		}
	}
	g.rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// shared are the values of a listed parameter that the range has too.
func (g *generator) shared(s *span, index int) []config.Value {
	var out []config.Value
	for _, v := range g.kernel.Params[index].Values {
		if !v.IsDtype() && v.Int >= 2 && s.fuzz.Contains(v.Int) {
			out = append(out, v)
		}
	}
	return out
}

func (g *generator) spanOf(index int) *span {
	for _, s := range g.ranges {
		if s.index == index {
			return s
		}
	}
	return nil
}

// tryTwins emits a case whose next pair of parameters is equal, the other ranges small.
func (g *generator) tryTwins() bool {
	pair := g.twins[g.twin%len(g.twins)]
	g.twin++
	s := g.spanOf(pair[0])
	const attempts = 4
	for range attempts {
		row := g.randomRow() // rows that cover all pairs must not be spent on what may come to nothing
		g.fill(row, func(other *span) int64 { return other.small(g.rng) })
		value, ok := g.twinValue(s, pair[1])
		if !ok {
			continue
		}
		row[pair[0]], row[pair[1]] = value, value
		if g.emit(row, g.orSpec("normal"), true) {
			return true
		}
	}
	return false
}

// twinValue draws a value that both have. A range is asked for its edges first: a tile that two sizes share.
func (g *generator) twinValue(s *span, index int) (config.Value, bool) {
	other := g.spanOf(index)
	if other == nil {
		return pick(g.rng, g.shared(s, index)), true
	}
	for range 8 {
		v := other.anyEdge(g.rng)
		if g.rng.IntN(2) == 0 {
			v = other.small(g.rng)
		}
		if v >= 2 && s.fuzz.Contains(v) && other.fuzz.Contains(v) {
			return config.IntValue(v), true
		}
	}
	return config.Value{}, false
}
