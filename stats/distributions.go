package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// tQuantile returns the p-quantile of Student's t with df degrees of freedom. Infinite df gives the normal
// distribution.
func tQuantile(p, df float64) float64 {
	if df > 1e9 {
		return distuv.UnitNormal.Quantile(p)
	}
	// The upper tail is computed from the lower one: 1-p keeps no digits of a small p.
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(p)
}

// upperT returns the t that is exceeded with probability alpha.
func upperT(alpha, df float64) float64 { return -tQuantile(alpha, df) }

// normalTail returns the chance that a standard normal variable is below -t.
func normalTail(t float64) float64 { return 0.5 * math.Erfc(t/math.Sqrt2) }
