package rule

// Orders of the four processes of a round; A is base, B is head.
const (
	OrderABBA = "ABBA"
	OrderBAAB = "BAAB"
)

// Orders are those of the rounds of a run: of every two the first is drawn by lot and the second is its opposite. Whatever disturbs one
// place of every round then hits both sides alike at each look, since looks come after even numbers of rounds.
//
// With competitors, R, S and T, each has a place in the first half of a round and the mirrored one in the second, as in ARBBRA: drift within a
// round cancels between any two. From one pair of rounds to the next they move on by a place, so that after as many pairs as a half has places
// each has stood in all of them equally often, base and head too: see CompetitorLooks.
type Orders struct {
	Competitors int // at most result.MaxCompetitors
	firsts      []string
}

// Of returns the order of a round, from 0; flip draws a lot. Asked again, as after a voided round, it is the same.
func (o *Orders) Of(round int, flip func() bool) string {
	for len(o.firsts) <= round/2 {
		half := "AB"
		if flip() {
			half = "BA"
		}
		o.firsts = append(o.firsts, half)
	}
	half := o.firsts[round/2]
	if round%2 == 1 {
		half = reversed(half)
	}
	half = o.withCompetitors(half, round/2)
	return half + reversed(half)
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
	for i := range out {
		out[i] = s[len(s)-1-i]
	}
	return string(out)
}
