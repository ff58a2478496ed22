package stats

import "math"

// QuantumVariance returns the variance, in squared log units, that rounding to the timer's grid alone gives a sample:
// (quantumNS / launches / medianNS)² / 12, the variance of a uniform error. quantumNS is the step of the timer,
// launches how many launches one sample spans, medianNS the median time of one launch; all in nanoseconds.
//
// A negative, NaN or infinite quantum, fewer than one launch, or a median that is not positive and finite give NaN,
// which FitRounds refuses.
func QuantumVariance(quantumNS float64, launches int, medianNS float64) float64 {
	bad := !(quantumNS >= 0) || launches < 1 || !(medianNS > 0) || math.IsInf(quantumNS, 1) || math.IsInf(medianNS, 1)
	if bad {
		return math.NaN()
	}
	step := quantumNS / float64(launches) / medianNS
	return step * step / 12
}
