package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"github.com/org/perfgate/gate/config"
)

// FuzzCase is a case with the kind of its inputs and the seed that they are made from.
type FuzzCase struct {
	Case
	Values string // one of config.InputKinds
	Seed   uint64
	Origin uint64 // the run's seed, which Seed is made of
}

// InputSeed is the seed of a case's inputs: a hash of the run's seed, the case and the kind. It does not depend on
// where in a run the case stood, so that the run's seed replays any case alone, a shrunk one included.
func InputSeed(seed uint64, c Case, values string) uint64 {
	text := binary.LittleEndian.AppendUint64(nil, seed)
	text = append(text, c.Name()+"\x00"+values...)
	sum := sha256.Sum256(text)
	return binary.LittleEndian.Uint64(sum[:])
}

// Replay returns one case with every kind of input that its kernel is tried with, as a run of that seed would make them.
func Replay(c Case, seed uint64) []FuzzCase { return c.withInputs(seed, config.InputKinds...) }

// Once are the measured cases with the inputs that are timed, and with normal ones, as a run of that seed would make them: what a competitor is
// checked by.
func Once(cases []Case, seed uint64) (out []FuzzCase) {
	for _, c := range cases {
		out = append(out, c.withInputs(seed, config.SpecInputs, "normal")...)
	}
	return out
}

// withInputs is the case with those of some kinds of inputs that its kernel is tried with.
func (c Case) withInputs(seed uint64, kinds ...string) (out []FuzzCase) {
	for _, values := range kinds {
		if c.from == nil || c.from.Parity.Tries(values) {
			out = append(out, FuzzCase{Case: c, Values: values, Seed: InputSeed(seed, c, values), Origin: seed})
		}
	}
	return out
}

// Fuzz draws up to n cases of a kernel, the same ones for the same seed, the most valuable first and no case twice
// with the same kind of input:
//
//   - the measured cases, which `where` does not filter;
//   - the smallest case, then each range at its largest value with the rest small, then one of each kind of input that overflows or
//     rules a sum, with many elements;
//   - in turn, each range at its edges (see edges) while the other ranges are small for the most part, under rows that
//     cover all pairs of listed values; every fourth case is small and has a blunter kind of input, and every eighth has two
//     parameters of one value, which is where transposed reads hide or show;
//   - when edges and rows are used up, random ones.
//
// It returns fewer than n only where there are fewer. Where the configuration lists cases, those and the measured ones are all.
func Fuzz(k config.Kernel, seed uint64, n int) []FuzzCase {
	g := newGenerator(k, seed, n)
	g.measured()
	if len(k.Parity.Listed) > 0 {
		g.listedCases()
		return g.out
	}
	g.corners()
	for step, idle := 0, 0; len(g.out) < n && idle < maxIdle; step++ {
		before := len(g.out)
		g.step(step)
		if idle++; len(g.out) > before {
			idle = 0
		}
	}
	g.exhaust()
	return g.out
}

// maxIdle is how many draws in a row may bring nothing new before the domain counts as used up.
const maxIdle = 500

type generator struct {
	kernel config.Kernel
	seed   uint64
	n      int
	rng    *rand.Rand
	out    []FuzzCase
	seen   map[string]bool

	ranges  []*span          // parameters that are drawn from a range
	listed  []int            // indices of the others
	rows    [][]config.Value // that cover all pairs of listed values, see pairRows
	nextRow int              // the first of which no case was emitted yet
	lean    float64          // the product of parameters that most cases stay under
	turn    int              // which range is in focus next
	twins   [][2]int
	twin    int      // which of twins is next
	sharp   []string // kinds of input that tell best
	blunt   []string // kinds that serve one kind of fault each
	deck    []string // kinds of sharp still to be dealt

	witnesses int // see mostWitnesses
}

func newGenerator(k config.Kernel, seed uint64, n int) *generator {
	g := &generator{kernel: k, seed: seed, n: n, seen: map[string]bool{}}
	g.sharp, g.blunt = k.Parity.Inputs()
	// The second word only keeps this stream apart from others made of the same seed.
	g.rng = rand.New(rand.NewPCG(seed, 0x7065726667617465))
	for i, p := range k.Params {
		if p.Fuzz != nil {
			g.ranges = append(g.ranges, newSpan(i, p, g.rng))
		} else {
			g.listed = append(g.listed, i)
		}
	}
	g.rows = g.pairRows()
	g.twins = g.twinPairs()
	return g
}

