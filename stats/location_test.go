package stats

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// latencies draws samples on a coarse grid, so that ties are common.
func latencies(t *rapid.T, name string, minLen int) []float64 {
	grid := rapid.IntRange(1, 40)
	return rapid.SliceOfN(rapid.Map(grid, func(i int) float64 { return float64(i) / 4 }), minLen, 40).Draw(t, name)
}

func TestLocationLeavesItsInputAlone(t *testing.T) {
	xs := []float64{3, 1, 2}
	for _, location := range []func() (float64, error){
		func() (float64, error) { return Median(xs) },
		func() (float64, error) { return TrimmedMean(xs, 0.2) },
		func() (float64, error) { return Quantile(xs, 0.2) },
	} {
		if _, err := location(); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(xs, []float64{3, 1, 2}) {
		t.Errorf("input reordered to %v", xs)
	}
}

func TestMedianOfThreeIsTheMiddle(t *testing.T) {
	for _, tt := range []struct {
		xs   []float64
		want float64
	}{
		{[]float64{1, 2, 3}, 2},
		{[]float64{4, 1, 2, 3}, 2.5},
		{[]float64{7}, 7},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, math.MaxFloat64},
	} {
		if got, err := Median(tt.xs); err != nil || got != tt.want {
			t.Errorf("Median(%v) = %v, %v; want %v", tt.xs, got, err, tt.want)
		}
	}
}

func TestLogProcessWantsLatencies(t *testing.T) {
	if y, err := LogProcess([]float64{math.E, math.E}); err != nil || math.Abs(y-1) > 1e-15 {
		t.Errorf("LogProcess(e, e) = %v, %v", y, err)
	}
	if _, err := LogProcess([]float64{1, 0}); !errors.Is(err, ErrNotPositive) {
		t.Errorf("a latency of 0: %v", err)
	}
}

// The spread of the middle of a sample is that of the whole where it is normal, and outliers do not move it.
func TestMedianAndSpread(t *testing.T) {
	xs := []float64{1, 2, 3, 4, 5, 6, 7}
	for last, want := range map[float64]float64{7: 2 * 1.4826, 1e9: 2 * 1.4826} {
		xs[6] = last
		if median, sd := MedianAndSpread(xs); median != 4 || math.Abs(sd-want) > 1e-12 {
			t.Errorf("%v: %v, %v; want 4, %v", xs, median, sd, want)
		}
	}
	if median, sd := MedianAndSpread(nil); !math.IsNaN(median) || !math.IsNaN(sd) {
		t.Errorf("of nothing: %v, %v", median, sd)
	}
}
