package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// maxRounds is where RoundsNeeded gives up: no run is longer.
const maxRounds = 1_000_000

// MDE returns the smallest detectable effect in log units: the true shift for which the lower bound of a one-sided
// interval at alpha lies above 0 with the wanted power, after the given number of rounds, if one process scatters by
// s (log units). It is (c·t + z·√(1 + t²/(2·df)))·s/√R with t = t(1-alpha, df), df = 3R - 1, c = 1 - 1/(4·df) and z
// the normal quantile of the power: the noncentral t by the normal approximation of Johnson and Welch (1940),
// "Applications of the non-central t-distribution", Biometrika 31. The same distance separates a shift from any other
// line, such as the tolerance, that it is to be told from.
//
// rounds below 1, s that is negative, NaN or infinite, alpha outside (0, 0.5) or power outside [0.5, 1) are errors.
// s = 0 is an error too (ErrConstant): no scatter means that nothing was measured, not that all is visible.
func MDE(s float64, rounds int, alpha, power float64) (float64, error) {
	if err := checkDetection(s, alpha, power); err != nil {
		return 0, err
	}
	if rounds < 1 {
		return 0, fmt.Errorf("smallest detectable effect: %d rounds: %w", rounds, ErrTooFew)
	}
	return detectable(s, rounds, alpha, power), nil
}

// RoundsNeeded returns the fewest rounds after which MDE is at most effect (log units, its sign does not matter).
//
// An effect of 0, NaN or infinity, one that more than a million rounds would not show, and what MDE rejects are
// errors.
func RoundsNeeded(s, effect, alpha, power float64) (int, error) {
	if err := checkDetection(s, alpha, power); err != nil {
		return 0, err
	}
	effect = math.Abs(effect)
	if !(effect > 0) || math.IsInf(effect, 1) {
		return 0, fmt.Errorf("rounds needed: effect is %v: %w", effect, ErrArgument)
	}
	// Student's quantiles exceed the normal ones, so the normal answer is a lower bound, and soon a close one.
	normal := (upperT(alpha, math.Inf(1)) + upperT(1-power, math.Inf(1))) * s / effect
	for rounds := max(1, math.Ceil(normal*normal)); rounds <= maxRounds; rounds++ {
		if detectable(s, int(rounds), alpha, power) <= effect {
			return int(rounds), nil
		}
	}
	return 0, fmt.Errorf("rounds needed: more than %d: %w", maxRounds, ErrArgument)
}

func detectable(s float64, rounds int, alpha, power float64) float64 {
	df := float64(3*rounds - 1)
	return detectableSE(s/math.Sqrt(float64(rounds)), df, alpha, power)
}

func detectableSE(se, df, alpha, power float64) float64 {
	t := upperT(alpha, df)
	z := upperT(1-power, math.Inf(1))
	return (t*(1-1/(4*df)) + z*math.Sqrt(1+t*t/(2*df))) * se
}

// scatterConfidence is that of the upper limit of the scatter by which a fit states what it could have seen.
const scatterConfidence = 0.9

// MDE returns an upper limit of the smallest detectable effect of this fit, in log units; see the function of that name. The
// scatter is only estimated, and by what it happens to be in few rounds a stated effect would be missed too often, so its
// upper 90 % limit (χ²) is taken.
func (f RoundFit) MDE(alpha, power float64) (float64, error) {
	return detectableLimit(f.SE, f.DF, alpha, power)
}

func detectableLimit(se, df, alpha, power float64) (float64, error) {
	if err := checkDetection(se, alpha, power); err != nil {
		return 0, err
	}
	limit := se * math.Sqrt(df/chiSquareQuantile(1-scatterConfidence, df))
	return detectableSE(limit, df, alpha, power), nil
}

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
