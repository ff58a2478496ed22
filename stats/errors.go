package stats

import (
	"errors"
	"fmt"
	"math"
)

// What can be wrong with an input. Errors of this package wrap exactly one of these.
var (
	ErrEmpty       = errors.New("no values")
	ErrNotFinite   = errors.New("a value is NaN or infinite")
	ErrNotPositive = errors.New("a value is not positive")
	ErrConstant    = errors.New("the values do not vary")
	ErrTooFew      = errors.New("too few values")
	ErrArgument    = errors.New("argument out of range")
)

// checkFinite returns an error unless xs holds at least one value and only finite ones.
func checkFinite(what string, xs []float64) error {
	if len(xs) == 0 {
		return fmt.Errorf("%s: %w", what, ErrEmpty)
	}
	for i, x := range xs {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%s: value %d is %v: %w", what, i+1, x, ErrNotFinite)
		}
	}
	return nil
}

// checkPositive is checkFinite for values of which a ratio or a logarithm is taken.
func checkPositive(what string, xs []float64) error {
	if err := checkFinite(what, xs); err != nil {
		return err
	}
	for i, x := range xs {
		if x <= 0 {
			return fmt.Errorf("%s: value %d is %v: %w", what, i+1, x, ErrNotPositive)
		}
	}
	return nil
}

// checkOpen returns an error unless lo < x < hi.
func checkOpen(what string, x, lo, hi float64) error {
	if !(x > lo && x < hi) {
		return fmt.Errorf("%s is %v, not between %v and %v: %w", what, x, lo, hi, ErrArgument)
	}
	return nil
}

// checkVariance returns an error unless v is a finite number of at least 0.
func checkVariance(what string, v float64) error {
	if !(v >= 0) || math.IsInf(v, 1) {
		return fmt.Errorf("%s is %v, not a variance: %w", what, v, ErrArgument)
	}
	return nil
}
