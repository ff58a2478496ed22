package stats

import (
	"math"
	"sync/atomic"

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

// upperT returns the t that is exceeded with probability alpha. A comparison asks for the same few quantiles again and
// again, and they are what most of its time would go into.
func upperT(alpha, df float64) float64 {
	slot := &recentT[(math.Float64bits(alpha)*0x9e3779b97f4a7c15^math.Float64bits(df)*0xbf58476d1ce4e5b9)>>56]
	if known := slot.Load(); known != nil && known.alpha == alpha && known.df == df {
		return known.t
	}
	t := -tQuantile(alpha, df)
	slot.Store(&knownT{alpha, df, t})
	return t
}

// knownT is a quantile that was computed.
type knownT struct{ alpha, df, t float64 }

// recentT remembers quantiles, a few hundred at most; a newer one takes the place of an older.
var recentT [256]atomic.Pointer[knownT]

// normalTail returns the chance that a standard normal variable is below -t.
func normalTail(t float64) float64 { return 0.5 * math.Erfc(t/math.Sqrt2) }
