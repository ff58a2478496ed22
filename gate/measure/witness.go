package measure

import (
	"fmt"
	"math"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// In a search the code under test is hostile, and may bend the clock of its process where it counts and nowhere else. So there all samples
// that count have a witness (kernels.TimeCommand): a clock outside of the process is read right before and right after the launches of each.
// What it sees beyond what the process says is what looking takes, with caches warm the making of inputs as well, which is the same on both sides,
// and what is hidden. Head is not believed
// where it surely hides half of what it claims to have won, or where it is not ahead, a tenth of what it says.
const (
	hiddenOfGain  = 0.5
	hiddenOfClaim = 0.1
	sureErrors    = 4    // standard errors, by medians: a busy machine disturbs some of the processes
	lookScatter   = 10e3 // ns of a sample: what looking takes is not the same to less than that,
	restScatter   = 0.05 // nor to less than this share of it
)

// witnesses says whether the samples of a case have a witness.
func (s *session) witnesses(c *Case, side result.Side) bool {
	return s.opt.Course != nil && !s.opt.NoAudit && !side.IsRival() && !c.Method.IsOfHost()
}

// beyondClaims is by how much the launches of a process took longer than it says, in ns per launch. Each of the two is made of its samples as value,
// which is what the process says, was: a clock that is bent in some of them changes no median, and that.
func beyondClaims(reply kernels.TimeReply, m kernels.Method, value float64) (float64, error) {
	launches := float64(m.Launches)
	if m.MarksSeries() {
		seen, claimed := 0.0, 0.0
		for _, ns := range reply.Seen {
			seen += ns / launches
		}
		for _, ns := range reply.Samples {
			claimed += ns
		}
		return (seen - claimed) / float64(max(1, len(reply.Samples))), nil
	}
	if len(reply.Seen) != len(reply.Samples) {
		return 0, fmt.Errorf("%d samples were seen from outside, and %d told of", len(reply.Seen), len(reply.Samples))
	}
	seen, err := valueOf(reply.Seen)
	return seen/launches - value, err
}

// witnessed is what a launch of head surely took beyond what head says, in ns, with what it says; 0 where nothing speaks against it.
func witnessed(processes []result.Process, launches int) (ns, claimed float64) {
	claims, beyond := map[result.Side][]float64{}, map[result.Side][]float64{}
	for _, p := range processes {
		if p.BeyondNS != 0 {
			claims[p.Side] = append(claims[p.Side], p.ValueNS)
			beyond[p.Side] = append(beyond[p.Side], p.BeyondNS)
		}
	}
	base, head := beyond[result.SideBase], beyond[result.SideHead]
	if len(base) < 2 || len(head) < 2 {
		return 0, 0
	}
	claimed = median(claims[result.SideHead])
	bound := hiddenOfClaim * claimed
	if gain := median(claims[result.SideBase]) - claimed; gain > 0 {
		bound = hiddenOfGain * gain
	}
	bound = max(bound, lookScatter/float64(max(1, launches)), restScatter*median(base))
	ns = median(head) - median(base)
	if ns-sureErrors*math.Hypot(errorOfMedian(base), errorOfMedian(head)) > bound {
		return ns, claimed
	}
	return 0, claimed
}

// errorOfMedian is the standard error of a median, from the median distance to it, which a few wild values do not move.
func errorOfMedian(xs []float64) float64 {
	middle := median(xs)
	distances := make([]float64, len(xs))
	for i, x := range xs {
		distances[i] = math.Abs(x - middle)
	}
	return 1.4826 * 1.2533 * median(distances) / math.Sqrt(float64(len(xs)))
}
