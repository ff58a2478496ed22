package rule

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// elapsedShare is how much of the error rate the comparison of elapsed times has. What a head hides there it hides from a trimmed mean or from the CPU
// clock, so it has to be large in some launches, and a small share sees it; what is left for the other bounds is hardly less than all.
const elapsedShare = 1.0 / 10

// elapsedAlpha is the error rate of one bound of elapsed times, in one look of one case: with Alpha it makes up the whole.
func elapsedAlpha(p result.Policy) float64 {
	return Alpha(p) * elapsedShare / (1 - elapsedShare)
}

// CompareProcesses compares head with the other variant that processes of one case are of, as Compare does, and their elapsed times beside it. Its errors are those of Compare, and elapsed times
// that are missing where perfgate's own clock timed the case.
func CompareProcesses(processes []result.Process, look int, m result.Method, p result.Policy) (result.Comparison, error) {
	c, err := Compare(Rounds(processes), look, TimingOf(m), p)
	if err != nil || m.IsForeign() {
		return c, err
	}
	c.Elapsed, err = compareElapsed(processes, TimingOf(m), p)
	return c, err
}

var errNoElapsed = errors.New("a process says no elapsed time")

// compareElapsed has the wider of two pairs of bounds, as every comparison.
func compareElapsed(processes []result.Process, tm Timing, p result.Policy) (*result.Elapsed, error) {
	elapsed := slices.Clone(processes)
	for i := range elapsed {
		if elapsed[i].ValueNS = elapsed[i].ElapsedNS; !isElapsed(processes[i]) {
			return nil, errNoElapsed
		}
	}
	fit, err := stats.FitRounds(Rounds(elapsed), tm.floor())
	if err != nil {
		return nil, fmt.Errorf("compare elapsed times: %w", err)
	}
	alpha, tick := elapsedAlpha(p), tm.bias(fit.Scatter)
	low, high := fit.TBounds(alpha)
	boot := fit.BootstrapBounds(alpha)[0]
	waited := func(p result.Process) float64 { return p.WaitedNS }
	base, head := meanOf(processes, isOther, waited), meanOf(processes, isHead, waited)
	took := meanOf(processes, isOther, func(p result.Process) float64 { return p.ElapsedNS })
	return &result.Elapsed{
		Theta: fit.Theta, Low: min(low, boot.Low) - tick, High: max(high, boot.High) + tick,
		BaseWaitedNS: base, HeadWaitedNS: head, ExcessWait: (head - base) / took,
	}, nil
}

// isElapsed says whether the elapsed time of a process can be one: the mean of its samples lies among them, and its launches waited beside that.
func isElapsed(p result.Process) bool {
	mean := p.ElapsedNS - p.WaitedNS
	near := 1e-9 * p.ElapsedNS // for rounding
	return p.ElapsedNS > 0 && !math.IsInf(p.ElapsedNS, 0) && p.WaitedNS >= 0 && mean >= p.Quantiles.Min-near && mean <= p.Quantiles.Max+near
}

func isHead(p result.Process) bool  { return p.Variant == result.VariantHead }
func isOther(p result.Process) bool { return !isHead(p) }

func meanOf(processes []result.Process, which func(result.Process) bool, what func(result.Process) float64) float64 {
	sum, n := 0.0, 0
	for _, p := range processes {
		if which(p) {
			sum, n = sum+what(p), n+1
		}
	}
	return sum / float64(max(1, n))
}

// elapsedOver says whether head is significantly slower than allowed in elapsed time.
func elapsedOver(c result.Comparison, p result.Policy) bool {
	return c.Elapsed != nil && c.Elapsed.Low > toleranceLog(p)
}

// elapsedOpen says whether it may be: it is significantly slower, and by its estimate more than allowed.
func elapsedOpen(c result.Comparison, p result.Policy) bool {
	return c.Elapsed != nil && c.Elapsed.Low > 0 && c.Elapsed.Theta > toleranceLog(p)
}

// waitsUnproven says whether head waits so much longer than base that only a shorter value could make up for it, and that it does is not significant. Waits are
// counted exactly, so the noise of values must not hide them.
func waitsUnproven(c result.Comparison, p result.Policy) bool {
	return c.Elapsed != nil && c.Elapsed.ExcessWait > p.Tolerance && !(c.Elapsed.High < toleranceLog(p))
}
