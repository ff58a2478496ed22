package simulate

import "fmt"

// Target is what the rule has to reach; rates are fractions. A rate misses its target where its 95 % interval lies beyond it.
type Target struct {
	Red      float64 // most unchanged suites that fail
	Edge     float64 // most suites exactly at the tolerance with a regression
	EdgePass float64 // most cases exactly at the tolerance that pass
	At3      float64 // least cases at +3 % that are found
	Same     float64 // most cases at 0 that pass, where head is slow sometimes; 0: no target
}

// usual is the target of all noise that says nothing else. Recordings have no target of power: a noisy kernel has what it has.
var usual = Target{Red: 0.005, Edge: 0.015, EdgePass: 0.01, At3: 0.99}

func targetOf(n Noise) Target {
	m, ok := n.(Model)
	switch {
	case !ok:
		return Target{Red: usual.Red, Edge: usual.Edge, EdgePass: usual.EdgePass}
	case m.Target != nil:
		return *m.Target
	}
	return usual
}

// misses lists what of the figures of one kind of noise at a tolerance misses its target; none where all holds.
func (t Target) misses(row Row, tolerance float64) []string {
	var out []string
	for _, most := range []struct {
		what, header string
		limit        float64
	}{
		{"unchanged suites that fail", "unchanged: suites that fail (at most)", t.Red},
		{"suites at the tolerance with a regression", "at the tolerance: suites with a regression (at most)", t.Edge},
		{"cases at the tolerance passed", "at the tolerance: passed (at most)", t.EdgePass},
		{"unchanged cases passed", "unchanged: passed", t.Same},
	} {
		r := row.rate(most.header)
		if low, _ := r.Bounds(); r.Trials > 0 && most.limit > 0 && low > most.limit {
			out = append(out, fmt.Sprintf("%s %s %%, at most %.3g", most.what, r, 100*most.limit))
		}
	}
	at3 := row.rate(foundAt(0.03))
	if _, high := at3.Bounds(); at3.Trials > 0 && tolerance <= 0.015 && high < t.At3 {
		out = append(out, fmt.Sprintf("found at +3 %% %s %%, at least %.3g", at3, 100*t.At3))
	}
	return out
}
