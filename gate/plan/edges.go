package plan

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/org/perfgate/gate/config"
)

// span is a parameter that is drawn from a range.
type span struct {
	index       int // of the parameter
	fuzz        config.Fuzz
	first, last int64
	step        int64
	edges       []int64 // most valuable first
	next        int
}

func newSpan(index int, p config.Param, rng *rand.Rand) *span {
	s := &span{index: index, fuzz: *p.Fuzz, step: max(p.Fuzz.MultipleOf, 1)}
	s.first, _ = p.Fuzz.First()
	s.last, _ = p.Fuzz.Last()
	var listed []int64
	for _, v := range p.Values {
		listed = append(listed, v.Int)
	}
	s.edges = unique(append(listed, s.edgeValues(rng)...))
	return s
}

// edgeValues are where kernels go wrong: one step inside the ends of the range, 1, the first tile and beside it; then
// powers of two and multiples of the tile, each with its neighbours; then primes, which no tile divides. The ends
// themselves come last, because every run has begun with them.
func (s *span) edgeValues(rng *rand.Rand) []int64 {
	var out []int64
	add := func(candidates ...int64) {
		for _, c := range candidates {
			if s.fuzz.Contains(c) {
				out = append(out, c)
			}
		}
	}
	add(1, 0, -1, s.first+s.step, s.last-s.step)
	near := s.fuzz.Near
	if near > 0 {
		add(s.around(near)...)
	}
	var second []int64
	for power := int64(1); power <= s.last && power < math.MaxInt64/2; power *= 2 {
		second = append(second, s.around(power)...)
	}
	for _, multiple := range s.multiples(rng) {
		second = append(second, s.around(multiple)...)
	}
	rng.Shuffle(len(second), func(i, j int) { second[i], second[j] = second[j], second[i] })
	add(second...)
	add(s.primes(rng)...)
	add(s.last, s.first)
	return out
}

// around is a value and what lies beside it. With multiple-of, those are the multiples beside it.
func (s *span) around(v int64) []int64 {
	below := v - v%s.step
	return []int64{below - s.step, below, below + s.step, v - 1, v, v + 1}
}

// multiples of near above the first: all, or a sample where they are many.
func (s *span) multiples(rng *rand.Rand) []int64 {
	const most = 16
	near := s.fuzz.Near
	if near == 0 || s.last/near < 2 {
		return nil
	}
	count := s.last / near
	var out []int64
	if count <= most {
		for m := int64(2); m <= count; m++ {
			out = append(out, m*near)
		}
		return out
	}
	for range most {
		out = append(out, (2+rng.Int64N(count-1))*near)
	}
	return out
}

// primes spread over the magnitudes of the range; times the step where only multiples are drawn.
func (s *span) primes(rng *rand.Rand) []int64 {
	const largest = 1 << 26 // beyond which a prime is no more telling
	top := min(s.last/s.step, largest)
	if top < 2 {
		return nil
	}
	var out []int64
	for range 12 {
		n := int64(math.Exp(rng.Float64() * math.Log(float64(top))))
		for !big.NewInt(n).ProbablyPrime(0) { // which is certain of 64 bits
			n++
		}
		out = append(out, n*s.step)
	}
	return out
}

// nextEdge goes through the edges in order; after that it mixes them with random values.
func (s *span) nextEdge(rng *rand.Rand) int64 {
	if s.next < len(s.edges) {
		s.next++
		return s.edges[s.next-1]
	}
	if rng.IntN(2) == 0 {
		return s.draw(rng)
	}
	return s.anyEdge(rng)
}

func (s *span) anyEdge(rng *rand.Rand) int64 {
	return s.edges[rng.IntN(len(s.edges))]
}

// steps is how many steps lie between first and last; unsigned, since a range may be wider than an int64.
func (s *span) steps() uint64 {
	return (uint64(s.last) - uint64(s.first)) / uint64(s.step)
}

func (s *span) at(steps uint64) int64 {
	return int64(uint64(s.first) + steps*uint64(s.step))
}

// draw is even over the values, or over their magnitudes with log.
func (s *span) draw(rng *rand.Rand) int64 {
	if s.fuzz.Log {
		return s.magnitude(rng, 1)
	}
	return s.at(rng.Uint64() % (s.steps() + 1))
}

// small is even over magnitudes up to the square root of the range: 1 to 25 of 640, 1 to 4096 of 16 million.
func (s *span) small(rng *rand.Rand) int64 {
	return s.magnitude(rng, 0.5)
}

// magnitude draws a distance from first that is even in its logarithm, up to the given power of the range.
func (s *span) magnitude(rng *rand.Rand, power float64) int64 {
	most := s.steps()
	top := math.Log(float64(most)+1) * power
	distance := uint64(math.Exp(rng.Float64()*top)) - 1
	// exp rounds: the last bit may lie outside.
	return s.at(min(distance, most))
}

// domain lists the values of a parameter, or nothing useful where they are more than limit.
func domain(p config.Param, limit int) []config.Value {
	out := slices.Clone(p.Values)
	if p.Fuzz == nil {
		return out
	}
	s := &span{step: max(p.Fuzz.MultipleOf, 1)}
	s.first, _ = p.Fuzz.First()
	s.last, _ = p.Fuzz.Last()
	if s.steps() >= uint64(limit) {
		return make([]config.Value, limit+1)
	}
	for i := uint64(0); i <= s.steps(); i++ {
		if v := config.IntValue(s.at(i)); !slices.Contains(p.Values, v) {
			out = append(out, v)
		}
	}
	return out
}

// unique keeps the first of equal values.
func unique(values []int64) []int64 {
	seen := map[int64]bool{}
	var out []int64
	for _, v := range values {
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}
