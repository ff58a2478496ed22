package stats

import "math"

// leastTail is the smallest tail of a bootstrap distribution that is believed: 10 in 10 000 resamples. Further out a
// few pools of four rounds can say nothing.
const leastTail = 1e-3

// BootstrapBounds returns Theta plus the tail quantiles of the shift that chance alone makes: as many residuals as a
// side has processes are drawn for each side from the pool of both, rescaled to S. The distribution is exact, not
// drawn (see resample.go). The tail mass is max(Φ(-t), 0.001), t = t(1-alpha, DF): Student's widening carried over to
// the percentiles (Hesterberg 2015, "What teachers should know about the bootstrap", The American Statistician 69(4)).
//
// It is wider than TBounds where residuals have heavy tails or two modes and rounds are few. Residuals that are all 0
// (S is the floor) give TBounds. An alpha outside (0, 0.5] gives NaN, which no comparison accepts.
func (f RoundFit) BootstrapBounds(alpha float64) (lo, hi float64) {
	if !(alpha > 0 && alpha <= 0.5) {
		return math.NaN(), math.NaN()
	}
	pool := rescaled(f.residuals, f.S)
	if pool == nil {
		return f.TBounds(alpha)
	}
	low, high := pooledShift(resampling{pool, f.perSide}, tailMass(alpha, f.DF))
	return f.Theta + low, f.Theta + high
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
