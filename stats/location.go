package stats

import (
	"fmt"
	"math"
	"slices"
)

// Median returns the middle value of xs, or the mean of the two middle values, in the unit of xs.
//
// Constant and tied input is fine. Empty input and NaN or infinite values are errors.
func Median(xs []float64) (float64, error) {
	if err := checkFinite("median", xs); err != nil {
		return 0, err
	}
	return sortedMedian(sortedCopy(xs)), nil
}

// MedianOrNaN is Median, and NaN where that is an error.
func MedianOrNaN(xs []float64) float64 {
	m, err := Median(xs)
	if err != nil {
		return math.NaN()
	}
	return m
}

// normalMAD is the standard deviation of a normal distribution over its median absolute deviation.
const normalMAD = 1.4826

// MedianAndSpread are the median of xs and the standard deviation of a normal distribution that has their median absolute deviation, so that a few
// outliers count for little. Both are NaN where Median is an error.
func MedianAndSpread(xs []float64) (median, sd float64) {
	median = MedianOrNaN(xs)
	deviations := make([]float64, len(xs))
	for i, x := range xs {
		deviations[i] = math.Abs(x - median)
	}
	return median, normalMAD * MedianOrNaN(deviations)
}

// Variation is the coefficient of variation: standard deviation over mean, 0 for fewer than two values.
func Variation(xs []float64) float64 {
	if len(xs) < 2 {
		return 0
	}
	m, squares, rest := Mean(xs), 0.0, 0.0
	for _, x := range xs {
		squares, rest = squares+(x-m)*(x-m), rest+x-m // rest is what rounding left
	}
	n := float64(len(xs))
	return math.Sqrt((squares-rest*rest/n)/(n-1)) / m
}

// Quantile returns the q-quantile of xs, 0 <= q <= 1, in the unit of xs, by linear interpolation between order
// statistics: definition 7 of Hyndman and Fan (1996), "Sample quantiles in statistical packages", The American
// Statistician 50(4), which is also numpy's default. Quantile(xs, 0.5) equals Median(xs).
//
// Constant and tied input is fine. Empty input, NaN or infinite values and a q outside [0, 1] are errors.
func Quantile(xs []float64, q float64) (float64, error) {
	if err := checkFinite("quantile", xs); err != nil {
		return 0, err
	}
	if !(q >= 0 && q <= 1) {
		return 0, fmt.Errorf("quantile: q is %v, not between 0 and 1: %w", q, ErrArgument)
	}
	return sortedQuantile(sortedCopy(xs), q), nil
}

// LogProcess returns the log value of one process: ln of the 20 % trimmed mean of its samples (nanoseconds).
//
// Empty input, NaN or infinite values, and values that are not positive are errors.
func LogProcess(samples []float64) (float64, error) {
	if err := checkPositive("process", samples); err != nil {
		return 0, err
	}
	t, err := TrimmedMean(samples, 0.2)
	if err != nil {
		return 0, err
	}
	return math.Log(t), nil
}

func sortedCopy(xs []float64) []float64 {
	sorted := slices.Clone(xs)
	slices.Sort(sorted)
	return sorted
}

func sortedMedian(sorted []float64) float64 {
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return midpoint(sorted[n/2-1], sorted[n/2])
}

func sortedQuantile(sorted []float64, q float64) float64 {
	h := q * float64(len(sorted)-1)
	i := int(h)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	frac := h - float64(i)
	if frac == 0.5 {
		return midpoint(sorted[i], sorted[i+1])
	}
	return sorted[i]*(1-frac) + sorted[i+1]*frac
}

// midpoint halves before it adds, so that two huge values do not overflow.
func midpoint(a, b float64) float64 { return a/2 + b/2 }

// Mean is the plain mean, NaN of none.
func Mean(xs []float64) float64 { return sum(xs) / float64(len(xs)) }

func sum(xs []float64) float64 {
	total := 0.0
	for _, x := range xs {
		total += x
	}
	return total
}
