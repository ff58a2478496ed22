package rule

import (
	"encoding/json"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// A summary of processes that no machine had can be saved all the same.
func TestSummaryOfAnythingIsSaved(t *testing.T) {
	const least = 1e-300
	for name, p := range map[string]result.Process{
		"no time":   {},
		"no median": {ValueNS: 1},
		"tiny":      {ValueNS: least, Quantiles: result.Quantiles{P50: least}, ComputeFlops: 1, ComputeNS: 1, MemoryBytes: 1, MemoryNS: 1},
		"huge roof": {ValueNS: 1, Quantiles: result.Quantiles{P50: 1}, ComputeFlops: 1e300, ComputeNS: 1, MemoryBytes: 1e300, MemoryNS: 1},
		"huge rate": {ValueNS: 1, Quantiles: result.Quantiles{P50: 1}, ComputeFlops: 1e300, ComputeNS: least, MemoryBytes: 1, MemoryNS: 1},
	} {
		if _, err := json.Marshal(Summarize([]result.Process{p, p}, 1e308, 1e308, false)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
