package stats

import (
	"math"
	"slices"
)

// leastTail is the smallest tail of a bootstrap distribution that is believed: 10 in 10 000 resamples. Further out a
// few pools of four rounds can say nothing.
const leastTail = 1e-3

// BootstrapBounds returns Theta plus the tail quantiles of the shift that chance alone makes: a residual is drawn for every process from
// the pool of both sides, rescaled to S, and weighs as much as the process does in Theta. The distribution is exact, not drawn (see
// resample.go). The tail mass is max(Φ(-t), 0.001), t = t(1-alpha, DF): Student's widening carried over to the percentiles
// (Hesterberg 2015, "What teachers should know about the bootstrap", The American Statistician 69(4)).
//
// It is wider than TBounds where residuals have heavy tails or two modes and rounds are few. Residuals that are all 0
// (S is the floor) give TBounds. An alpha outside (0, 0.5] gives NaN, which no comparison accepts.
func (f RoundFit) BootstrapBounds(alpha float64) (lo, hi float64) { return only(f.BootstrapAt(alpha)) }

// BootstrapAt returns the BootstrapBounds of several alphas, for which the distribution is computed once.
func (f RoundFit) BootstrapAt(alphas ...float64) []Bounds {
	pool := rescaled(f.residuals, f.S)
	return bootstrapAt(f.Theta, f.DF, alphas, pool != nil, f.TBounds, func(tails []float64) []Bounds {
		draws := slices.Clone(f.shares)
		for i := range draws {
			draws[i].pool = pool
		}
		return resampledShift(draws, 0, tails)
	})
}

// Bounds are one-sided bounds of a shift, in log units.
type Bounds struct{ Low, High float64 }

// only takes the first bounds apart.
func only(all []Bounds) (lo, hi float64) { return all[0].Low, all[0].High }

// bootstrapAt moves the tails of a resampled shift to theta. Without scatter of its own a fit has Student's bounds, and an alpha that is
// no chance of error NaN.
func bootstrapAt(
	theta, df float64, alphas []float64, scatters bool, student func(alpha float64) (lo, hi float64), resample func(tails []float64) []Bounds,
) []Bounds {
	out, tails := make([]Bounds, len(alphas)), make([]float64, len(alphas))
	for i, alpha := range alphas {
		out[i].Low, out[i].High = student(alpha)
		tails[i] = leastTail
		if !math.IsNaN(out[i].Low) {
			tails[i] = tailMass(alpha, df)
		}
	}
	if !scatters {
		return out
	}
	for i, b := range resample(tails) {
		if !math.IsNaN(out[i].Low) {
			out[i] = Bounds{Low: theta + b.Low, High: theta + b.High}
		}
	}
	return out
}

func tailMass(alpha, df float64) float64 {
	return min(0.5, max(normalTail(upperT(alpha, df)), leastTail))
}

// rescaled returns residuals about 0 scaled to a standard deviation of s, or nil if they are all 0 but for rounding.
func rescaled(residuals []float64, s float64) []float64 {
	sd := math.Sqrt(believable(sumSquares(residuals) / float64(len(residuals))))
	if sd == 0 {
		return nil
	}
	pool := make([]float64, len(residuals))
	for i, e := range residuals {
		pool[i] = e * (s / sd)
	}
	return pool
}
