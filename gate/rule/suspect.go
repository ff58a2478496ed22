package rule

import (
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// suspectScales is how many robust standard deviations a process lies from the median before it is suspect. Unchanged suites of real
// data are to look no further for it: docs/statistics.md says how often they do.
const suspectScales = 10

// suspect finds the processes of one side that are slower than the median by more than the tolerance (a log shift) and by more than
// the scatter of the others explains, while no process of the other side is half as far. Levels of rounds are taken out by the
// median of each, which one process in four does not move. nil where there is none, or on both sides: then it is the machine.
func suspect(rounds []stats.Round, tolerance float64) *result.Suspect {
	var all, base, head []float64
	for _, r := range rounds {
		level := stats.MedianOrNaN([]float64{r.Base[0], r.Base[1], r.Head[0], r.Head[1]})
		base = append(base, r.Base[0]-level, r.Base[1]-level)
		head = append(head, r.Head[0]-level, r.Head[1]-level)
	}
	all = slices.Concat(base, head)
	centre := stats.MedianOrNaN(all)
	far := make([]float64, len(all))
	for i, d := range all {
		far[i] = math.Abs(d - centre)
	}
	const normal = 1.4826 // from the median of absolute deviations to a standard deviation
	limit := max(tolerance, suspectScales*normal*stats.MedianOrNaN(far))
	found := farSide(result.SideBase, base, head, centre, limit)
	if found == nil {
		found = farSide(result.SideHead, head, base, centre, limit)
	}
	return found
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
