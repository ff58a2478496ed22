package rule

// Orders of the four processes of a round; A is base, B is head.
const (
	OrderABBA = "ABBA"
	OrderBAAB = "BAAB"
)

// Orders are those of the rounds of a run: of every two the first is drawn by lot and the second is its opposite. Whatever disturbs one
// place of every round then hits both sides alike at each look, since looks come after even numbers of rounds.
type Orders struct{ firsts []string }

// Of returns the order of a round, from 0; flip draws a lot. Asked again, as after a voided round, it is the same.
func (o *Orders) Of(round int, flip func() bool) string {
	for len(o.firsts) <= round/2 {
		order := OrderABBA
		if flip() {
			order = OrderBAAB
		}
		o.firsts = append(o.firsts, order)
	}
	first := o.firsts[round/2]
	switch {
	case round%2 == 0:
		return first
	case first == OrderABBA:
		return OrderBAAB
	}
	return OrderABBA
}
