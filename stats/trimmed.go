package stats

import (
	"fmt"
	"slices"
)

// TrimmedMean returns the mean of xs without the floor(cut*n) smallest and as many largest values, in the unit of
// xs; 0 <= cut < 0.5. With cut 0.2 it is the value that stands for one process: it keeps most of the precision of
// the mean and up to a fifth of wild values on either side cannot move it far (Tukey and McLaughlin 1963; R's
// mean(trim=)).
//
// Constant and tied input is fine. Empty input, NaN or infinite values and a cut outside [0, 0.5) are errors.
func TrimmedMean(xs []float64, cut float64) (float64, error) {
	if err := checkFinite("trimmed mean", xs); err != nil {
		return 0, err
	}
	if !(cut >= 0 && cut < 0.5) {
		return 0, fmt.Errorf("trimmed mean: cut is %v, not in [0, 0.5): %w", cut, ErrArgument)
	}
	k := int(cut * float64(len(xs)))
	if k == 0 {
		return Mean(xs), nil
	}
	low, high := ends(xs)
	if scale := (bins - 1) / (high - low); scale > 0 && scale*(high-low) < bins {
		return binned(xs, low, scale).trimmedMean(k), nil
	}
	// Values that are all equal, or that lie further apart or closer together than arithmetic reaches.
	sorted := sortedCopy(xs)
	return Mean(sorted[k : len(sorted)-k]), nil
}

func ends(xs []float64) (low, high float64) {
	low, high = xs[0], xs[0]
	for _, x := range xs {
		if x < low {
			low = x
		} else if x > high {
			high = x
		}
	}
	return low, high
}

// bins is into how many equal ranges values are counted to find where the cuts fall. Only the two ranges that are cut
// through need an order: comparing all values with each other is what a processor mispredicts every second time.
const bins = 64

type histogram struct {
	xs         []float64
	low, scale float64
	count      [bins]int
	sum        [bins]float64
}

func binned(xs []float64, low, scale float64) *histogram {
	h := &histogram{xs: xs, low: low, scale: scale}
	for _, x := range xs {
		b := h.bin(x)
		h.count[b]++
		h.sum[b] += x
	}
	return h
}

func (h *histogram) bin(x float64) int { return int((x-h.low)*h.scale) & (bins - 1) }

// trimmedMean returns the mean without the k smallest and the k largest values.
func (h *histogram) trimmedMean(k int) float64 {
	first, last := 0, bins-1
	cutLow, cutHigh := k, k // what is left to cut once whole bins are gone
	for cutLow >= h.count[first] {
		cutLow -= h.count[first]
		first++
	}
	for cutHigh >= h.count[last] {
		cutHigh -= h.count[last]
		last--
	}
	total := 0.0
	for b := first + 1; b < last; b++ {
		total += h.sum[b]
	}
	if first == last {
		inside := h.sorted(first)
		total += sum(inside[cutLow : len(inside)-cutHigh])
	} else {
		total += sum(h.sorted(first)[cutLow:])
		inside := h.sorted(last)
		total += sum(inside[:len(inside)-cutHigh])
	}
	return total / float64(len(h.xs)-2*k)
}

// sorted returns the values of a bin in ascending order.
func (h *histogram) sorted(bin int) []float64 {
	inside := make([]float64, 0, h.count[bin])
	for _, x := range h.xs {
		if h.bin(x) == bin {
			inside = append(inside, x)
		}
	}
	slices.Sort(inside)
	return inside
}
