package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Interval is a two-sided confidence interval of the given (at least the asked) confidence around an estimate.
type Interval struct{ Estimate, Low, High, Confidence float64 }

// BinomialAtLeast returns P(X >= k) for X binomial with n trials of chance p.
func BinomialAtLeast(k, n int, p float64) float64 {
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
