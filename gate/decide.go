package gate

import "math"

// Decide turns a comparison into a verdict. last says that no further look will come. Undecided asks for one.
//
// With m the tolerance and g the improvement threshold as log shifts, L and U the bounds: regression if L > m;
// improvement if U < -g and head is faster nearly everywhere; faster if U < 0; slower if 0 < L and U < m; same if
// L <= 0 <= U and U < m. A case that may still turn out to be an improvement (L < -g <= U < 0) is looked at again
// until 11 rounds before it settles for faster. Bounds that are NaN decide nothing.
func Decide(c Comparison, p Policy, last bool) Verdict {
	m, g := p.toleranceLog(), p.improvementLog()
	open := Undecided
	if last {
		open = Inconclusive
	}
	switch {
	case math.IsNaN(c.Low) || math.IsNaN(c.High):
		return open
	case c.Low > m:
		return Regression
	case c.High < -g && c.Delta <= -largeEffect:
		return Improvement
	case c.Low < -g && c.High >= -g && c.High < 0 && c.Rounds < improvementRounds && !last:
		return Undecided
	case c.High < 0:
		return Faster
	case c.Low > 0 && c.High < m:
		return Slower
	case c.Low <= 0 && c.High < m:
		return Same
	}
	return open
}
