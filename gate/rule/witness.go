package rule

import (
	"math"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// What a clock outside of a process sees beyond what the process says of its launches (result.Process.BeyondNS) is what looking takes, which is the
// same on both sides, and what is hidden. Head is not believed where it surely hides half of what it claims to have won or, where it is not ahead,
// a tenth of what it says.
const (
	hiddenOfGain  = 0.5
	hiddenOfClaim = 0.1
	sureErrors    = 4    // standard errors, by medians: a busy machine disturbs some of the processes
	likelyErrors  = 2    // enough not to call it better
	lookScatter   = 10e3 // ns of a sample: what looking takes is not the same to less than that,
	restScatter   = 0.05 // nor to less than this share of it
)

// Witness is what launches of head took beyond what head says and what is usual, in ns.
type Witness struct {
	NS, Claimed float64
	Sure        bool // head hides something
	Likely      bool // it may: more than half of what it claims to have won is not seen from outside
}

// Witnessed compares what was seen of the processes of both sides. The zero value says that nobody looked, or too seldom.
func Witnessed(processes []result.Process, launches int) (w Witness) {
	claims, beyond := map[result.Side][]float64{}, map[result.Side][]float64{}
	for _, p := range processes {
		if p.BeyondNS != 0 {
			claims[p.Side] = append(claims[p.Side], p.ValueNS)
			beyond[p.Side] = append(beyond[p.Side], p.BeyondNS)
		}
	}
	base, head := beyond[result.SideBase], beyond[result.SideHead]
	if len(base) < 2 || len(head) < 2 {
		return w
	}
	usual := stats.MedianOrNaN(base)
	w.NS, w.Claimed = stats.MedianOrNaN(head)-usual, stats.MedianOrNaN(claims[result.SideHead])
	bound := hiddenOfClaim * w.Claimed
	gain := stats.MedianOrNaN(claims[result.SideBase]) - w.Claimed
	if gain > 0 {
		bound = hiddenOfGain * gain
	}
	scatter := math.Hypot(errorOfMedian(base), errorOfMedian(head))
	w.Likely = gain > 0 && w.NS > max(bound, likelyErrors*scatter)
	bound = max(bound, lookScatter/float64(max(1, launches)), restScatter*usual)
	w.Sure = w.NS-sureErrors*scatter > bound
	return w
}

// errorOfMedian is the standard error of a median, from the median distance to it, which a few wild values do not move.
func errorOfMedian(xs []float64) float64 {
	middle := stats.MedianOrNaN(xs)
	distances := make([]float64, len(xs))
	for i, x := range xs {
		distances[i] = math.Abs(x - middle)
	}
	return 1.4826 * 1.2533 * stats.MedianOrNaN(distances) / math.Sqrt(float64(len(xs)))
}
