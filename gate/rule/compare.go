package rule

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// mdePower is the power at which a smallest detectable effect is stated.
const mdePower = 0.9

// Timing is what is known of how samples were taken; it gives the least believable scatter.
type Timing struct {
	QuantumNS float64 // step of the timer
	Launches  int     // launches in one sample
	MedianNS  float64 // median time of one launch
}

func (t Timing) floor() float64 { return stats.QuantumVariance(t.QuantumNS, t.Launches, t.MedianNS) }

// bias is how far the timer's step can move the shift for good where processes scatter by less than it.
func (t Timing) bias(scatter float64) float64 {
	return stats.QuantumBias(t.QuantumNS, t.Launches, t.MedianNS, scatter)
}

// Compare compares the sides of one case after complete rounds, at look number look (from 1), with the error rate
// that p leaves for one side of one look of one case. Nothing is drawn: equal input gives an equal result, and the
// seed that callers hand in is not needed.
//
// An invalid policy, no rounds, NaN or infinite log values and a timing that makes no sense are errors.
func Compare(rounds []stats.Round, look int, tm Timing, p result.Policy) (result.Comparison, error) {
	fit, err := stats.FitRounds(rounds, tm.floor())
	base, head := centredRounds(rounds)
	c, err := compareFit(fit.Fit, err, base, head, result.Comparison{Rounds: fit.Rounds, Look: look}, tm, p)
	if err == nil {
		c.Suspect = suspect(rounds, toleranceLog(p))
	}
	return c, err
}

// MayDecide says whether Compare at this look could lead to a verdict, at a fraction of its cost. Its bounds are the wider of Student's and the bootstrap's,
// so it decides nothing where Student's alone do not. It knows nothing of elapsed time.
func MayDecide(rounds []stats.Round, look int, tm Timing, p result.Policy) bool {
	fit, err := stats.FitRounds(rounds, tm.floor())
	if err != nil {
		return true // Compare has the error
	}
	low, high := fit.TBounds(Alpha(p))
	_, pass := fit.TBounds(passAlpha(p, look))
	tick := tm.bias(fit.Scatter)
	return byBounds(result.Comparison{Low: low - tick, High: high + tick, PassHigh: pass + tick}, p) != result.Undecided
}

// ComparePairs compares processes that ran next to each other, base[i] with head[i] (log values), at a single look
// or one of several as p plans. The same inputs as with Compare are errors, and fewer than two pairs.
func ComparePairs(base, head []float64, look int, tm Timing, p result.Policy) (result.Comparison, error) {
	fit, err := stats.FitPairs(base, head, tm.floor())
	if err == nil {
		pairs := make([]stats.Round, len(base))
		for i := range pairs {
			pairs[i] = stats.Round{Base: base[i : i+1], Head: head[i : i+1]}
		}
		base, head = centredRounds(pairs)
	}
	return compareFit(fit.Fit, err, base, head, result.Comparison{Rounds: fit.Rounds, Look: look}, tm, p)
}

// CompareUnpaired compares two groups of processes (log values) that did not run side by side. The session variance
// widens the bounds; its zero value claims that both groups were taken in one session. The same inputs as with
// Compare are errors, and fewer than two processes a side.
func CompareUnpaired(
	base, head []float64, session stats.SessionVariance, look int, tm Timing, p result.Policy,
) (result.Comparison, error) {
	fit, err := stats.FitUnpaired(base, head, session, tm.floor())
	return compareFit(fit.Fit, err, base, head, result.Comparison{Rounds: min(fit.NBase, fit.NHead), Look: look}, tm, p)
}

