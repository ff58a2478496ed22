package render

import (
	"math"
	"slices"
	"strconv"

	"github.com/org/perfgate/gate/report"
)

// scale maps numbers to pixels. A logarithmic one takes positive numbers only.
type scale struct {
	low, high float64 // numbers at the two ends
	from, to  float64 // pixels there
	log       bool
}

// scaleOf holds places on an axis with a little room at both ends, between two pixels.
func scaleOf(a report.Axis, places []float64, from, to float64) scale {
	s := scale{from: from, to: to, log: a.Log}
	n := float64(len(a.Names))
	if n > 0 && from > to { // names are read from the top
		s.from, s.to = to, from
	}
	if n > 0 {
		s.low, s.high, s.log = -0.5, n-0.5, false
		return s
	}
	least := a.Least
	if s.log {
		least = math.Log(max(least, 1.001))
		places = slices.DeleteFunc(places, func(x float64) bool { return !(x > 0) })
		for i, x := range places {
			places[i] = math.Log(x)
		}
	}
	if len(places) > 0 {
		s.low, s.high = slices.Min(places), slices.Max(places)
	}
	if a.Quantity == "" {
		s.low, s.high = s.low-0.7, max(s.high, s.low+2)+0.7
		return s
	}
	short := max(0, least-(s.high-s.low))
	room := short/2 + 0.06*(s.high-s.low+short)
	s.low, s.high = s.low-room, s.high+room
	if s.log {
		s.low, s.high = math.Exp(s.low), math.Exp(s.high)
	}
	return s
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
