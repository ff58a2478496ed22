package calibrate

import "fmt"

// Bar is what the rule has to reach in a world; rates are fractions. A rate breaks its bar where its 95 % interval lies beyond it.
type Bar struct {
	Red      float64 // most unchanged suites that fail
	Edge     float64 // most suites exactly at the tolerance with a regression
	EdgePass float64 // most cases exactly at the tolerance that pass
	At3      float64 // least cases at +3 % that are found
	Same     float64 // most cases at 0 called same, for worlds whose head is slow sometimes; 0: no bar
}

// usual is the bar of every world that says nothing else.
var usual = Bar{Red: 0.005, Edge: 0.015, EdgePass: 0.01, At3: 0.99}

// barOf is the bar of a world. Where scatter, not bias, is what is wrong with a world, power is what it costs.
func barOf(w World) Bar {
	m, ok := w.(Model)
	if !ok {
		return Bar{Red: usual.Red, Edge: usual.Edge, EdgePass: usual.EdgePass}
	}
	if m.Bar == nil {
		return usual
	}
	return *m.Bar
}

// misses lists what of a row breaks the bar of its world; none where all holds.
func (b Bar) misses(row Row) []string {
	var out []string
	most := func(what string, r Rate, limit float64) {
		if low, _ := r.Bounds(); r.Trials > 0 && limit > 0 && low > limit {
			out = append(out, fmt.Sprintf("%s %s %%, at most %.3g", what, r, 100*limit))
		}
	}
	most("A/A suites red", row.RedSuites, b.Red)
	most("suites at the tolerance with a regression", row.Edge, b.Edge)
	most("cases at the tolerance passed", row.EdgePass, b.EdgePass)
	most("unchanged cases same", row.Same, b.Same)
	if _, high := row.Power[at3].Bounds(); high < b.At3 {
		out = append(out, fmt.Sprintf("found at +3 %% %s %%, at least %.3g", row.Power[at3], 100*b.At3))
	}
	return out
}
