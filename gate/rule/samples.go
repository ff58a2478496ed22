package rule

import (
	"math"

	"github.com/org/perfgate/stats"
)

// SamplingShare is how much of the tolerance, as log shift, the standard error of a process's value within the process may be. Values are
// compared from process to process, and what a process's own samples leave open is then small beside both what is to be told apart and what
// matters of the scatter between processes. docs/measurements/rule measures what that costs.
const SamplingShare = 1.0 / 10

// The fewest samples that a value is made of: where neighbours look alike, what comes later may not.
const (
	leastSamples = 10
	leastOfAll   = 1.0 / 6
)

// EnoughSamples is how many samples of a process are enough, from one process that took many: so many that their standard error, and what
// they differ from all of them by, is at most SamplingShare of the tolerance. At most all.
func EnoughSamples(pilot []float64, tolerance float64) int {
	all, err := stats.LogProcess(pilot)
	if err != nil {
		return len(pilot)
	}
	variance, err := stats.SamplingVariance(pilot)
	if err != nil {
		return len(pilot)
	}
	allowed := SamplingShare * math.Log1p(tolerance)
	least := max(leastSamples, int(math.Ceil(leastOfAll*float64(len(pilot)))))
	enough := max(least, int(math.Ceil(min(variance/(allowed*allowed), float64(len(pilot))))))
	for ; enough < len(pilot); enough += max(1, enough/4) {
		if y, err := stats.LogProcess(pilot[:enough]); err == nil && math.Abs(y-all) <= allowed {
			return enough
		}
	}
	return len(pilot)
}
