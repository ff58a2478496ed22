package rule

import (
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// What external timing checks see beyond what processes say (result.TimingCheck) is what looking takes, which is the same on both sides, and what is
// hidden. Head is not believed where all but a few of its processes hide much, by any scatter, or where it significantly hides half of what it claims to have
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

// CheckTiming compares what external timing checks saw of the processes of head and of the variant that it is compared with, or of head where it was
// measured alone. The zero value says that there were none of one of them.
func CheckTiming(processes []result.Process) (t TimingCheck) {
	base, head := checkedOf(processes, isOther), checkedOf(processes, isHead)
	alone := !slices.ContainsFunc(processes, isOther)
	if len(head) == 0 || len(base) == 0 && !alone {
		return t
	}
	launches := float64(max(1, head[len(head)-1].Launches)) // of a sample
	usual, most := lookAlone/launches, lookAlone/launches
	if !alone {
		ofBase := base.of(beyondTime)
		usual, most = ofBase.median(), ofBase[len(ofBase)-1-len(ofBase)/dissent]
	}
	ofHead := head.of(beyondTime)
	least := ofHead[len(ofHead)/dissent]
	t.HiddenNS, t.ClaimedNS = ofHead.median()-usual, head.of(claimedTime).median()
	t.Significant = least-most > max(muchOfClaim*t.ClaimedNS, most)
	if min(len(base), len(head)) < 2 {
		return t // one does not show how much looking scatters
	}
	bound, won := hiddenOfClaim*t.ClaimedNS, base.of(claimedTime).median()-t.ClaimedNS
	if won > 0 {
		bound = hiddenOfGain * won
	}
	scatter := math.Hypot(base.of(beyondTime).standardError(), ofHead.standardError())
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

// checked are the timing checks of a variant's processes, in ns per launch.
type checked []result.TimingCheck

func checkedOf(processes []result.Process, which func(result.Process) bool) (c checked) {
	for _, p := range processes {
		if which(p) && p.TimingCheck != nil {
			c = append(c, *p.TimingCheck)
		}
	}
	return c
}

func claimedTime(t result.TimingCheck) float64 { return t.ClaimedNS }
func beyondTime(t result.TimingCheck) float64  { return t.BeyondNS }

// of are numbers of the checks, from the least.
func (c checked) of(number func(result.TimingCheck) float64) ascending {
	out := make(ascending, len(c))
	for i, t := range c {
		out[i] = number(t)
	}
	slices.Sort(out)
	return out
}

func (c checked) meanLog() float64 {
	sum := 0.0
	for _, t := range c {
		sum += math.Log(t.ClaimedNS)
	}
	return sum / float64(len(c))
}

// meanHidden is the mean over processes of ln((claimed + hidden)/claimed), and its standard error.
func (c checked) meanHidden(usual float64) (mean, standardError float64) {
	sum, squares, n := 0.0, 0.0, float64(len(c))
	for _, t := range c {
		x := math.Log1p(max(-0.5, (t.BeyondNS-usual)/t.ClaimedNS))
		sum, squares = sum+x, squares+x*x
	}
	mean = sum / n
	return mean, math.Sqrt(max(0, squares/n-mean*mean) / (n - 1))
}

// ascending are numbers from the least.
type ascending []float64

func (xs ascending) median() float64 { return stats.MedianOrNaN(xs) }

// standardError is that of the median, from the median distance to it, which a few wild values do not move.
func (xs ascending) standardError() float64 {
	_, spread := stats.MedianAndSpread(xs)
	return 1.2533 * spread / math.Sqrt(float64(len(xs)))
}
