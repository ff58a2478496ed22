package machine

import "testing"

// A trace of a run of any length is short, begins where it began, ends near its end and leaves no hole.
func TestTraceIsSpreadEvenly(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 100, 2*mostMoments - 1, 2 * mostMoments, 5000, 100_000} {
		var tr trace
		for i := range n {
			tr.add(float64(i), sample{smClockMHz: i})
		}
		if len(tr.kept) == 0 || len(tr.kept) >= 2*mostMoments || tr.kept[0].AtS != 0 {
			t.Fatalf("of %d samples %d are kept, from %v on", n, len(tr.kept), tr.kept[:min(1, len(tr.kept))])
		}
		for i, m := range tr.kept {
			if m.AtS != float64(i*tr.every) || m.SMClockMHz != i*tr.every {
				t.Fatalf("of %d samples the %dth kept is of %v s, want every %dth", n, i, m.AtS, tr.every)
			}
		}
		if left := n - (len(tr.kept)-1)*tr.every; left > tr.every {
			t.Errorf("of %d samples the last %d are in no moment of %d apart", n, left, tr.every)
		}
	}
}
