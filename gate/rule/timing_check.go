package rule

import (
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// What external timing checks see beyond what processes say (result.TimingCheck) is what looking takes, which is the same on both sides, and what is
// hidden. Head is not believed where all but a few of its processes hide much, by any scatter, or where it surely hides half of what it claims to have
// won or, where it is not ahead, a tenth of what it says.
const (
	muchOfClaim = 0.3   // and more than looking takes
	dissent     = 8     // of so many processes of a side one may have been disturbed the other way
	lookAlone   = 200e3 // ns of a sample: what looking takes at most, where there is no base to show it

	hiddenOfGain  = 0.5
	hiddenOfClaim = 0.1
	sureErrors    = 4    // standard errors, by medians: a busy machine disturbs some of the processes
	likelyErrors  = 2    // enough not to call it better
	lookScatter   = 10e3 // ns of a sample: what looking takes is not the same to less than that,
	restScatter   = 0.05 // nor to less than this share of it
)

// TimingCheck is what launches of head took beyond what head says and what is usual, in ns.
type TimingCheck struct {
	HiddenNS, ClaimedNS float64
	Significant         bool // head hides something
	Likely              bool // it may: more than half of what it claims to have won is not seen by external checks
}

// CheckTiming compares what external timing checks saw of the processes of both sides, or of head where it was measured alone. The zero value says
// that there were none of a side.
func CheckTiming(processes []result.Process) (t TimingCheck) {
	base, head := checkedOf(processes, result.SideBase), checkedOf(processes, result.SideHead)
	alone := !slices.ContainsFunc(processes, func(p result.Process) bool { return p.Side == result.SideBase })
	if len(head.beyond) == 0 || len(base.beyond) == 0 && !alone {
		return t
	}
	launches := float64(max(1, head.launches))
	usual, most := lookAlone/launches, lookAlone/launches
	if !alone {
		usual, most = stats.MedianOrNaN(base.beyond), base.beyond[len(base.beyond)-1-len(base.beyond)/dissent]
	}
	least := head.beyond[len(head.beyond)/dissent]
	t.HiddenNS, t.ClaimedNS = stats.MedianOrNaN(head.beyond)-usual, stats.MedianOrNaN(head.claimed)
	t.Significant = least-most > max(muchOfClaim*t.ClaimedNS, most)
	if min(len(base.beyond), len(head.beyond)) < 2 {
		return t // one does not show how much looking scatters
	}
	bound, won := hiddenOfClaim*t.ClaimedNS, stats.MedianOrNaN(base.claimed)-t.ClaimedNS
	if won > 0 {
		bound = hiddenOfGain * won
	}
	scatter := math.Hypot(base.standardError(), head.standardError())
	t.Likely = won > 0 && t.HiddenNS > max(bound, likelyErrors*scatter) || hidesOnAverage(base, head, usual)
	bound = max(bound, lookScatter/launches, restScatter*usual)
	t.Significant = t.Significant || min(least-usual, t.HiddenNS-sureErrors*scatter) > bound
	return t
}

// hidesOnAverage says whether more than half of what head has won over base, by the means of logs that cases are compared by, may be hidden. Medians do
// not show what is hidden in fewer than half of the processes.
func hidesOnAverage(base, head checked, usual float64) bool {
	ofBase, errBase := base.meanHidden(usual)
	ofHead, errHead := head.meanHidden(usual)
	won := base.meanLog() - head.meanLog()
	return won > 0 && ofHead-ofBase > max(hiddenOfGain*won, likelyErrors*math.Hypot(errBase, errHead))
}

// checked are the processes of a side that were checked, in ns per launch.
type checked struct {
	claimed, beyond []float64 // each in its own order: from the least
	pairs           []result.TimingCheck
	launches        int // of a sample
}

func (c checked) meanLog() float64 {
	sum := 0.0
	for _, ns := range c.claimed {
		sum += math.Log(ns)
	}
	return sum / float64(len(c.claimed))
}

func checkedOf(processes []result.Process, side result.Side) (c checked) {
	for _, p := range processes {
		if p.Side == side && p.TimingCheck != nil {
			c.claimed, c.beyond = append(c.claimed, p.TimingCheck.ClaimedNS), append(c.beyond, p.TimingCheck.BeyondNS)
			c.pairs, c.launches = append(c.pairs, *p.TimingCheck), p.TimingCheck.Launches
		}
	}
	slices.Sort(c.claimed)
	slices.Sort(c.beyond)
	return c
}

// meanHidden is the mean over processes of ln((claimed + hidden)/claimed), and its standard error.
func (c checked) meanHidden(usual float64) (mean, standardError float64) {
	sum, squares, n := 0.0, 0.0, float64(len(c.pairs))
	for _, p := range c.pairs {
		x := math.Log1p(max(-0.5, (p.BeyondNS-usual)/p.ClaimedNS))
		sum, squares = sum+x, squares+x*x
	}
	mean = sum / n
	return mean, math.Sqrt(max(0, squares/n-mean*mean) / (n - 1))
}

// standardError is that of the median of beyond, from the median distance to it, which a few wild values do not move.
func (c checked) standardError() float64 {
	middle := stats.MedianOrNaN(c.beyond)
	distances := make([]float64, len(c.beyond))
	for i, x := range c.beyond {
		distances[i] = math.Abs(x - middle)
	}
	return 1.4826 * 1.2533 * stats.MedianOrNaN(distances) / math.Sqrt(float64(len(c.beyond)))
}
