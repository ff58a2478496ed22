package simulate

import (
	"reflect"
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
	if err != nil {
		t.Fatal(err)
	}
	row := r.Equal[0]
	if row.Better.Hits > 0 || row.MeanSearch.Hits != o.Searches || row.Fastest <= 0 {
		t.Errorf("equal candidates: %+v", row)
	}
	if len(r.Hidden) != len(mixes)*len(HiddenGains) {
		t.Fatalf("%d rows", len(r.Hidden))
	}
	for _, h := range r.Hidden {
		if h.Gain >= 0.05 && h.Found.Hits != o.Searches || h.False.Hits > 0 || h.Processes > 1.2*h.GateProcs {
			t.Errorf("%+v", h)
		}
	}
	again, err := o.Search()
	if err != nil || !reflect.DeepEqual(again.Equal, r.Equal) || !reflect.DeepEqual(again.Hidden, r.Hidden) {
		t.Errorf("equal options gave other numbers: %v", err)
	}
	if text := r.Render(); strings.Count(text, "\n| process sd 0.6 %") != 1+len(r.Hidden) {
		t.Error(text)
	}
}
