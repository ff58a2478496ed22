package simulate

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// Of candidates that are base itself none is better, where every reading of some is below base's; and what is hidden is found.
// That costs hardly more than the gate on each, which takes fewer processes since its first rounds have four of head, and finds less of a gain of 2 %.
func TestSearches(t *testing.T) {
	t.Parallel()
	o := small(t, "process sd 0.6", 1)
	o.Searches, o.Candidates, o.Hidden = 3, 60, 20
	r, err := o.Search()
	must(t, err)
	row, hidden := r.tables[0].rows[0], r.tables[1].rows
	if row.hits(t, "judge: searches with any `better`") > 0 || row.hits(t, "searches with any") != o.Searches || value(t, row, "the fastest reading claims") <= 0 {
		t.Errorf("equal candidates: %+v", row)
	}
	if len(hidden) != len(mixes)*len(HiddenGains) {
		t.Fatalf("%d rows", len(hidden))
	}
	for _, h := range hidden {
		if value(t, h, "hidden") >= 5 && h.hits(t, "judge: found") != o.Searches || h.hits(t, "another one `better`") > 0 ||
			value(t, h, "processes a search") > 1.2*value(t, h, "processes") {
			t.Errorf("%+v", h)
		}
	}
	again, err := o.Search()
	if err != nil || !reflect.DeepEqual(again, r) {
		t.Errorf("equal options gave other numbers: %v", err)
	}
	if text := r.Render(); strings.Count(text, "\n| process sd 0.6 %") != 1+len(hidden) {
		t.Error(text)
	}
}

// value is a number as a row words it.
func value(t *testing.T, r Row, header string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(r.figure(t, header).text, 64)
	if err != nil {
		t.Error(err)
	}
	return x
}