// emit adds a case unless it is there, does not satisfy where, or there are enough.
func (g *generator) emit(row []config.Value, values string, filtered bool) bool {
	c := newCase(g.kernel, row)
	key := c.Name() + "\x00" + values
	if len(g.out) >= g.n || g.seen[key] || filtered && !c.Allowed() {
		return false
	}
	g.seen[key] = true
	g.out = append(g.out, FuzzCase{Case: c, Values: values, Seed: InputSeed(g.seed, c, values), Origin: g.seed})
	return true
}

func (g *generator) measured() {
	// Below some size, cost does not matter.
	g.lean = 1 << 16
	// A kernel that has no measured cases is refused elsewhere; it can still be fuzzed.
	cases, _ := Measured(g.kernel)
	for _, c := range cases {
		row := make([]config.Value, len(c.Params))
		for i, a := range c.Params {
			row[i] = a.Value
		}
		g.emit(row, config.SpecInputs, false)
		g.lean = max(g.lean, weight(row)/32)
	}
}

// listedCases are those of the configuration, each with every kind of input.
func (g *generator) listedCases() {
	g.n = len(g.out) + len(g.kernel.Parity.Listed)*(len(g.sharp)+len(g.blunt))
	for _, kind := range slices.Concat(g.sharp, g.blunt) {
		for _, row := range g.kernel.Parity.Listed {
			g.emit(row, kind, true)
		}
	}
}

// weight is the product of the sizes, the only measure of cost that is known without asking the adapter.
func weight(row []config.Value) float64 {
	w := 1.0
	for _, v := range row {
		if !v.IsDtype() && v.Int > 1 {
			w *= float64(v.Int)
		}
	}
	return w
}

// corners tries all ranges at their smallest, then each at its largest.
func (g *generator) corners() {
	row := g.newRow()
	g.fill(row.values, func(s *span) int64 { return s.first })
	plain := g.orSpec("normal")
	g.emitRow(row, plain)
	for _, s := range g.ranges {
		g.tryEdge(s, s.last, plain)
	}
	// What no plain values show (an exponential that overflows, a sum that one element rules) is looked for by ten cases as well as by a thousand.
	for _, kind := range []string{"outlier", "mixed", "dominant", "large"} {
		if len(g.ranges) > 0 && g.kernel.Parity.Tries(kind) {
			g.ample(kind)
		}
	}
	for _, s := range g.ranges {
		g.tryEdge(s, s.first, plain)
	}
	// What needs a rare element in a late tile is found by the largest size or by chance.
	for _, kind := range []string{"mixed", "dominant"} {
		for _, s := range g.ranges {
			if g.kernel.Parity.Tries(kind) {
				g.tryEdge(s, s.last, kind)
			}
		}
	}
}

// ample emits a case with many elements: the longest range at its end, and the others as far as the case stays lean.
func (g *generator) ample(kind string) {
	row := g.newRow()
	longest := slices.MaxFunc(g.ranges, func(a, b *span) int { return cmp.Compare(a.last, b.last) })
	g.fill(row.values, func(s *span) int64 { return s.first })
	row.values[longest.index] = config.IntValue(longest.last)
	for _, s := range g.ranges {
		row.values[s.index] = config.IntValue(s.last)
		if s != longest && weight(row.values) > g.lean {
			row.values[s.index] = config.IntValue(s.first)
		}
	}
	if !g.emitRow(row, kind) {
		g.tryEdge(longest, longest.last, kind)
	}
}

// fill sets the values of all ranges.
func (g *generator) fill(row []config.Value, value func(*span) int64) {
	for _, s := range g.ranges {
		row[s.index] = config.IntValue(value(s))
	}
}

// orSpec is a kind of input, or the adapter's own where that kind is not to be tried.
func (g *generator) orSpec(kind string) string {
	if g.kernel.Parity.Tries(kind) {
		return kind
	}
	return config.SpecInputs
}

