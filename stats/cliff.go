package stats

import (
	"fmt"
	"math"
)

// CliffDelta is Cliff's delta of two samples with its confidence interval: P(head > base) - P(head < base), from -1
// (every value of head below every one of base) to 1.
type CliffDelta struct{ Delta, Low, High float64 }

// CliffsDelta compares head with base, in O(n log n): it counts by merging sorted samples and never forms the pairs.
// Values need only an order; the unit does not matter. The interval has the given confidence, two-sided, from the
// unbiased variance of Cliff (1993), "Dominance statistics", Psychological Bulletin 114(3), and the asymmetric form
// of Feng and Cliff (2004), "Monte Carlo evaluation of ordinal d with improved confidence interval", JMASM 3(2).
// Samples that do not overlap have no variance to estimate; there the bound is Wilson's for no failure among the
// values of the smaller sample.
//
// Ties are counted as such. Fewer than two values a side, NaN or infinite values, values that are all equal
// (ErrConstant) and a confidence outside (0, 1) are errors.
func CliffsDelta(base, head []float64, confidence float64) (CliffDelta, error) {
	if err := checkFinite("delta: base", base); err != nil {
		return CliffDelta{}, err
	}
	if err := checkFinite("delta: head", head); err != nil {
		return CliffDelta{}, err
	}
	if err := checkOpen("confidence", confidence, 0, 1); err != nil {
		return CliffDelta{}, err
	}
	if min(len(base), len(head)) < 2 {
		return CliffDelta{}, fmt.Errorf("delta: %d and %d values: %w", len(base), len(head), ErrTooFew)
	}
	b, h := sortedCopy(base), sortedCopy(head)
	if b[0] == h[0] && b[0] == b[len(b)-1] && h[0] == h[len(h)-1] {
		return CliffDelta{}, fmt.Errorf("delta: %w", ErrConstant)
	}
	z := upperT((1-confidence)/2, math.Inf(1))
	return dominate(b, h).interval(z), nil
}

// dominance holds the sums over all pairs (i of head, j of base) of d = sign(head_i - base_j), from which delta and
// its variance follow.
type dominance struct {
	n, m       float64 // values of head and of base
	sum        float64 // Σ d
	headSquare float64 // Σ over i of (Σ over j of d)²
	baseSquare float64 // Σ over j of (Σ over i of d)²
	untied     float64 // Σ d²
}

func dominate(base, head []float64) dominance {
	d := dominance{n: float64(len(head)), m: float64(len(base))}
	eachRow(head, base, func(row, ties float64) {
		d.sum += row
		d.headSquare += row * row
		d.untied += d.m - ties
	})
	eachRow(base, head, func(row, _ float64) { d.baseSquare += row * row })
	return d
}

// eachRow calls visit for every value of xs with the number of ys below it less that above it, and the number of ys
// equal to it. Both are sorted.
func eachRow(xs, ys []float64, visit func(row, ties float64)) {
	below, upTo := 0, 0
	for _, x := range xs {
		for below < len(ys) && ys[below] < x {
			below++
		}
		for upTo < len(ys) && ys[upTo] <= x {
			upTo++
		}
		visit(float64(below-(len(ys)-upTo)), float64(upTo-below))
	}
}

func (d dominance) interval(z float64) CliffDelta {
	pairs := d.n * d.m
	delta := d.sum / pairs
	if math.Abs(d.sum) == pairs {
		n := min(d.n, d.m)
		inner := (n - z*z) / (n + z*z)
		if delta > 0 {
			return CliffDelta{Delta: 1, Low: inner, High: 1}
		}
		return CliffDelta{Delta: -1, Low: -1, High: -inner}
	}
	variance := d.variance(delta)
	zv := z * z * variance
	free := 1 - delta*delta
	half := z * math.Sqrt(variance*(free*free+zv))
	centre := delta * free
	return CliffDelta{
		Delta: delta,
		Low:   max(-1, (centre-half)/(free+zv)),
		High:  min(1, (centre+half)/(free+zv)),
	}
}

// variance is Cliff's unbiased estimate, which can come out negative; it is kept at its least possible value.
func (d dominance) variance(delta float64) float64 {
	pairs := d.n * d.m
	rows := d.headSquare - pairs*d.m*delta*delta    // m²·Σ(d_i - delta)²
	columns := d.baseSquare - pairs*d.n*delta*delta // n²·Σ(d_j - delta)²
	cells := d.untied - pairs*delta*delta
	unbiased := (rows + columns - cells) / (pairs * (d.n - 1) * (d.m - 1))
	return max(unbiased, (1-delta*delta)/(pairs-1))
}
