package render

import (
	"math"
	"slices"
	"strconv"
)

// scale maps numbers to pixels. A logarithmic one takes positive numbers only.
type scale struct {
	low, high float64 // numbers at the two ends
	from, to  float64 // pixels there
	log       bool
}

// linearScale is a scale that holds all of xs with a little room at both ends, and is at least so wide as least.
func linearScale(xs []float64, least, from, to float64) scale {
	low, high := reach(xs)
	if short := least - (high - low); short > 0 {
		low, high = low-short/2, high+short/2
	}
	room := 0.06 * (high - low)
	return scale{low: low - room, high: high + room, from: from, to: to}
}

// logScale is such a scale of positive numbers; least is a factor.
func logScale(xs []float64, least, from, to float64) scale {
	logs := make([]float64, len(xs))
	for i, x := range xs {
		logs[i] = math.Log(x)
	}
	s := linearScale(logs, math.Log(least), from, to)
	s.low, s.high, s.log = math.Exp(s.low), math.Exp(s.high), true
	return s
}

func reach(xs []float64) (low, high float64) {
	if len(xs) == 0 {
		return 0, 0
	}
	return slices.Min(xs), slices.Max(xs)
}

// at is the pixel of a number. What lies outside of the scale is at its end.
func (s scale) at(x float64) float64 {
	low, high := s.low, s.high
	if s.log {
		x, low, high = math.Log(x), math.Log(low), math.Log(high)
	}
	if !(high > low) || math.IsNaN(x) {
		return (s.from + s.to) / 2
	}
	share := max(0, min(1, (x-low)/(high-low)))
	return s.from + share*(s.to-s.from)
}

// ticks are about n round numbers within the scale.
func (s scale) ticks(n int) []float64 {
	if s.log && s.low > 0 && s.high/s.low >= 8 {
		return decades(s.low, s.high, n)
	}
	return round(s.low, s.high, n)
}

// round are multiples of 1, 2 or 5 times a power of ten.
func round(low, high float64, n int) []float64 {
	span := high - low
	if !(span > 0) || math.IsInf(span, 0) || n < 1 {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10(span/float64(n))))
	for _, factor := range []float64{2, 2.5, 2} { // 2, 5, 10
		if span/step <= float64(n) {
			break
		}
		step *= factor
	}
	first := math.Ceil(low/step - 1e-9)
	var out []float64
	for k := first; k*step <= high+1e-9*span && len(out) <= 2*n; k++ {
		out = append(out, clean(k*step))
	}
	return out
}

// decades are powers of ten, and where there are few of them their double and their fivefold.
func decades(low, high float64, n int) []float64 {
	first, last := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	factors, every := []float64{1, 2, 5}, 1.0
	if last-first > float64(n)/2 {
		factors = factors[:1]
		every = math.Ceil((last - first) / float64(n))
	}
	var out []float64
	for k := first; k <= last; k += every {
		for _, f := range factors {
			if x := clean(f * math.Pow(10, k)); x >= low && x <= high {
				out = append(out, x)
			}
		}
	}
	return out
}

// clean takes the dust of the last digits off: 0.30000000000000004 is 0.3.
func clean(x float64) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64) // it was written by the line itself
	return y
}
