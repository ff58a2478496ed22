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

// QuantumBias returns how far, in log units, rounding to the timer's grid can move the difference of two means for
// good. Processes that scatter by more than half a step are rounded up as often as down and the error averages out;
// processes that scatter less are all rounded the same way, and no number of rounds helps. The rounding error of a
// normal variable with standard deviation s has the amplitude (q/π)·exp(-2π²s²/q²) and a few harmonics (Widrow and
// Kollár 2008, "Quantization Noise", chapter 4); with q/2 for no scatter at all, and two sides, this is
// q·exp(-2π²s²/q²). scatter is the observed standard deviation of processes in log units, the rest as for
// QuantumVariance, with whose bad inputs, and a scatter that is negative or NaN, the result is NaN.
func QuantumBias(quantumNS float64, launches int, medianNS, scatter float64) float64 {
	step := math.Sqrt(12 * QuantumVariance(quantumNS, launches, medianNS))
	if math.IsNaN(step) || !(scatter >= 0) {
		return math.NaN()
	}
	if step == 0 {
		return 0
	}
	waves := math.Pi * scatter / step
	return step * math.Exp(-2*waves*waves)
}
