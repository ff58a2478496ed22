package rule

import (
	"math"

	"github.com/org/perfgate/gate/result"
)

// Decide turns a comparison into a verdict. last says that no further look will come. Undecided asks for one.
//
// With m the tolerance and g the improvement threshold as log shifts, L and U the bounds, and P the upper bound for a pass
// (PassHigh): regression if L > m; improvement if U < -g and head is faster nearly everywhere; faster if U < 0; slower if
// 0 < L and P < m; same if L <= 0 <= U and P < m. A case that may still turn out to be an improvement (L < -g <= U < 0) is
// looked at again for some rounds before it settles for faster, and so is one with processes far outside of all others before
// it passes: until head has 24 and 32 processes. Bounds that are NaN decide nothing.
//
// Elapsed time can turn each of these to a regression (its L > m). It keeps a case undecided whose elapsed time is significantly longer and by its estimate over
// the tolerance, and one in which head waits longer than base by more than the tolerance, until its U excludes that.
func Decide(c result.Comparison, p result.Policy, last bool) result.Verdict {
	verdict := byBounds(c, p)
	switch {
	case elapsedOver(c, p):
		verdict = result.Regression
	case verdict != result.Regression && (elapsedOpen(c, p) || waitsUnproven(c, p)):
		verdict = result.Undecided
	}
	if verdict == result.Undecided && last {
		return result.Inconclusive
	}
	if !last && verdict != result.Regression && wait(c, p) {
		return result.Undecided
	}
	return verdict
}

// byBounds is what the bounds say, Undecided where they say nothing.
func byBounds(c result.Comparison, p result.Policy) result.Verdict {
	m, g, pass := toleranceLog(p), improvementLog(p), c.PassHigh
	if pass == 0 {
		pass = c.High // saved before there was a bound for passing
	}
	switch {
	case math.IsNaN(c.Low) || math.IsNaN(c.High) || math.IsNaN(pass):
		return result.Undecided
	case c.Low > m:
		return result.Regression
	case c.High < -g && c.Delta <= -largeEffect:
		return result.Improvement
	case c.High < 0:
		return result.Faster
	case c.Low > 0 && pass < m:
		return result.Slower
	case c.Low <= 0 && pass < m:
		return result.Same
	}
	return result.Undecided
}

const (
	improvementRounds = 10 // how long a case that may be an improvement waits before it settles for faster
	suspectRounds     = 14 // how long a case with a process far outside of all others waits before it passes
)

// wait says whether more rounds may make another verdict of it: of a gain that may be an improvement, and of a case that looks slow only
// sometimes.
func wait(c result.Comparison, p result.Policy) bool {
	g := improvementLog(p)
	mayImprove := c.Low < -g && c.High >= -g && c.High < 0 && c.Rounds < improvementRounds
	return mayImprove || c.Suspect != nil && c.Rounds < suspectRounds
}
