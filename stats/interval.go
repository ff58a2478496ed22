package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Interval is a two-sided confidence interval of the given (at least the asked) confidence around an estimate.
type Interval struct{ Estimate, Low, High, Confidence float64 }

// QuantileInterval returns the q-quantile of xs (see Quantile), 0 < q < 1, between two order statistics that cover
// the true quantile with at least the given confidence whatever the distribution: the number of values below it is
// binomial, and each side misses with at most half of 1 - confidence (David and Nagaraja 2003, "Order Statistics",
// section 7.1). Confidence in the result is what the two order statistics really cover. Values must be independent.
//
// Too few values to reach the confidence are an error (ErrTooFew), as are empty input, NaN or infinite values, and a
// q or confidence outside (0, 1). Constant and tied input gives an interval of no width, which is right for it.
func QuantileInterval(xs []float64, q, confidence float64) (Interval, error) {
	if err := checkFinite("quantile interval", xs); err != nil {
		return Interval{}, err
	}
	if err := checkOpen("quantile interval: q", q, 0, 1); err != nil {
		return Interval{}, err
	}
	if err := checkOpen("confidence", confidence, 0, 1); err != nil {
		return Interval{}, err
	}
	n, tail := len(xs), (1-confidence)/2
	// P(x_(l) > quantile) = P(Bin < l), P(x_(u) <= quantile) = P(Bin >= u), order statistics counted from 1.
	l := 0
	for l+1 <= n && 1-binomialAtLeast(l+1, n, q) <= tail {
		l++
	}
	u := n + 1
	for u-1 >= 1 && binomialAtLeast(u-1, n, q) <= tail {
		u--
	}
	if l < 1 || u > n {
		return Interval{}, fmt.Errorf("quantile interval: %d values cannot reach %v %%: %w", n, 100*confidence, ErrTooFew)
	}
	sorted := sortedCopy(xs)
	covered := binomialAtLeast(l, n, q) - binomialAtLeast(u, n, q)
	return Interval{Estimate: sortedQuantile(sorted, q), Low: sorted[l-1], High: sorted[u-1], Confidence: covered}, nil
}

// binomialAtLeast returns P(X >= k) for X binomial with n trials of chance p.
func binomialAtLeast(k, n int, p float64) float64 {
	switch {
	case k <= 0:
		return 1
	case k > n:
		return 0
	}
	return mathext.RegIncBeta(float64(k), float64(n-k+1), p)
}

// logChoose returns ln(n! / (k! (n-k)!)).
func logChoose(n, k int) float64 {
	return logFactorial(n) - logFactorial(k) - logFactorial(n-k)
}

func logFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}
