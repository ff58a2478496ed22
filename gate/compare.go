package gate

import (
	"errors"
	"fmt"
	"math"

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

// Comparison is what the processes of a case say about head against base. Theta and all bounds are in log units,
// positive is slower; Ratio and its bounds are head/base; MDE is relative.
type Comparison struct {
	Rounds       int     `json:"rounds"`       // complete rounds (pairs of processes in a paired, processes of the smaller side in an unpaired comparison)
	Look         int     `json:"look"`         // which look this is, from 1
	Theta        float64 `json:"theta"`        // estimated shift
	Low          float64 `json:"low"`          // lower bound: the wider of the two below, less Tick
	High         float64 `json:"high"`         // upper bound: the wider of the two below, plus Tick
	TLow         float64 `json:"tLow"`         // Student's bounds
	THigh        float64 `json:"tHigh"`        //
	BootLow      float64 `json:"bootLow"`      // bootstrap bounds
	BootHigh     float64 `json:"bootHigh"`     //
	Ratio        float64 `json:"ratio"`        // e^Theta
	RatioLow     float64 `json:"ratioLow"`     // e^Low
	RatioHigh    float64 `json:"ratioHigh"`    // e^High
	S            float64 `json:"s"`            // scatter of one process
	SE           float64 `json:"se"`           // standard error of Theta
	Delta        float64 `json:"delta"`        // Cliff's delta of process values, round levels taken out
	DeltaLow     float64 `json:"deltaLow"`     //
	DeltaHigh    float64 `json:"deltaHigh"`    //
	MDE          float64 `json:"mde"`          // smallest shift told from 0 with 90 % power: 0.012 is 1.2 %
	RoundsNeeded int     `json:"roundsNeeded"` // rounds that would tell this estimate from the tolerance; 0 if beyond reach
	Tick         float64 `json:"tick"`         // what the timer's step may hide for good; next to nothing in batched samples
	Floored      bool    `json:"floored"`      // S is the timer's floor, not the observed scatter
}

// Compare compares the sides of one case after complete rounds, at look number look (from 1), with the error rate
// that p leaves for one side of one look of one case. Nothing is drawn: equal input gives an equal result, and the
// seed that callers hand in is not needed.
//
// An invalid policy, no rounds, NaN or infinite log values and a timing that makes no sense are errors.
func Compare(rounds []stats.Round, look int, tm Timing, p Policy) (Comparison, error) {
	if err := p.Validate(); err != nil {
		return Comparison{}, fmt.Errorf("compare: %w", err)
	}
	fit, err := stats.FitRounds(rounds, tm.floor())
	if err != nil {
		return Comparison{}, fmt.Errorf("compare: %w", err)
	}
	c := Comparison{Rounds: fit.Rounds, Look: look, S: fit.S, SE: fit.SE, Tick: tm.bias(fit.Scatter), Floored: fit.Floored}
	base, head := centredRounds(rounds)
	return c.complete(fit, fit.Theta, base, head, p)
}

// ComparePairs compares processes that ran next to each other, base[i] with head[i] (log values), at a single look
// or one of several as p plans. The same inputs as with Compare are errors, and fewer than two pairs.
func ComparePairs(base, head []float64, look int, tm Timing, p Policy) (Comparison, error) {
	if err := p.Validate(); err != nil {
		return Comparison{}, fmt.Errorf("compare: %w", err)
	}
	fit, err := stats.FitPairs(base, head, tm.floor())
	if err != nil {
		return Comparison{}, fmt.Errorf("compare: %w", err)
	}
	c := Comparison{Rounds: fit.Rounds, Look: look, S: fit.S, SE: fit.SE, Tick: tm.bias(fit.Scatter), Floored: fit.Floored}
	centredBase, centredHead := centredPairs(base, head)
	return c.complete(fit, fit.Theta, centredBase, centredHead, p)
}

// CompareUnpaired compares two groups of processes (log values) that did not run side by side. The session variance
// widens the bounds; its zero value claims that both groups were taken in one session. The same inputs as with
// Compare are errors, and fewer than two processes a side.
func CompareUnpaired(
	base, head []float64, session stats.SessionVariance, look int, tm Timing, p Policy,
) (Comparison, error) {
	if err := p.Validate(); err != nil {
		return Comparison{}, fmt.Errorf("compare: %w", err)
	}
	fit, err := stats.FitUnpaired(base, head, session, tm.floor())
	if err != nil {
		return Comparison{}, fmt.Errorf("compare: %w", err)
	}
	c := Comparison{Rounds: min(fit.NBase, fit.NHead), Look: look, S: fit.S, SE: fit.SE, Tick: tm.bias(fit.Scatter), Floored: fit.Floored}
	return c.complete(fit, fit.Theta, base, head, p)
}

// shiftFit is what every kind of fit can say about its shift.
type shiftFit interface {
	TBounds(alpha float64) (lo, hi float64)
	BootstrapBounds(alpha float64) (lo, hi float64)
	MDE(alpha, power float64) (float64, error)
}

// complete fills in what follows from the fit; base and head are the values that Cliff's delta orders.
func (c Comparison) complete(fit shiftFit, theta float64, base, head []float64, p Policy) (Comparison, error) {
	alpha := p.Alpha()
	c.Theta = theta
	c.TLow, c.THigh = fit.TBounds(alpha)
	c.BootLow, c.BootHigh = fit.BootstrapBounds(alpha)
	c.Low = math.Min(c.TLow, c.BootLow) - c.Tick
	c.High = math.Max(c.THigh, c.BootHigh) + c.Tick
	c.Ratio, c.RatioLow, c.RatioHigh = ratio(c.Theta), ratio(c.Low), ratio(c.High)
	mde, err := fit.MDE(alpha, mdePower)
	if err != nil {
		return Comparison{}, fmt.Errorf("compare: %w", err)
	}
	c.MDE = ratio(mde) - 1
	c.RoundsNeeded = c.roundsNeeded(p)
	delta, err := orderedDelta(base, head, p.Confidence)
	if err != nil {
		return Comparison{}, fmt.Errorf("compare: %w", err)
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
// quarter of the tolerance is treated as that far away: nobody can ask for the rounds that the last inch takes.
func (c Comparison) roundsNeeded(p Policy) int {
	m := p.toleranceLog()
	distance := max(math.Abs(m-c.Theta), m/4)
	s := c.SE * math.Sqrt(float64(c.Rounds))
	rounds, err := stats.RoundsNeeded(s, distance, p.Alpha(), mdePower)
	if err != nil {
		return 0
	}
	return rounds
}

// orderedDelta is Cliff's delta; values that are all equal say nothing either way.
func orderedDelta(base, head []float64, confidence float64) (stats.CliffDelta, error) {
	d, err := stats.CliffsDelta(base, head, confidence)
	if errors.Is(err, stats.ErrConstant) {
		return stats.CliffDelta{Delta: 0, Low: -1, High: 1}, nil
	}
	return d, err
}

// centredRounds takes the level of its round from every value.
func centredRounds(rounds []stats.Round) (base, head []float64) {
	for _, r := range rounds {
		level := (r.Base[0] + r.Base[1] + r.Head[0] + r.Head[1]) / 4
		base = append(base, r.Base[0]-level, r.Base[1]-level)
		head = append(head, r.Head[0]-level, r.Head[1]-level)
	}
	return base, head
}

func centredPairs(base, head []float64) (b, h []float64) {
	for i := range base {
		level := (base[i] + head[i]) / 2
		b = append(b, base[i]-level)
		h = append(h, head[i]-level)
	}
	return b, h
}
