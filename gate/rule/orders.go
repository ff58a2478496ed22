package rule

import "slices"

// openings are the orders of the first two rounds, one pair of which is drawn; A is base, B is head. In each pair both sides stand at the
// same place on average, so linear drift cancels. About as large a share of each side follows a process of head, so what that leaves
// behind for the next process hits both alike; what ran before the first process makes the difference.
var openings = [4][openingRounds]string{
	{"BAABBB", "BBABBA"},
	{"BBAABB", "ABBBBA"},
	{"ABBABB", "BBBAAB"},
	{"ABBBBA", "BBAABB"},
}

// Orders are those of the rounds of a run. The first two rounds are an opening, drawn. Then come pairs of rounds of four, ABBA with BAAB
// and AABB with BBAA in turn; of each pair the first is drawn and the second is its opposite. Whatever disturbs one place of every round
// of four then hits both sides alike at each look, since looks come after even numbers of rounds, and every second look balances what a
// process leaves behind for the next one.
//
// Even rounds are ABBA and BAAB alone. With competitors, R, S and T, each has a place in the first half of a round and the mirrored one in
// the second, as in ARBBRA: drift within a round cancels between any two. From one pair of rounds to the next they move on by a place, so
// that after as many pairs as a half has places each has stood in all of them equally often, base and head too: see CompetitorLooks.
type Orders struct {
	Schedule
	Competitors int // at most result.MaxCompetitors; they need even rounds
	drawn       []string
}

// Of returns the order of a round, from 0; flip draws a bit. Asked again, as after a voided round, it is the same.
func (o *Orders) Of(round int, flip func() bool) string {
	for len(o.drawn) <= round {
		o.drawn = append(o.drawn, o.pair(len(o.drawn)/2, flip)...)
	}
	return o.drawn[round]
}

// pair draws the orders of two rounds.
func (o *Orders) pair(pair int, flip func() bool) []string {
	if !o.Even && pair == 0 {
		choice := 0
		for range 2 {
			choice *= 2
			if flip() {
				choice++
			}
		}
		return openings[choice][:]
	}
	half := "AB"
	if flip() {
		half = "BA"
	}
	if !o.Even && pair%2 == 0 { // AABB with BBAA
		double := half[:1] + half[:1] + half[1:] + half[1:]
		return []string{double, reversed(double)}
	}
	first, second := o.withCompetitors(half, pair), o.withCompetitors(reversed(half), pair)
	return []string{first + reversed(first), second + reversed(second)}
}

// withCompetitors puts the competitors into their places of half a round.
func (o *Orders) withCompetitors(sides string, pair int) string {
	half := make([]byte, 2+o.Competitors)
	for i := range o.Competitors {
		half[(pair+i)%len(half)] = "RST"[i]
	}
	next := 0
	for place := range half {
		if half[place] == 0 {
			half[place] = sides[next]
			next++
		}
	}
	return string(half)
}

func reversed(s string) string {
	out := []byte(s)
	slices.Reverse(out)
	return string(out)
}
