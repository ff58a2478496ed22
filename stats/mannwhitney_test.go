package stats

import (
	"math/bits"
	"testing"

	"pgregory.net/rapid"
)

// With ties there is no table to look up: count all ways to choose which of the values are head's.
func TestMannWhitneyWithTiesEqualsEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grid := rapid.Map(rapid.IntRange(1, 4), func(i int) float64 { return float64(i) })
		base := rapid.SliceOfN(grid, 1, 5).Draw(t, "base")
		head := rapid.SliceOfN(grid, 1, 5).Draw(t, "head")
		got, err := MannWhitneyU(base, head)
		if err != nil {
			t.Skip("constant")
		}
		all := append(append([]float64{}, base...), head...)
		atMost, atLeast, total := 0.0, 0.0, 0.0
		for mask := range uint(1) << len(all) {
			if bits.OnesCount(mask) != len(head) {
				continue
			}
			total++
			u := pairsAbove(all, mask)
			if u <= got.U {
				atMost++
			}
			if u >= got.U {
				atLeast++
			}
		}
		want := min(1, 2*atMost/total, 2*atLeast/total)
		if got.P < want-1e-9 || got.P > want+1e-9 {
			t.Fatalf("p = %v, enumeration says %v", got.P, want)
		}
	})
}

// pairsAbove is U of the values that mask selects against the others.
func pairsAbove(all []float64, mask uint) float64 {
	u := 0.0
	for i, h := range all {
		for j, b := range all {
			if mask>>i&1 == 0 || mask>>j&1 == 1 {
				continue
			}
			switch {
			case h > b:
				u++
			case h == b:
				u += 0.5
			}
		}
	}
	return u
}
