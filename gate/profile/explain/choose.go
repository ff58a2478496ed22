package explain

import (
	"cmp"
	"math"
	"slices"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/result"
)

// Choose returns the indices of the cases to profile, worst first: sure regressions before sure improvements, the larger
// ones first. With the policy always, every case is worth it, however little it changed; those that were not compared come
// last.
func Choose(cases []result.Case, policy string, s config.ProfileSettings) []int {
	var out []int
	for i, c := range cases {
		if policy == result.ProfileAlways || policy != result.ProfileNever && c.Compared() != nil && isWorthALook(c, s) {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(weight(cases[b]), weight(cases[a])) })
	return out[:min(len(out), s.Cases)]
}

func isWorthALook(c result.Case, s config.ProfileSettings) bool {
	theta := c.Compared().Theta
	switch c.Verdict {
	case result.Regression, result.Slower:
		return theta >= math.Log1p(s.Regression)
	case result.Faster, result.Improvement:
		return theta <= -math.Log1p(s.Improvement)
	}
	return false
}

// weight orders cases: what became slower outweighs everything that did not.
func weight(c result.Case) float64 {
	if c.Compared() == nil {
		return -1
	}
	theta := c.Compared().Theta
	if (c.Verdict == result.Regression || c.Verdict == result.Slower) && theta > 0 {
		return 1e6 + theta
	}
	return math.Abs(theta)
}
