package rule

import (
	"math"

	"github.com/org/perfgate/gate/result"
)

// A benchmark holds its own clock. From outside only the life of its process and its CPU time are seen, with set-up, warm-up and what it measures and does
// not show. So only a contradiction that these cannot hide counts: it is a large part of the life of base's processes, it is far beyond what processes
// vary by, and neither clock sees half of what is claimed. A program that adapts its iterations measures for as long on both sides, whatever it says of
// one: there a claim is not seen, and nothing is said.
const (
	leastOfLife    = 0.25 // of the life of base's processes, for a claim to be seen in it
	sameIterations = 0.1  // by how much the numbers of iterations of the sides may differ
	leastProcesses = 4    // of a side
)

// processTime adds a contradiction between what a benchmark says of its sides and how long their processes lived. It is head's where head claims a gain:
// its set-up takes that time, or its clock is wrong. Where nothing is claimed, a slower set-up is more likely, and it is noted.
func (v *collector) processTime(c result.Case) {
	compared := c.Compared()
	if c.Method == nil || !c.Method.IsForeign() || compared == nil {
		return
	}
	times, hidden := contradiction(checkedOf(c.Sides(), isOther), checkedOf(c.Sides(), isHead))
	if !hidden {
		return
	}
	f := result.Finding{Kind: result.FindingProcessTime, Kernel: c.Kernel, Case: c.Name, Shift: result.ShiftOf(compared), Times: &times}
	switch c.Verdict {
	case result.Faster, result.Improvement:
		f.Side = result.SideHead
	case result.Same, result.Slower:
	default:
		return // nothing is claimed of it
	}
	v.add(f)
}

// contradiction is how head's processes differ from base's, and whether head hides time: of a gain that it claims more than half, and where it claims none,
// more than half of what base measures.
func contradiction(base, head checked) (d result.TimesDiffer, hidden bool) {
	if min(len(base), len(head)) < leastProcesses || base.of(cpuTime).median() == 0 {
		return d, false
	}
	change := func(of func(result.TimingCheck) float64) float64 { return head.of(of).median() - base.of(of).median() }
	life := base.of(result.TimingCheck.LivedNS).median()
	d = result.TimesDiffer{BaseS: life / 1e9, ClaimedS: change(claimedTime) / 1e9, LivedS: change(result.TimingCheck.LivedNS) / 1e9, CPUS: change(cpuTime) / 1e9}
	if math.Abs(change(iterations)) > sameIterations*base.of(iterations).median() || min(base.of(beyondTime)[0], head.of(beyondTime)[0]) < 0 {
		return d, false
	}
	claim := -change(claimedTime)
	if claim <= leastOfLife*life {
		claim = base.of(claimedTime).median() // none that could be seen: whether head takes half as much again
	}
	if claim <= leastOfLife*life {
		return d, false
	}
	for _, seen := range []func(result.TimingCheck) float64{result.TimingCheck.LivedNS, cpuTime} {
		beyond := func(t result.TimingCheck) float64 { return seen(t) - t.ClaimedNS }
		scatter := math.Hypot(base.of(beyond).standardError(), head.of(beyond).standardError())
		if change(beyond)-sureErrors*scatter <= hiddenOfGain*claim {
			return d, false
		}
	}
	return d, true
}

func cpuTime(t result.TimingCheck) float64    { return t.CPUNS }
func iterations(t result.TimingCheck) float64 { return float64(t.Launches) }
