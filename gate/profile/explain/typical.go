package explain

import (
	"cmp"
	"math"
	"slices"

	"github.com/org/perfgate/gate/profile"
)

// Typical is one of several launches of a case that were profiled one after the other: that of the median time, with Nsight's rules on it.
// Kernels scatter by some per cent from launch to launch, and a small change would be lost in that. It is false where the launches are not
// told apart: the profile has not the same kernels in each of them.
func Typical(p profile.Profile, launches int) (profile.Profile, bool) {
	if launches <= 1 {
		return p, true
	}
	n := len(p.Kernels) / launches
	if n == 0 || len(p.Kernels) != n*launches {
		return p, false
	}
	each := slices.Collect(slices.Chunk(p.Kernels, n))
	for _, kernels := range each[1:] {
		if !slices.EqualFunc(kernels, each[0], func(a, b profile.Kernel) bool { return a.Name == b.Name && a.Grid == b.Grid && a.Block == b.Block }) {
			return p, false
		}
	}
	slices.SortStableFunc(each, func(a, b []profile.Kernel) int { return cmp.Compare(orLast(secondsOf(a)), orLast(secondsOf(b))) })
	typical := profile.Profile{Kernels: each[(launches-1)/2]}
	for _, r := range p.Rules {
		if slices.ContainsFunc(typical.Kernels, func(k profile.Kernel) bool { return k.ID == r.Kernel }) {
			typical.Rules = append(typical.Rules, r)
		}
	}
	return typical, true
}

// secondsOf is the time of all kernels; NaN where one does not say.
func secondsOf(kernels []profile.Kernel) float64 {
	total := 0.0
	for i := range kernels {
		total += view{&kernels[i]}.seconds()
	}
	return total
}

// orLast puts what has no time behind all others, so that the median is one that has.
func orLast(seconds float64) float64 {
	if math.IsNaN(seconds) {
		return math.Inf(1)
	}
	return seconds
}

// LaunchesToProfile is how many launches of a case a profile needs: one where the change stands out, else as many as take no more than some
// seconds, at most mostLaunches. Measured is ln(head/base), seconds the time of a launch, and kernels how many it has; 0: not known.
func LaunchesToProfile(measured, seconds float64, kernels int) int {
	if math.Abs(measured) > standsOut {
		return 1
	}
	if kernels == 0 {
		kernels = unknownKernels
	}
	n := int(repeatLimit / (passes * (seconds + replay*float64(kernels))))
	n = min(n, mostLaunches)
	return max(1, n-1+n%2) // the median of an odd number is one of them
}

const (
	standsOut      = 0.25 // ln(head/base)
	mostLaunches   = 7
	repeatLimit    = 5.0  // seconds
	passes         = 16   // of the metrics that are asked for, on Hopper
	replay         = 0.02 // seconds to restore memory and start a kernel once more: 10 to 35 ms (docs/measurements/evidence/passes.md)
	unknownKernels = 4
)
