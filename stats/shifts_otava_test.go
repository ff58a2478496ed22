package stats

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// besideSeries is a series of docs/measurements/history/beside_otava.py, with what Apache Otava made of it. Truth is where its level may be said
// to change: one place, or the slope of a ramp; empty for noise, nil for the published series of which nobody knows.
type besideSeries struct {
	Kind   string    `json:"kind"`
	Truth  []int     `json:"truth"`
	Otava  []int     `json:"otava"`
	Series []float64 `json:"series"`
}

// judged is how often an algorithm was right on the series of a kind.
type judged struct{ found, wrong, series int }

// judge counts a series of which a change was found near its truth, and one with a change where there is none.
func (j *judged) judge(truth, places []int) {
	near := func(p int) bool {
		return slices.ContainsFunc(truth, func(at int) bool { return p >= at-2 && p <= at+2 })
	}
	j.series++
	if slices.ContainsFunc(places, near) {
		j.found++
	}
	if slices.ContainsFunc(places, func(p int) bool { return !near(p) }) {
		j.wrong++
	}
}

// TestBesideOtava: the same series for Otava (Hunter's algorithm, with its defaults) and for ours. The rule was not adjusted on these.
func TestBesideOtava(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/otava.json")
	must(t, err)
	var all []besideSeries
	must(t, json.Unmarshal(data, &all))
	ours, theirs := map[string]*judged{}, map[string]*judged{}
	var kinds []string
	for _, s := range all {
		places := Shifts(s.Series, 0, 0)
		if s.Truth == nil || len(s.Series) < 60 {
			t.Logf("%s, %d values: ours %v, Otava %v", s.Kind, len(s.Series), places, s.Otava)
		}
		if s.Truth == nil {
			continue
		}
		if ours[s.Kind] == nil {
			kinds = append(kinds, s.Kind)
			ours[s.Kind], theirs[s.Kind] = &judged{}, &judged{}
		}
		ours[s.Kind].judge(s.Truth, places)
		theirs[s.Kind].judge(s.Truth, s.Otava)
	}
	for _, kind := range kinds {
		a, b := ours[kind], theirs[kind]
		t.Logf("%-25s %d series: ours finds %d, is wrong in %d; Otava finds %d, is wrong in %d", kind, a.series, a.found, a.wrong, b.found, b.wrong)
		if a.wrong > max(2, b.wrong+1) || a.found < b.found-a.series/10 {
			t.Errorf("%s: ours finds %d and is wrong in %d of %d; Otava finds %d and is wrong in %d", kind, a.found, a.wrong, a.series, b.found, b.wrong)
		}
	}
}
