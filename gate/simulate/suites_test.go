package simulate

import "testing"

// A trade is accepted where it is to be, and refused at the boundary of the suite and at that of a case; the rows are of the same runs as the rule's own.
func TestSuites(t *testing.T) {
	t.Parallel()
	o := small(t, "process sd 0.3", 2)
	o.SuiteCases = 2
	got, err := o.Suite()
	if err != nil || len(got.tables[0].rows) != 2*len(suiteTruths) {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, r := range got.tables[0].rows {
		want := 0
		if r.figure(t, "truth").text == "suite faster, one case slower" {
			want = o.Trials
		}
		if r.rate("traded (at most)") != (Rate{want, o.Trials}) || r.hits(t, "suite: regression (at most)") != 0 {
			t.Errorf("%+v, want %d trades", r, want)
		}
	}
}

// A goal is reached where enough cases are above it, missed where one is too few, and neither where they are just at it.
func TestGoals(t *testing.T) {
	t.Parallel()
	o := small(t, "process sd 0.3", 2)
	o.SuiteCases = 3
	got, err := o.Goal()
	if err != nil || len(got.tables[0].rows) != 2*len(goalTruths) {
		t.Fatalf("%+v, %v", got, err)
	}
	want := [][2]int{{0, 0}, {0, 0}, {o.Trials, 0}, {0, o.Trials}}
	for i, r := range got.tables[0].rows {
		if found := [2]int{r.hits(t, "reached (at most)"), r.hits(t, "missed (at most)")}; found != want[i%len(want)] || r.rate("reached (at most)").Trials != o.Trials {
			t.Errorf("%+v, want %v", r, want[i%len(want)])
		}
	}
}
