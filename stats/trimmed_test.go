package stats

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestTrimmedMeanEqualsSorting(t *testing.T) {
	value := rapid.OneOf(
		rapid.Float64Range(90, 110),
		rapid.Map(rapid.IntRange(90, 110), func(i int) float64 { return float64(i) }),
		rapid.Float64Range(1e-9, 1e12),
		rapid.Just(100.0),
	)
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(value, 1, 200).Draw(t, "xs")
		cut := rapid.SampledFrom([]float64{0, 0.1, 0.2, 0.49}).Draw(t, "cut")
		got, err := TrimmedMean(xs, cut)
		must(t, err)
		sorted := sortedCopy(xs)
		k := int(cut * float64(len(xs)))
		want := Mean(sorted[k : len(xs)-k])
		if math.Abs(got-want) > 1e-12*want {
			t.Fatalf("TrimmedMean(%v, %v) = %v, sorting says %v", xs, cut, got, want)
		}
	})
}

func TestTrimmedMeanOfExtremes(t *testing.T) {
	for _, xs := range [][]float64{
		{math.MaxFloat64, 1, 2, 3, -math.MaxFloat64}, {5e-324, 0, 0, 0, 5e-324}, {-1, -2, -3, -4, -5},
	} {
		got, err := TrimmedMean(xs, 0.2)
		sorted := sortedCopy(xs)
		if want := Mean(sorted[1:4]); err != nil || math.Abs(got-want) > 1e-300 {
			t.Errorf("TrimmedMean(%v) = %v, %v; want %v", xs, got, err, want)
		}
	}
}

func BenchmarkTrimmedMean(b *testing.B) {
	xs := normals(100, 100, 1, 1)
	for b.Loop() {
		if _, err := TrimmedMean(xs, 0.2); err != nil {
			b.Fatal(err)
		}
	}
}
