package measure

// Count ends after so many rounds and decides nothing.
type Count int

// LooksAt is true after the last.
func (n Count) LooksAt(rounds int) bool { return rounds == int(n) }

// Last is all of them.
func (n Count) Last() int { return int(n) }

// Look gives up cases whose clock and ours disagree.
func (n Count) Look(_ int, cases []*Case) (over bool, err error) {
	for _, c := range cases {
		c.doubt()
	}
	return true, nil
}
