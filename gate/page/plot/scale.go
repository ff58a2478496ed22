// Package plot draws figures as SVG: axes, points, intervals, steps. A figure holds numbers, class names of ours and escaped words, so
// it can stand in a page as it is. Colours are the page's: everything has a class, nothing a style.
//
// gonum.org/v1/plot draws more kinds of plots, and brings fonts, rasterisers and colours of its own, which a page with a dark side has
// no use for.
package plot

import (
	"math"
	"slices"
	"strconv"
)

// Scale maps numbers to pixels. A logarithmic one takes positive numbers only.
type Scale struct {
	Low, High float64 // numbers at the two ends
	From, To  float64 // pixels there
	Log       bool
}

// Linear is a scale that holds all of xs with a little room at both ends, and is at least so wide as least.
func Linear(xs []float64, least, from, to float64) Scale {
	low, high := reach(xs)
	if short := least - (high - low); short > 0 {
		low, high = low-short/2, high+short/2
	}
	room := 0.06 * (high - low)
	return Scale{Low: low - room, High: high + room, From: from, To: to}
}

// Logarithmic is such a scale of positive numbers; least is a factor.
func Logarithmic(xs []float64, least, from, to float64) Scale {
	logs := make([]float64, len(xs))
	for i, x := range xs {
		logs[i] = math.Log(x)
	}
	s := Linear(logs, math.Log(least), from, to)
	s.Low, s.High, s.Log = math.Exp(s.Low), math.Exp(s.High), true
	return s
}

func reach(xs []float64) (low, high float64) {
	if len(xs) == 0 {
		return 0, 0
	}
	return slices.Min(xs), slices.Max(xs)
}

// At is the pixel of a number. What lies outside of the scale is at its end.
func (s Scale) At(x float64) float64 {
	low, high := s.Low, s.High
	if s.Log {
		x, low, high = math.Log(x), math.Log(low), math.Log(high)
	}
	if !(high > low) || math.IsNaN(x) {
		return (s.From + s.To) / 2
	}
	share := max(0, min(1, (x-low)/(high-low)))
	return s.From + share*(s.To-s.From)
}

// Ticks are about n round numbers within the scale.
func (s Scale) Ticks(n int) []float64 {
	if s.Log && s.Low > 0 && s.High/s.Low >= 8 {
		return decades(s.Low, s.High, n)
	}
	return round(s.Low, s.High, n)
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
