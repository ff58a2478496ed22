package stats

import (
	"fmt"
	"math"
)

// Round holds the log values of the four processes of one complete round: two of base and two of head. A log
// value is ln of the 20 % trimmed mean of a process's samples (see LogProcess).
type Round struct{ Base, Head [2]float64 }

// RoundFit is the estimated shift of head against base from blocks of processes that ran side by side. Theta, S and
// SE are in log units. Make one with FitRounds or FitPairs.
type RoundFit struct {
	Rounds  int     // blocks: rounds of four processes, or pairs
	Theta   float64 // mean log value of head less that of base
	S       float64 // residual standard deviation of one process
	Scatter float64 // the same as observed, before the floor
	DF      float64 // degrees of freedom of S
	SE      float64 // standard error of Theta
	Floored bool    // S is the floor, not the observed scatter

	perSide   int       // processes a side
	residuals []float64 // of all processes of both sides, unscaled, centred by construction
}

// FitRounds estimates the shift from complete rounds. Each round has its own level (so drift between rounds costs
// nothing), both sides share one scatter: a randomised block design with two replicates, residual
// e = y - mean(y of its round) -+ Theta/2, df = 3R - 1, S² = max(Σe²/df, floorVar), SE = S/√R.
//
// floorVar is the least believable variance of a process (see QuantumVariance), in squared log units. No rounds, a
// NaN or infinite log value, a floorVar that is no variance, and values that do not vary at all (by more than rounding of
// sums does, 1e-12) while floorVar is 0 are errors.
func FitRounds(rounds []Round, floorVar float64) (RoundFit, error) {
	blocks := make([]block, len(rounds))
	for i := range rounds {
		blocks[i] = block{rounds[i].Base[:], rounds[i].Head[:]}
	}
	return fitBlocks("rounds", blocks, 2, floorVar)
}

// FitPairs estimates the shift from pairs of processes that ran next to each other, base[i] with head[i]: the
// paired t-test written as blocks of two, df = pairs - 1, SE = S·√(2/pairs) with S the scatter of one process.
//
// Fewer than two pairs, sides of different length, and what FitRounds rejects are errors.
func FitPairs(base, head []float64, floorVar float64) (RoundFit, error) {
	if len(base) != len(head) {
		return RoundFit{}, fmt.Errorf("pairs: %d values of base, %d of head: %w", len(base), len(head), ErrArgument)
	}
	if len(base) == 1 {
		return RoundFit{}, fmt.Errorf("pairs: one pair has no scatter: %w", ErrTooFew)
	}
	blocks := make([]block, len(base))
	for i := range base {
		blocks[i] = block{base[i : i+1], head[i : i+1]}
	}
	return fitBlocks("pairs", blocks, 1, floorVar)
}

// TBounds returns Theta -+ t(1-alpha, DF)·SE: one-sided bounds, each wrong with probability alpha if the log values
// scatter normally. An alpha outside (0, 0.5] gives NaN, which no comparison accepts.
func (f RoundFit) TBounds(alpha float64) (lo, hi float64) {
	if !(alpha > 0 && alpha <= 0.5) {
		return math.NaN(), math.NaN()
	}
	half := upperT(alpha, f.DF) * f.SE
	return f.Theta - half, f.Theta + half
}

// block is what ran side by side: as many values of base as of head.
type block struct{ base, head []float64 }

func fitBlocks(what string, blocks []block, replicates int, floorVar float64) (RoundFit, error) {
	if err := checkVariance(what+": floor", floorVar); err != nil {
		return RoundFit{}, err
	}
	if len(blocks) == 0 {
		return RoundFit{}, fmt.Errorf("%s: %w", what, ErrEmpty)
	}
	var baseSum, headSum float64
	for _, b := range blocks {
		for k := range b.base {
			baseSum += b.base[k]
			headSum += b.head[k]
		}
	}
	n := len(blocks) * replicates
	f := RoundFit{
		Rounds:  len(blocks),
		Theta:   (headSum - baseSum) / float64(n),
		DF:      float64(2*n - len(blocks) - 1),
		perSide: n,
	}
	if math.IsNaN(f.Theta) || math.IsInf(f.Theta, 0) {
		return RoundFit{}, fmt.Errorf("%s: %w", what, ErrNotFinite)
	}
	f.residuals = blockResiduals(blocks, n, f.Theta)
	variance := believable(sumSquares(f.residuals) / f.DF)
	f.Scatter = math.Sqrt(variance)
	if variance < floorVar {
		variance, f.Floored = floorVar, true
	}
	if variance == 0 {
		return RoundFit{}, fmt.Errorf("%s: %w", what, ErrConstant)
	}
	f.S = math.Sqrt(variance)
	f.SE = f.S * math.Sqrt(2/float64(n))
	return f, nil
}

func blockResiduals(blocks []block, perSide int, theta float64) []float64 {
	residuals := make([]float64, 0, 2*perSide)
	for _, b := range blocks {
		level := (mean(b.base) + mean(b.head)) / 2
		for k := range b.base {
			residuals = append(residuals, b.base[k]-level+theta/2, b.head[k]-level-theta/2)
		}
	}
	return residuals
}

// leastScatter is the smallest scatter of log values that rounding of sums alone does not make: logs of ns are below 50, and
// a double holds 16 digits of them.
const leastScatter = 1e-12

// believable is a variance, 0 where rounding of sums alone may have made it.
func believable(variance float64) float64 {
	if variance < leastScatter*leastScatter {
		return 0
	}
	return variance
}

func sumSquares(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x * x
	}
	return sum
}
