package gate

import (
	"math"

	"github.com/org/perfgate/gate/result"
)

// Decide turns a comparison into a verdict. last says that no further look will come. Undecided asks for one.
//
// With m the tolerance and g the improvement threshold as log shifts, L and U the bounds: regression if L > m;
// improvement if U < -g and head is faster nearly everywhere; faster if U < 0; slower if 0 < L and U < m; same if
// L <= 0 <= U and U < m. A case that may still turn out to be an improvement (L < -g <= U < 0) is looked at again
// until 11 rounds before it settles for faster. Bounds that are NaN decide nothing.
func Decide(c result.Comparison, p result.Policy, last bool) result.Verdict {
	m, g := toleranceLog(p), improvementLog(p)
	open := result.Undecided
	if last {
		open = result.Inconclusive
	}
	switch {
	case math.IsNaN(c.Low) || math.IsNaN(c.High):
		return open
	case c.Low > m:
		return result.Regression
	case c.High < -g && c.Delta <= -largeEffect:
		return result.Improvement
	case c.Low < -g && c.High >= -g && c.High < 0 && c.Rounds < improvementRounds && !last:
		return result.Undecided
	case c.High < 0:
		return result.Faster
	case c.Low > 0 && c.High < m:
		return result.Slower
	case c.Low <= 0 && c.High < m:
		return result.Same
	}
	return open
}
