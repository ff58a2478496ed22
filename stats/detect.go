package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// maxRounds is where RoundsNeeded gives up: no run is longer.
const maxRounds = 1_000_000

// MDE returns the smallest detectable effect in log units: the true shift for which the lower bound of a one-sided
// interval at alpha lies above 0 with the wanted power, after rounds of the given size, if one process scatters by
// s (log units). It is (c·t + z·√(1 + t²/(2·DF)))·s/√Weight with t = t(1-alpha, DF), c = 1 - 1/(4·DF) and z
// the normal quantile of the power: the noncentral t by the normal approximation of Johnson and Welch (1940),
// "Applications of the non-central t-distribution", Biometrika 31. The same distance separates a shift from any other
// line, such as the tolerance, that it is to be told from.
//
// A size without degrees of freedom, s that is negative, NaN or infinite, alpha outside (0, 0.5) or power outside [0.5, 1) are
// errors. s = 0 is an error too (ErrConstant): no scatter means that nothing was measured, not that all is visible.
func MDE(s float64, size Size, alpha, power float64) (float64, error) {
	if err := checkDetection(s, alpha, power); err != nil {
		return 0, err
	}
	if !(size.DF >= 1 && size.Weight > 0) {
		return 0, fmt.Errorf("smallest detectable effect: rounds of size %+v: %w", size, ErrTooFew)
	}
	return size.detectable(s, alpha, power), nil
}

// RoundsNeeded returns the fewest rounds after which MDE is at most effect (log units, its sign does not matter). sizeOf is the size of
// so many rounds, from 1; more rounds have to be larger.
//
// An effect of 0, NaN or infinity, one that more than a million rounds would not show, and what MDE rejects are
// errors.
func RoundsNeeded(s, effect, alpha, power float64, sizeOf func(rounds int) Size) (int, error) {
	if err := checkDetection(s, alpha, power); err != nil {
		return 0, err
	}
	effect = math.Abs(effect)
	if !(effect > 0) || math.IsInf(effect, 1) {
		return 0, fmt.Errorf("rounds needed: effect is %v: %w", effect, ErrArgument)
	}
	enough := func(rounds int) bool {
		size := sizeOf(rounds)
		return size.DF >= 1 && size.detectable(s, alpha, power) <= effect
	}
	enoughAtBest := func(rounds int) bool { return sizeOf(rounds).limit().detectable(s, alpha, power) <= effect }
	// Quantiles of Student's t take most of the time, and far out, at many degrees of freedom, the library's fail: few are asked for, next to what the
	// normal distribution says.
	few := fewest(0, maxRounds, enoughAtBest)
	many := few
	for step := 1; few > 0 && enough(few); step *= 2 {
		many, few = few, max(few-step, 0)
	}
	for step := 1; !enough(many); step *= 2 {
		if many == maxRounds {
			return 0, fmt.Errorf("rounds needed: more than %d: %w", maxRounds, ErrArgument)
		}
		few, many = many, min(many+step, maxRounds)
	}
	return fewest(few, many, enough), nil
}

// limit is a size of so many degrees of freedom that its scatter is known.
func (s Size) limit() Size { return Size{Weight: s.Weight, DF: math.Inf(1)} }

// fewest is the smallest number that is enough, of those above few, which is not, up to many, which is taken to be.
func fewest(few, many int, enough func(int) bool) int {
	for many-few > 1 {
		if middle := (few + many) / 2; enough(middle) {
			many = middle
		} else {
			few = middle
		}
	}
	return many
}

func (s Size) detectable(scatter, alpha, power float64) float64 {
	return detectableSE(scatter/math.Sqrt(s.Weight), s.DF, alpha, power)
}

func detectableSE(se, df, alpha, power float64) float64 {
	t := upperT(alpha, df)
	z := upperT(1-power, math.Inf(1))
	return (t*(1-1/(4*df)) + z*math.Sqrt(1+t*t/(2*df))) * se
}

// scatterConfidence is that of the upper limit of the scatter by which a fit states what it could have seen.
const scatterConfidence = 0.9

// chiSquareQuantile is the point below which χ² with df degrees of freedom stays with the given chance.
func chiSquareQuantile(chance, df float64) float64 { return 2 * mathext.GammaIncRegInv(df/2, chance) }

func checkDetection(s, alpha, power float64) error {
	if err := checkVariance("scatter", s); err != nil {
		return err
	}
	if s == 0 {
		return fmt.Errorf("scatter is 0: %w", ErrConstant)
	}
	if err := checkOpen("alpha", alpha, 0, 0.5); err != nil {
		return err
	}
	if !(power >= 0.5 && power < 1) {
		return fmt.Errorf("power is %v, not in [0.5, 1): %w", power, ErrArgument)
	}
	return nil
}
