package benchmark

import (
	"cmp"
	"fmt"
)

// Pair is a row of a benchmark as both sides have it.
type Pair struct {
	Name   string
	State  State
	Reason string // of one that is in no state to be timed, for people
	Case   Case   // base's where it has one, else head's
	Work   bool   // the sides say that a launch does other work
}

// State says what can be done with a row.
type State int

// States of a row. Skipped by the benchmark itself is like not being there.
const (
	Common  State = iota // both sides measure it
	New                  // head has it, base does not
	Lost                 // base has it, head does not
	Failing              // head has it and cannot measure it, and base can or does not have it
	Broken               // base cannot measure it, or neither can
	Left                 // neither side has it
	Changed              // base's and head's are not the same measurement
	Coarse               // its clock does not move in it, as seen on one side at least
)

// Match compares what the first runs of both sides have, in the order of base, then what only head has.
func Match(base, head Set) []Pair {
	of := map[string][2]*Case{}
	var names []string
	for side, set := range []Set{base, head} {
		for i, c := range set.Cases {
			both, known := of[c.Name]
			if !known {
				names = append(names, c.Name)
			}
			both[side] = &set.Cases[i]
			of[c.Name] = both
		}
	}
	var pairs []Pair
	for _, name := range names {
		pairs = append(pairs, match(name, of[name][0], of[name][1]))
	}
	return pairs
}

func match(name string, base, head *Case) Pair {
	p := Pair{Name: name, Case: *cmp.Or(base, head)}
	baseThere, headThere := base != nil && !base.Skipped, head != nil && !head.Skipped
	baseFails, headFails := baseThere && base.Failed != "", headThere && head.Failed != ""
	switch {
	case !baseThere && !headThere:
		p.State, p.Reason = Left, p.Case.Failed
	case base != nil && base.Coarse:
		p.State, p.Reason = Coarse, base.Failed
	case head != nil && head.Coarse:
		p.State, p.Reason = Coarse, head.Failed
	case baseFails:
		p.State, p.Reason = Broken, base.Failed
	case headFails:
		p.State, p.Reason = Failing, head.Failed
	case !baseThere:
		p.State, p.Case = New, *head
	case !headThere && head != nil:
		p.State, p.Reason = Lost, "head's benchmark leaves it out, and base's measures it: "+head.Failed
	case !headThere:
		p.State, p.Reason = Lost, "head's benchmark no longer has it"
	default:
		if differs := base.Differs(*head); differs != "" {
			p.State, p.Reason = Changed, "base's and head's benchmark differ: "+differs
		}
		p.Work = base.WorkSaid && head.WorkSaid && (base.Bytes != head.Bytes || base.Flops != head.Flops)
	}
	return p
}

// Differs says why times of two runs of a row are not of the same measurement; "" where they are. A rate is a time by the work that stands
// beside it, so of other work it is another time.
func (c Case) Differs(from Case) string {
	switch {
	case c.Unit != from.Unit:
		return "one writes a time and the other a rate"
	case c.Unit == UnitRate && (c.Bytes != from.Bytes || c.Flops != from.Flops):
		return fmt.Sprintf("one writes a rate of %g bytes and %g flops a launch, the other of %g and %g", c.Bytes, c.Flops, from.Bytes, from.Flops)
	}
	return ""
}

// Beside are the libraries' rows of the place of a row, of those that both sides measure, by the name of the library.
func Beside(pairs []Pair, row Case) map[string]Case {
	competitors := map[string]Case{}
	for _, p := range pairs {
		if c := p.Case; row.Place != "" && c.Place == row.Place && c.Competitor && p.State == Common {
			competitors[c.Line] = c
		}
	}
	return competitors
}
