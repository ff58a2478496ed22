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
