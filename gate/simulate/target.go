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

// misses lists what of a row misses its target; none where all holds.
func (t Target) misses(row Promise) []string {
	var out []string
	most := func(what string, r Rate, limit float64) {
		if low, _ := r.Bounds(); r.Trials > 0 && limit > 0 && low > limit {
			out = append(out, fmt.Sprintf("%s %s %%, at most %.3g", what, r, 100*limit))
		}
	}
	most("unchanged suites that fail", row.FailedSuites, t.Red)
	most("suites at the tolerance with a regression", row.EdgeSuites, t.Edge)
	most("cases at the tolerance passed", row.Passed, t.EdgePass)
	most("unchanged cases passed", row.Same, t.Same)
	if len(row.Power) == 0 {
		return out
	}
	if _, high := row.Power[at3].Bounds(); row.Tolerance <= 0.015 && high < t.At3 {
		out = append(out, fmt.Sprintf("found at +3 %% %s %%, at least %.3g", row.Power[at3], 100*t.At3))
	}
	return out
}
