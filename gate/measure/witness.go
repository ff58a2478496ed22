package measure

import (
	"fmt"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// In a search the code under test is hostile, and may bend the clock of its process where it counts and nowhere else. So there all samples
// that count have a witness (kernels.TimeCommand): a clock outside of the process is read right before and right after the launches of each, or
// with the caches of a CPU warm around all of them. rule.Witnessed compares what it saw.

// witnesses says whether the samples of a case have a witness.
func (s *session) witnesses(c *Case, side result.Side) bool {
	return s.opt.Search && !s.opt.NoAudit && !side.IsCompetitor() && !c.Method.IsOfHost()
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
