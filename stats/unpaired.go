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
// side. SE has the session variance in it, and its degrees of freedom are those of Welch and Satterthwaite.
type UnpairedFit struct {
	Fit
	NBase, NHead int
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
	f := UnpairedFit{Fit{Theta: h.mean - b.mean, Scatter: math.Sqrt(min(b.variance, h.variance)), normalSD: math.Sqrt(2 * session.Var)}, len(base), len(head)}
	baseFloored, headFloored := b.floor(floorVar), h.floor(floorVar)
	f.Floored = baseFloored || headFloored
	f.S = math.Sqrt(((b.n-1)*b.variance + (h.n-1)*h.variance) / (b.n + h.n - 2))
	if f.SE, f.DF = welch(b, h, session); f.SE == 0 {
		return UnpairedFit{}, fmt.Errorf("unpaired: %w", ErrConstant)
	}
	f.pools = []pool{h.pool(len(head), 0), b.pool(0, len(base))}
	return f, nil
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

// pool has its processes added to the shift, or taken away.
func (s side) pool(plus, minus int) pool {
	return pool{s.residuals, math.Sqrt(s.variance), []draw{{coefficient: 1 / s.n, plus: plus, minus: minus}}}
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
