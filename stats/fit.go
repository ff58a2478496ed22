package stats

import "math"

// Fit is an estimated shift of head against base, in log units, and what its bounds rest on.
type Fit struct {
	Theta   float64 // mean log value of head less that of base
	S       float64 // standard deviation of one process: of the residuals of rounds, or of both unpaired sides pooled
	Scatter float64 // the same as observed, before the floor; of unpaired sides the smaller one
	DF      float64 // degrees of freedom of SE
	SE      float64 // standard error of Theta
	Floored bool    // S is the floor, or has one in it, and not what was observed

	pools    []pool
	normalSD float64 // of an error in Theta that no process shows: that of two sessions
}

// pool is what processes scatter by, about 0: the bootstrap scales it to a standard deviation of sd, and draws from it.
type pool struct {
	residuals []float64
	sd        float64
	draws     []draw // without their pool
}

// TBounds returns Theta -+ t(1-alpha, DF)·SE: one-sided bounds, each wrong with probability alpha if the log values
// scatter normally. An alpha outside (0, 0.5] gives NaN, which no comparison accepts.
func (f Fit) TBounds(alpha float64) (lo, hi float64) {
	if !(alpha > 0 && alpha <= 0.5) {
		return math.NaN(), math.NaN()
	}
	half := upperT(alpha, f.DF) * f.SE
	return f.Theta - half, f.Theta + half
}

// MDE returns an upper limit of the smallest detectable effect of this fit, in log units; see the function of that name. The
// scatter is only estimated, and by what it happens to be in few rounds a stated effect would be missed too often, so its
// upper 90 % limit (χ²) is taken.
func (f Fit) MDE(alpha, power float64) (float64, error) {
	if err := checkDetection(f.SE, alpha, power); err != nil {
		return 0, err
	}
	limit := f.SE * math.Sqrt(f.DF/chiSquareQuantile(1-scatterConfidence, f.DF))
	return detectableSE(limit, f.DF, alpha, power), nil
}

// leastTail is the smallest tail of a bootstrap distribution that is believed: 10 in 10 000 resamples. Further out a
// few pools of four rounds can say nothing.
const leastTail = 1e-3

// Bounds are one-sided bounds of a shift, in log units.
type Bounds struct{ Low, High float64 }

// BootstrapBounds returns, for each alpha, Theta plus the tail quantiles of the shift that chance alone makes. A residual is drawn for every process and
// weighs as much as the process does in Theta: in rounds from the pool of both sides, rescaled to S, of unpaired sides from that side's
// own, rescaled to its believed variance, with a normal error for the two sessions. The distribution is exact, not drawn (see
// resample.go). The tail mass is max(Φ(-t), 0.001), t = t(1-alpha, DF): Student's widening carried over to the percentiles
// (Hesterberg 2015, "What teachers should know about the bootstrap", The American Statistician 69(4)).
//
// It is wider than TBounds where residuals have heavy tails or two modes and rounds are few. Residuals that are all 0
// (S is the floor) give TBounds. An alpha outside (0, 0.5] gives NaN, which no comparison accepts. The
// distribution is computed once for all of them.
func (f Fit) BootstrapBounds(alphas ...float64) []Bounds {
	out, tails := make([]Bounds, len(alphas)), make([]float64, len(alphas))
	for i, alpha := range alphas {
		out[i].Low, out[i].High = f.TBounds(alpha)
		tails[i] = leastTail
		if !math.IsNaN(out[i].Low) {
			tails[i] = tailMass(alpha, f.DF)
		}
	}
	var draws []draw
	for _, p := range f.pools {
		values := rescaled(p.residuals, p.sd)
		if values == nil {
			return out
		}
		for _, d := range p.draws {
			d.pool = values
			draws = append(draws, d)
		}
	}
	for i, b := range resampledShift(draws, f.normalSD, tails) {
		if !math.IsNaN(out[i].Low) {
			out[i] = Bounds{Low: f.Theta + b.Low, High: f.Theta + b.High}
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