// step draws the next case.
func (g *generator) step(step int) {
	if step%4 == 3 && len(g.blunt) > 0 {
		row := g.newRow()
		g.fill(row.values, func(s *span) int64 { return s.small(g.rng) })
		g.emitRow(row, g.blunt[step/4%len(g.blunt)])
		return
	}
	if step%8 == 5 && len(g.twins) > 0 && g.tryTwins() {
		return
	}
	kind := g.kind()
	if len(g.ranges) == 0 {
		g.emitRow(g.newRow(), kind)
		return
	}
	s := g.ranges[g.turn%len(g.ranges)]
	g.turn++
	g.tryEdge(s, s.nextEdge(g.rng), kind)
}

// kind deals from a shuffled deck of the sharp kinds, normal twice in it: every seed gets its share of each.
func (g *generator) kind() string {
	if len(g.deck) == 0 {
		g.deck = append(slices.Clone(g.sharp), g.orSpec("normal"))
		g.rng.Shuffle(len(g.deck), func(i, j int) { g.deck[i], g.deck[j] = g.deck[j], g.deck[i] })
	}
	last := len(g.deck) - 1
	kind := g.deck[last]
	g.deck = g.deck[:last]
	return kind
}

// tryEdge emits a case that has one range at the given value; a few attempts, the last with all else smallest. Where
// none is possible, the row is emitted with all ranges smallest, or else with the values that it was found possible with.
func (g *generator) tryEdge(focus *span, edge int64, kind string) {
	taken := g.newRow()
	row := drawnRow{slices.Clone(taken.values), taken.pairs}
	const attempts = 4
	for attempt := range attempts {
		g.fill(row.values, func(s *span) int64 {
			switch {
			case s == focus:
				return edge
			case attempt == attempts-1:
				return s.first
			}
			return g.beside(s)
		})
		// One in eight may be as large as it likes: what fails only when several sizes are large is found by nothing else.
		if g.rng.IntN(8) != 0 {
			g.slim(row.values, focus)
		}
		if g.emitRow(row, kind) {
			return
		}
	}
	row.values[focus.index] = config.IntValue(focus.first)
	if !g.emitRow(row, kind) && taken.pairs {
		g.emitRow(taken, kind)
	}
}

// beside draws a value for a range that is not in focus.
func (g *generator) beside(s *span) int64 {
	switch draw := g.rng.IntN(10); {
	case draw < 6:
		return s.small(g.rng)
	case draw < 9:
		return s.anyEdge(g.rng)
	}
	return s.draw(g.rng)
}

// slim lowers ranges other than focus until the case is lean.
func (g *generator) slim(row []config.Value, focus *span) {
	for _, value := range []func(*span) int64{func(s *span) int64 { return s.small(g.rng) }, func(s *span) int64 { return s.first }} {
		for _, s := range g.ranges {
			if s != focus && weight(row) > g.lean {
				row[s.index] = config.IntValue(value(s))
			}
		}
	}
}

// drawnRow is the values of a case to be; pairs says that it is the next of the rows that cover all pairs.
type drawnRow struct {
	values []config.Value
	pairs  bool
}

// newRow has the listed parameters set: by the rows that cover all pairs, then at random. A row is given again and again until a
// case with it was emitted: where may refuse what is drawn for the ranges.
func (g *generator) newRow() drawnRow {
	if g.nextRow < len(g.rows) {
		return drawnRow{slices.Clone(g.rows[g.nextRow]), true}
	}
	return drawnRow{g.randomRow(), false}
}

// emitRow emits a case of a row as far as where allows it.
func (g *generator) emitRow(row drawnRow, values string) bool {
	if !g.emit(row.values, values, true) {
		return false
	}
	if row.pairs {
		g.nextRow++
	}
	return true
}

func (g *generator) randomRow() []config.Value {
	row := make([]config.Value, len(g.kernel.Params))
	for _, i := range g.listed {
		row[i] = pick(g.rng, g.kernel.Params[i].Values)
	}
	return row
}

func pick(rng *rand.Rand, values []config.Value) config.Value {
	return values[rng.IntN(len(values))]
}

// exhaust fills up from a domain that is small enough to be written out, once drawing finds nothing new in it.
func (g *generator) exhaust() {
	const small = 4096
	if len(g.out) >= g.n {
		return
	}
	rows := [][]config.Value{nil}
	for _, p := range g.kernel.Params {
		values := domain(p, small)
		if len(rows)*len(values) > small {
			return
		}
		rows = extend(rows, values)
	}
	for _, kind := range slices.Concat(g.sharp, g.blunt) {
		for _, row := range rows {
			g.emit(row, kind, true)
		}
	}
}
