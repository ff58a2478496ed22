package history

import (
	"math"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// Steady is where a further session stands among the points of the case: its median in ns with the canary's share taken out, as theirs
// is. ok is false where the session has no processes, lacks that canary, or measured other work than the last point.
func (c Case) Steady(session baseline.Case) (ns float64, ok bool) {
	last := c.Points[len(c.Points)-1]
	shift, has := baseline.NewSession(session).Canary(c.steady)
	if !has || !sameWork(last.of, &session) {
		return 0, false
	}
	median, err := stats.Median(session.ValuesNS)
	return median / math.Exp(shift-c.usual), err == nil
}

// Means says whether the newest record has the configuration of a session: where it does not, nothing of the case's past is about what that measures.
func (c *Case) Means(configHash string) bool {
	return c.Points[len(c.Points)-1].of.ConfigHash == configHash
}

// TimedAs says whether the newest record is timed by a method, so that its level may be compared with.
func (c *Case) TimedAs(m result.Method) bool {
	return baseline.SameMethod(c.Points[len(c.Points)-1].of.Method, m)
}

// TimedOtherwise is how many points are of the session's configuration and timed in another way than it is: with other launches a sample, say, which
// how long one takes decides.
func (c Case) TimedOtherwise(session baseline.Case) (n int) {
	for _, p := range c.Points {
		if p.of.ConfigHash == session.ConfigHash && !sameWork(p.of, &session) {
			n++
		}
	}
	return n
}

// Retimed is the last change where the case came to be timed in another way with the same configuration: what it lost there cannot be told. ok is
// false where there is none, where an acceptance has come since, and where it has become significantly faster.
func (c Case) Retimed() (at Change, ok bool) {
	for i := len(c.Changes) - 1; i >= 0; i-- {
		first := c.Levels[i+1].First
		before, after := c.Points[first-1], c.Points[first]
		switch {
		case c.Changes[i].Cause != result.LevelOfOtherWork:
		case c.accepted >= first || before.of.ConfigHash != after.of.ConfigHash:
			return at, false
		case isFasterAnyway(before.of.Method, after.of.Method, c.Levels[i+1].NS/c.Levels[i].NS):
		default:
			return c.Changes[i], true
		}
	}
	return at, false
}

// isFasterAnyway: more or fewer launches a sample move the time of one by a few percent. Another clock, or launches in a graph, may halve it.
func isFasterAnyway(a, b result.Method, ratio float64) bool {
	return a.Clock == b.Clock && a.How == b.How && a.Block == b.Block && a.Cache == b.Cache && a.Pin == b.Pin && ratio < 0.8
}

// Steadied says whether, and by which canary, the points of the case were made steadier.
func (c Case) Steadied() baseline.Steady { return c.steady }

// OfCode says whether a point is of the same built code as a session.
func (p Point) OfCode(session baseline.Case) bool { return sameCode(p.of, &session) }

// SinceWork are the points after the last change of what the case measures: those that can be compared with each other.
func (c Case) SinceWork() []Point {
	from := len(c.Points) - 1
	for from > 0 && sameWork(c.Points[from-1].of, c.Points[from].of) {
		from--
	}
	return c.Points[from:]
}
