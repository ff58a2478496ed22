package simulate

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// Rate is how often something happened.
type Rate struct{ Hits, Trials int }

func (r *Rate) add(hit bool) {
	r.Trials++
	if hit {
		r.Hits++
	}
}

// Value returns the rate, NaN without trials.
func (r Rate) Value() float64 { return float64(r.Hits) / float64(r.Trials) }

// Bounds returns the 95 % interval of the true rate (Clopper and Pearson 1934, Biometrika 26).
func (r Rate) Bounds() (low, high float64) {
	k, n := float64(r.Hits), float64(r.Trials)
	low, high = 0, 1
	if r.Hits > 0 {
		low = mathext.InvRegIncBeta(k, n-k+1, 0.025)
	}
	if r.Hits < r.Trials {
		high = mathext.InvRegIncBeta(k+1, n-k, 0.975)
	}
	return low, high
}

// String words the rate in percent.
func (r Rate) String() string {
	if r.Trials == 0 {
		return "-"
	}
	switch v := 100 * r.Value(); {
	case r.Hits == 0:
		return "0"
	case r.Hits == r.Trials:
		return "100"
	case v < 1 || v > 99:
		return fmt.Sprintf("%.2f", v)
	default:
		return fmt.Sprintf("%.1f", v)
	}
}

// upper words the upper end of the interval in percent.
func (r Rate) upper() string {
	_, high := r.Bounds()
	return fmt.Sprintf("%.2f", 100*high)
}

// suitesWith counts suites of size consecutive cases with at least one such case.
func suitesWith[T any](cases []T, size int, is func(T) bool) Rate {
	whole := cases[:len(cases)-len(cases)%size]
	return casesWith(slices.Collect(slices.Chunk(whole, size)), func(suite []T) bool { return slices.ContainsFunc(suite, is) })
}

// casesWith counts cases, runs or searches of which something is true.
func casesWith[T any](all []T, is func(T) bool) Rate {
	var r Rate
	for _, one := range all {
		r.add(is(one))
	}
	return r
}

func meanProcesses(cases []outcome) float64 {
	return meanOf(cases, func(c outcome) int { return c.processes })
}

func meanOf[T any, N int | float64](all []T, of func(T) N) float64 {
	var sum N
	for _, one := range all {
		sum += of(one)
	}
	return float64(sum) / float64(len(all))
}
