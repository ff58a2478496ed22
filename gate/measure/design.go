package measure

import (
	"math/rand/v2"
	"slices"
)

// Design is what stands in a round.
type Design struct {
	stream uint64         // of the seed's random numbers
	base   bool           // stands beside head, in an order of letters that has places for competitors
	even   bool           // every round has two processes of each side
	back   bool           // a round goes back the way it came, so that what drifts is the same for all
	whole  bool           // a case has all of its processes, or none: what is disturbed is given up, and not measured again
	cut    func(*session) // ends what is open when the time budget is exhausted
}

// Designs.
var (
	// Paired has base and head in the rounds of the gate, and each competitor of a case twice: see rule.Orders.
	Paired = &Design{stream: 0x70657266, base: true, cut: (*session).cutShort}
	// Even has base and head twice in every round, ABBA or BAAB: a search looks after fewer processes than the gate.
	Even = &Design{stream: 0x70657266, base: true, even: true, cut: (*session).cutShort}
	// Single has one process of head, and of each competitor. Nobody is beside it.
	Single = &Design{stream: 0x616c6f6e65, whole: true, cut: (*session).giveUpIncomplete}
	// Mirrored has every configuration once, in a randomized order, and then in the reverse.
	Mirrored = &Design{stream: 0x72616365, back: true, cut: (*session).dropIncomplete}
)

// singles is how many rounds of one process are called one, to be alike to rounds of four.
const singles = 4

// position is what is measured in a part of a round, in a randomized order.
type position struct {
	round, place int // as processes have them
	turns        []turn
}

// draw fixes a round of the cases that are open: its order by letters, if it has one, and its positions.
func (s *session) draw(round int) (order string, out []position) {
	if s.design.base {
		order = s.order(round)
		for place, l := range order {
			out = append(out, position{round, place, turnsIn(shuffled(s.rng, s.open()), letter(l))})
		}
		return order, out
	}
	out = s.groups()
	s.rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	if s.design.back {
		return "", s.thereAndBack(round, out)
	}
	for i := range out {
		out[i].round, out[i].place = round/singles, round%singles
	}
	return "", out
}

func (s *session) thereAndBack(round int, half []position) []position {
	for i := range half {
		half[i].round, half[i].turns = round, shuffled(s.rng, half[i].turns)
	}
	out := slices.Clone(half)
	for _, p := range slices.Backward(half) {
		p.place, p.turns = 1, slices.Clone(p.turns)
		slices.Reverse(p.turns)
		out = append(out, p)
	}
	return out
}

// groups are the processes that measure every open case once, as all that stands in head's place and as its competitors.
func (s *session) groups() []position {
	var out []position
	for _, l := range append([]letter{letterHead}, s.competitorPlaces()...) {
		for _, group := range byProcess(s.openIn(l)) {
			out = append(out, position{turns: group})
		}
	}
	return out
}

func (s *session) order(round int) string {
	return s.orders.Of(round, func() bool { return s.rng.IntN(2) == 1 })
}

func shuffled[T any](rng *rand.Rand, all []T) []T {
	all = slices.Clone(all)
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// stillMeasured are the turns of a position that nothing has ended since it was drawn.
func (p position) stillMeasured() []turn {
	return slices.DeleteFunc(slices.Clone(p.turns), func(t turn) bool { return !t.isMeasured() })
}

// after are the processes that are wanted next, in order, as far as they are known: those of the positions that are left of a round, then those of
// the next one, if it follows without a look.
func (s *session) after(left []position) []wanted {
	out, all := foreseen(left, true)
	if all && len(out) < s.mostAhead() && !s.looksAt(len(s.rounds)+1) {
		next, _ := foreseen(s.undrawn(s.lettersOf(len(s.rounds)+1)), false)
		out = append(out, next...)
	}
	return out
}

// foreseen are the processes of positions, up to the first that is not known: a benchmark's that starts in its turn, or where several come in an order that
// is not drawn yet.
func foreseen(positions []position, drawn bool) (out []wanted, all bool) {
	for _, p := range positions {
		measured := p.stillMeasured()
		next := wants(measured)
		if len(measured) > 0 && len(next) == 0 || len(next) > 1 && !drawn {
			return out, false
		}
		out = append(out, next...)
	}
	return out, true
}

// lettersOf are the places of a round that is not drawn yet, in order, as far as only their cases are open.
func (s *session) lettersOf(round int) []letter {
	if s.design.base {
		return []letter(s.order(round))
	}
	if all := s.groups(); len(all) == 1 {
		return []letter{all[0].turns[0].v.letter}
	}
	return nil
}

// undrawn are positions with all of their open cases.
func (s *session) undrawn(letters []letter) (out []position) {
	for _, l := range letters {
		out = append(out, position{turns: s.openIn(l)})
	}
	return out
}
