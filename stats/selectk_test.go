package stats

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestKthLargestAgainstSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Float64Range(-5, 5), 1, 60).Draw(t, "xs")
		k := rapid.IntRange(1, len(xs)).Draw(t, "k")
		sorted := sortedCopy(xs)
		if got := kthLargest(slices.Clone(xs), k); got != sorted[len(xs)-k] {
			t.Fatalf("kthLargest(%v, %d) = %v, want %v", xs, k, got, sorted[len(xs)-k])
		}
	})
}
