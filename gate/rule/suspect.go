package rule

import (
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// suspectScales is how many robust standard deviations a process lies from the median before it is suspect. Unchanged suites of real
// data are to look no further for it: docs/measurements/rule says how often they do.
const suspectScales = 10

// suspect finds the processes of one side that are slower than the median by more than the tolerance (a log shift) and by more than
// the scatter of the others explains, while no process of the other side is half as far. nil where there is none, or on both sides: then
// it is the machine.
//
// The shift is taken out first, as the median of all differences between a process of head and one of base in a round, and then the level
// of each round, as the median of its processes. Neither moves by much for one wild process, and without the first the side that
// has fewer processes in a round would be the far one.
func suspect(rounds []stats.Round, tolerance float64) *result.Suspect {
	var between []float64
	for _, r := range rounds {
		for _, b := range r.Base {
			for _, h := range r.Head {
				between = append(between, h-b)
			}
		}
	}
	shift := stats.MedianOrNaN(between)
	var base, head []float64
	for _, r := range rounds {
		together := withoutShift(r, shift)
		level := stats.MedianOrNaN(together)
		for i, y := range together {
			if i < len(r.Base) {
				base = append(base, y-level)
			} else {
				head = append(head, y-level)
			}
		}
	}
	all := slices.Concat(base, head)
	centre, spread := stats.MedianAndSpread(all)
	limit := max(tolerance, suspectScales*spread)
	found := farSide(result.SideBase, base, head, centre, limit)
	if found == nil {
		found = farSide(result.SideHead, head, base, centre, limit)
	}
	return found
}

// withoutShift are the values of base in a round, and then those of head with the shift taken out.
func withoutShift(r stats.Round, shift float64) []float64 {
	values := slices.Clone(r.Base)
	for _, h := range r.Head {
		values = append(values, h-shift)
	}
	return values
}

// farSide are the processes of own beyond the limit, nil where there is none or other has one half as far.
func farSide(side result.Side, own, other []float64, centre, limit float64) *result.Suspect {
	s := result.Suspect{Side: side, Of: len(own)}
	worst := slices.Max(own) - centre
	for _, d := range own {
		if d-centre > limit {
			s.Processes++
		}
	}
	if s.Processes == 0 || slices.Max(other)-centre > worst/2 {
		return nil
	}
	s.Shift = math.Expm1(worst)
	return &s
}
