package stats

import (
	"fmt"
	"math"
)

// SessionVariance is how much the level of a session (a day, a boot, a temperature) moves beyond what its processes
// scatter: a variance in squared log units with the degrees of freedom of its estimate. The zero value says that
// both sides were taken in one session.
type SessionVariance struct{ Var, DF float64 }

// UnpairedFit is the estimated shift of head against base from two groups of processes that did not run side by
// side. Theta, S and SE are in log units.
type UnpairedFit struct {
	NBase, NHead int
	Theta        float64 // mean log value of head less that of base
	S            float64 // standard deviation of one process, both sides pooled
	Scatter      float64 // the smaller of the two sides' as observed, before the floor
	DF           float64 // degrees of freedom of SE (Welch, Satterthwaite)
	SE           float64 // standard error of Theta, session variance included
	Floored      bool    // a side's variance is the floor, not the observed scatter

	base, head side
	session    SessionVariance
}

// FitUnpaired compares the log values of two groups of processes. Each side has its own scatter and its own session,
// so SE² = s_b²/n_b + s_h²/n_h + 2·session.Var, with the degrees of freedom of Satterthwaite (1946), "An approximate
// distribution of estimates of variance components", Biometrics Bulletin 2(6). No side's variance is believed below
// floorVar (see QuantumVariance).
//
// Fewer than 2 processes a side, NaN or infinite values, a variance that is none, a session variance without degrees
// of freedom, and values that do not vary while floorVar and session are 0 are errors.
func FitUnpaired(base, head []float64, session SessionVariance, floorVar float64) (UnpairedFit, error) {
	if err := checkVariance("unpaired: floor", floorVar); err != nil {
		return UnpairedFit{}, err
	}
	if err := checkVariance("unpaired: session", session.Var); err != nil {
		return UnpairedFit{}, err
	}
	if session.Var > 0 && !(session.DF > 0) {
		return UnpairedFit{}, fmt.Errorf("unpaired: session variance with %v degrees of freedom: %w", session.DF, ErrArgument)
	}
	b, err := newSide("unpaired: base", base)
	if err != nil {
		return UnpairedFit{}, err
	}
	h, err := newSide("unpaired: head", head)
	if err != nil {
		return UnpairedFit{}, err
	}
	scatter := math.Sqrt(min(b.variance, h.variance))
	baseFloored, headFloored := b.floor(floorVar), h.floor(floorVar)
	f := UnpairedFit{
		NBase: len(base), NHead: len(head), Theta: h.mean - b.mean, Scatter: scatter, Floored: baseFloored || headFloored,
		base: b, head: h, session: session,
	}
	f.S = math.Sqrt(((b.n-1)*b.variance + (h.n-1)*h.variance) / (b.n + h.n - 2))
	f.SE, f.DF = welch(b, h, session)
	if f.SE == 0 {
		return UnpairedFit{}, fmt.Errorf("unpaired: %w", ErrConstant)
	}
	return f, nil
}

// TBounds returns Theta -+ t(1-alpha, DF)·SE. An alpha outside (0, 0.5] gives NaN, which no comparison accepts.
func (f UnpairedFit) TBounds(alpha float64) (lo, hi float64) {
	if !(alpha > 0 && alpha <= 0.5) {
		return math.NaN(), math.NaN()
	}
	half := upperT(alpha, f.DF) * f.SE
	return f.Theta - half, f.Theta + half
}

// BootstrapBounds returns percentiles of the shift under resampling: processes of each side from that side's own
// values, rescaled to its believed variance, plus a normal error for the two sessions; tail mass and exactness as in
// RoundFit.BootstrapBounds. Sides without any scatter of their own give TBounds. An alpha outside (0, 0.5] gives NaN,
// which no comparison accepts.
func (f UnpairedFit) BootstrapBounds(alpha float64) (lo, hi float64) {
	return only(f.BootstrapAt(alpha))
}

// BootstrapAt returns the BootstrapBounds of several alphas, for which the distribution is computed once.
func (f UnpairedFit) BootstrapAt(alphas ...float64) []Bounds {
	base := rescaled(f.base.residuals, math.Sqrt(f.base.variance))
	head := rescaled(f.head.residuals, math.Sqrt(f.head.variance))
	return bootstrapAt(f.Theta, f.DF, alphas, base != nil && head != nil, f.TBounds, func(tails []float64) []Bounds {
		draws := []draw{{head, 1 / float64(len(head)), len(head), 0}, {base, 1 / float64(len(base)), 0, len(base)}}
		return resampledShift(draws, math.Sqrt(2*f.session.Var), tails)
	})
}

// MDE returns an upper limit of the smallest detectable effect, in log units; see RoundFit.MDE.
func (f UnpairedFit) MDE(alpha, power float64) (float64, error) {
	return detectableLimit(f.SE, f.DF, alpha, power)
}

// side is one group of processes.
type side struct {
	n, mean, variance float64
	residuals         []float64
}

func newSide(what string, ys []float64) (side, error) {
	if err := checkFinite(what, ys); err != nil {
		return side{}, err
	}
	if len(ys) < 2 {
		return side{}, fmt.Errorf("%s: one process has no scatter: %w", what, ErrTooFew)
	}
	s := side{n: float64(len(ys)), mean: Mean(ys), residuals: centred(ys)}
	s.variance = believable(sumSquares(s.residuals) / (s.n - 1))
	return s, nil
}

// floor raises the variance to the floor and says whether that was needed.
func (s *side) floor(floorVar float64) bool {
	if s.variance >= floorVar {
		return false
	}
	s.variance = floorVar
	return true
}

func welch(b, h side, session SessionVariance) (se, df float64) {
	vb, vh, vs := b.variance/b.n, h.variance/h.n, 2*session.Var
	total := vb + vh + vs
	spread := vb*vb/(b.n-1) + vh*vh/(h.n-1)
	if vs > 0 {
		spread += vs * vs / session.DF
	}
	return math.Sqrt(total), total * total / spread
}

func centred(xs []float64) []float64 {
	level := Mean(xs)
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = x - level
	}
	return out
}
