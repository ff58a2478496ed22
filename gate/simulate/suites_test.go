package simulate

import "testing"

// A trade is accepted where it is to be, and refused at the boundary of the suite and at that of a case; the rows are of the same runs as the rule's own.
func TestSuites(t *testing.T) {
	t.Parallel()
	o := Default()
	o.Trials, o.SuiteCases = 2, 2
	if err := o.Select("process sd 0.3"); err != nil {
		t.Fatal(err)
	}
	got, err := o.Suite()
	if err != nil || len(got.Rows) != 2*len(worlds) {
		t.Fatalf("%d rows, %v", len(got.Rows), err)
	}
	for _, r := range got.Rows {
		want := 0
		if r.World == "suite faster, one case slower" {
			want = o.Trials
		}
		if r.Traded.Hits != want || r.Failed.Hits != 0 || r.Traded.Trials != o.Trials {
			t.Errorf("%+v, want %d trades", r, want)
		}
	}
}

// A goal is reached where enough cases are above it, missed where one is too few, and neither where they are just at it.
func TestGoals(t *testing.T) {
	t.Parallel()
	o := Default()
	o.Trials, o.SuiteCases = 2, 3
	if err := o.Select("process sd 0.3"); err != nil {
		t.Fatal(err)
	}
	got, err := o.Goal()
	if err != nil || len(got.Rows) != 2*len(goalTruths) {
		t.Fatalf("%d rows, %v", len(got.Rows), err)
	}
	want := [][2]int{{0, 0}, {0, 0}, {o.Trials, 0}, {0, o.Trials}}
	for i, r := range got.Rows {
		if found := [2]int{r.Reached.Hits, r.Missed.Hits}; found != want[i%len(want)] || r.Reached.Trials != o.Trials {
			t.Errorf("%+v, want %v", r, want[i%len(want)])
		}
	}
}