// compareFit fills in what follows from a fit, or why there is none; base and head are the values that Cliff's delta orders.
func compareFit(fit stats.Fit, fault error, base, head []float64, c result.Comparison, tm Timing, p result.Policy) (result.Comparison, error) {
	if err := cmp.Or(p.Validate(), fault); err != nil {
		return result.Comparison{}, fmt.Errorf("compare: %w", err)
	}
	alpha := Alpha(p)
	c.Theta, c.S, c.SE, c.Floored, c.Tick = fit.Theta, fit.S, fit.SE, fit.Floored, tm.bias(fit.Scatter)
	c.Tolerance, c.Alpha = p.Tolerance, alpha
	c.TLow, c.THigh = fit.TBounds(alpha)
	_, passT := fit.TBounds(passAlpha(p, c.Look))
	boot := fit.BootstrapBounds(alpha, passAlpha(p, c.Look), (1-0.95)/2)
	c.BootLow, c.BootHigh = boot[0].Low, boot[0].High
	c.Low = math.Min(c.TLow, c.BootLow) - c.Tick
	c.High = math.Max(c.THigh, c.BootHigh) + c.Tick
	c.PassHigh = math.Max(passT, boot[1].High) + c.Tick
	c.Ratio, c.RatioLow, c.RatioHigh = ratio(c.Theta), ratio(c.Low), ratio(c.High)
	c.Boot95Low, c.Boot95High = ratio(boot[2].Low), ratio(boot[2].High)
	mde, err := fit.MDE(alpha, mdePower)
	if err != nil {
		return result.Comparison{}, fmt.Errorf("compare: %w", err)
	}
	c.MDE = ratio(mde+c.Tick) - 1 // the bounds are a tick further off
	c.RoundsNeeded = roundsNeeded(c, p)
	delta, err := orderedDelta(base, head, p.Confidence)
	if err != nil {
		return result.Comparison{}, fmt.Errorf("compare: %w", err)
	}
	c.Delta, c.DeltaLow, c.DeltaHigh = delta.Delta, delta.Low, delta.High
	return c, nil
}

// ratio turns a log shift into a ratio that JSON can hold: bounds of two processes may lie beyond e^700.
func ratio(shift float64) float64 {
	const most = 700
	return math.Exp(max(-most, min(most, shift)))
}

// roundsNeeded is how many rounds would tell the estimated shift from the tolerance. A shift nearer to it than a
// quarter of the tolerance is treated as that far away: the rounds that the rest would take are beyond every budget.
func roundsNeeded(c result.Comparison, p result.Policy) int {
	m := toleranceLog(p)
	distance := max(math.Abs(m-c.Theta), m/4)
	rounds, err := stats.RoundsNeeded(c.S, distance, Alpha(p), mdePower, ScheduleOf(p).Size)
	if err != nil {
		return 0
	}
	return rounds
}

// mdeAtEnd is what the smallest detectable effect would be after the last look, if processes go on to scatter as they did; 0 if that is not known.
func mdeAtEnd(c result.Comparison, p result.Policy) float64 {
	mde, err := stats.MDE(c.S, ScheduleOf(p).Size(LastLook(p)), Alpha(p), mdePower)
	if err != nil {
		return 0
	}
	return finite(ratio(mde+c.Tick) - 1)
}

// orderedDelta is Cliff's delta; values that are all equal say nothing either way.
func orderedDelta(base, head []float64, confidence float64) (stats.CliffDelta, error) {
	d, err := stats.CliffsDelta(base, head, confidence)
	if errors.Is(err, stats.ErrConstant) {
		return stats.CliffDelta{Delta: 0, Low: -1, High: 1}, nil
	}
	return d, err
}

// centredRounds takes the level of its round, half way between the means of its sides, from every value: in rounds of any sizes the sides
// then lie equally far apart.
func centredRounds(rounds []stats.Round) (base, head []float64) {
	for _, r := range rounds {
		level := (stats.Mean(r.Base) + stats.Mean(r.Head)) / 2
		for _, y := range r.Base {
			base = append(base, y-level)
		}
		for _, y := range r.Head {
			head = append(head, y-level)
		}
	}
	return base, head
}

// Rounds arranges the values of processes of head and of the variant that it is compared with, as log ns.
func Rounds(processes []result.Process) []stats.Round { return arrange(result.VariantHead, processes) }

// arrange arranges the values of processes of a variant, in the place of head, and of the one that it is compared with.
func arrange(v result.Variant, processes []result.Process) (rounds []stats.Round) {
	for _, p := range processes {
		for len(rounds) <= p.Round {
			rounds = append(rounds, stats.Round{})
		}
		y := math.Log(p.ValueNS)
		if r := &rounds[p.Round]; p.Variant != v {
			r.Base = append(r.Base, y)
		} else {
			r.Head = append(r.Head, y)
		}
	}
	return rounds
}

// TimingOf is what a method says of the least believable scatter.
func TimingOf(m result.Method) Timing {
	return Timing{QuantumNS: m.QuantumNS, Launches: m.Launches, MedianNS: m.LaunchNS}
}
