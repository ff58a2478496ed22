package stats

import "math"

// RatioOfMedians returns median(head)/median(base) with the percentile bootstrap interval of that ratio, exact: the
// medians of resamples of the two sides are independent and each has a closed form (see NewMedianBootstrap). Values
// are latencies in any unit, the result is a plain number; above 1 head is slower. Values must be independent.
//
// Empty input, NaN or infinite values, values that are not positive and a confidence outside (0, 1) are errors.
// Constant input gives an interval of no width.
func RatioOfMedians(base, head []float64, confidence float64) (Interval, error) {
	if err := checkOpen("confidence", confidence, 0, 1); err != nil {
		return Interval{}, err
	}
	b, baseMedian, err := positiveMedians("ratio of medians: base", base)
	if err != nil {
		return Interval{}, err
	}
	h, headMedian, err := positiveMedians("ratio of medians: head", head)
	if err != nil {
		return Interval{}, err
	}
	tail := (1 - confidence) / 2
	return Interval{
		Estimate:   headMedian / baseMedian,
		Low:        ratioQuantile(b, h, tail),
		High:       ratioQuantile(b, h, 1-tail),
		Confidence: confidence,
	}, nil
}

func positiveMedians(what string, xs []float64) (MedianBootstrap, float64, error) {
	if err := checkPositive(what, xs); err != nil {
		return MedianBootstrap{}, 0, err
	}
	b, err := NewMedianBootstrap(xs)
	return b, sortedMedian(sortedCopy(xs)), err
}

// ratioQuantile bisects on the logarithm of the ratio until the two ends are neighbours for every practical purpose.
func ratioQuantile(base, head MedianBootstrap, p float64) float64 {
	lo := math.Log(head.values[0]) - math.Log(base.values[len(base.values)-1])
	hi := math.Log(head.values[len(head.values)-1]) - math.Log(base.values[0])
	for range 60 {
		mid := lo + (hi-lo)/2
		if ratioAtMost(base, head, math.Exp(mid)) >= p {
			hi = mid
		} else {
			lo = mid
		}
	}
	return math.Exp(hi)
}

// ratioAtMost returns the chance that head's median is at most r times base's, in one pass over both. The hair's
// breadth keeps a ratio that is reached exactly on the inside in spite of rounding.
func ratioAtMost(base, head MedianBootstrap, r float64) float64 {
	r *= 1 + 1e-14
	sum, before, i := 0.0, 0.0, 0
	for k, b := range base.values {
		chance := base.upTo[k] - before
		before = base.upTo[k]
		for i < len(head.values) && head.values[i] <= r*b {
			i++
		}
		if i > 0 {
			sum += chance * head.upTo[i-1]
		}
	}
	return sum
}
