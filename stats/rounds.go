package stats

import (
	"fmt"
	"math"
)

// Round holds the log values of the processes of one complete round, at least one of base and one of head. A log value is ln of the
// 20 % trimmed mean of a process's samples (see LogProcess).
type Round struct{ Base, Head []float64 }

// Processes is how many there are of both sides.
func (r Round) Processes() int { return len(r.Base) + len(r.Head) }

// Difference is the mean log value of head less that of base. The level of the round is not in it.
func (r Round) Difference() float64 { return Mean(r.Head) - Mean(r.Base) }

// weight is the inverse of the variance of Difference, in units of that of one process.
func (r Round) weight() float64 { return 1 / (1/float64(len(r.Base)) + 1/float64(len(r.Head))) }

// Shift is the mean Difference of rounds by their weights, as FitRounds estimates it. It is NaN for no rounds.
func Shift(rounds []Round) float64 {
	total, weighted := 0.0, 0.0
	for _, r := range rounds {
		total += r.weight()
		weighted += r.weight() * r.Difference()
	}
	return weighted / total
}

// Size is how much rounds can tell, apart from how much processes scatter: Weight is the sum of the rounds' weights, and DF are the
// degrees of freedom of the scatter.
type Size struct{ Weight, DF float64 }

// Add counts one more round of so many processes of each side. The zero value has no round.
func (s Size) Add(base, head int) Size {
	if s.Weight == 0 {
		s.DF = -1 // of the shift
	}
	return Size{s.Weight + Round{make([]float64, base), make([]float64, head)}.weight(), s.DF + float64(base+head-1)}
}

// RoundFit is the estimated shift of head against base from blocks of processes that ran side by side. Make one with FitRounds or
// FitPairs.
type RoundFit struct {
	Fit
	Rounds int // blocks: rounds, or pairs
}

// FitRounds estimates the shift from complete rounds, which need not be of one size. It is the least squares fit of a randomised block
// design: each round has its own level (so drift between rounds costs nothing), and both sides share one scatter.
//
// With a processes of base and b of head, a round's difference of means has the weight w = 1/(1/a + 1/b), and W = Σw. Theta is the
// weighted mean of the differences. S² = max(Σe²/DF, floorVar) pools what processes scatter within their side and round with what the
// differences scatter about Theta, DF = N - R - 1 with N processes in R rounds, and SE = S/√W.
//
// floorVar is the least believable variance of a process (see QuantumVariance), in squared log units. No rounds, a side without
// processes, a side with one process in all, a NaN or infinite log value, a floorVar that is no variance, and values that do not vary at
// all (by more than rounding of sums does, 1e-12) while floorVar is 0 are errors.
func FitRounds(rounds []Round, floorVar float64) (RoundFit, error) {
	return fit("rounds", rounds, floorVar)
}

// FitPairs estimates the shift from pairs of processes that ran next to each other, base[i] with head[i]: the
// paired t-test written as rounds of one and one, DF = pairs - 1, SE = S·√(2/pairs) with S the scatter of one process.
//
// Fewer than two pairs, sides of different length, and what FitRounds rejects are errors.
func FitPairs(base, head []float64, floorVar float64) (RoundFit, error) {
	if len(base) != len(head) {
		return RoundFit{}, fmt.Errorf("pairs: %d values of base, %d of head: %w", len(base), len(head), ErrArgument)
	}
	pairs := make([]Round, len(base))
	for i := range base {
		pairs[i] = Round{base[i : i+1], head[i : i+1]}
	}
	return fit("pairs", pairs, floorVar)
}

func fit(what string, rounds []Round, floorVar float64) (RoundFit, error) {
	if err := checkVariance(what+": floor", floorVar); err != nil {
		return RoundFit{}, err
	}
	if len(rounds) == 0 {
		return RoundFit{}, fmt.Errorf("%s: %w", what, ErrEmpty)
	}
	var size Size
	for i, r := range rounds {
		if len(r.Base) == 0 || len(r.Head) == 0 {
			return RoundFit{}, fmt.Errorf("%s: number %d has %d values of base and %d of head: %w", what, i, len(r.Base), len(r.Head), ErrTooFew)
		}
		size = size.Add(len(r.Base), len(r.Head))
	}
	f := RoundFit{Fit{Theta: Shift(rounds), DF: size.DF}, len(rounds)}
	switch {
	case math.IsNaN(f.Theta) || math.IsInf(f.Theta, 0):
		return RoundFit{}, fmt.Errorf("%s: %w", what, ErrNotFinite)
	case len(rounds) == 1 && min(len(rounds[0].Base), len(rounds[0].Head)) == 1:
		return RoundFit{}, fmt.Errorf("%s: one process of a side has no scatter: %w", what, ErrTooFew) // the fit goes through it, whatever it is
	}
	all, squares := f.pool(rounds, size.Weight)
	variance := believable(squares / f.DF)
	f.Scatter = math.Sqrt(variance)
	if variance < floorVar {
		variance, f.Floored = floorVar, true
	}
	if variance == 0 {
		return RoundFit{}, fmt.Errorf("%s: %w", what, ErrConstant)
	}
	f.S = math.Sqrt(variance)
	f.SE = f.S / math.Sqrt(size.Weight)
	all.sd = f.S
	f.pools = []pool{all}
	return f, nil
}

// pool has the residuals of rounds of the given total weight, centred, and what their processes contribute to Theta. It returns the sum of
// squared residuals too.
//
// The residual of a process has the variance S²(1 - h), with the leverage h = 1/n + x²/W, where n are the processes of its round and x
// is 1 for head and 0 for base less the mean of that in the round. In a round of two and four that is less for base than for head, so
// each is put over √(1 - h) before they make up one pool (Davison and Hinkley 1997, "Bootstrap Methods and their Application", 6.2.3).
func (f RoundFit) pool(rounds []Round, total float64) (p pool, squares float64) {
	for _, r := range rounds {
		n, head := float64(r.Processes()), float64(len(r.Head))/float64(r.Processes())
		level := (sum(r.Base) + sum(r.Head) - f.Theta*float64(len(r.Head))) / n
		residuals := func(values []float64, expected, x float64) {
			left := math.Sqrt(1 - 1/n - x*x/total)
			for _, y := range values {
				squares += (y - expected) * (y - expected)
				p.residuals = append(p.residuals, (y-expected)/left)
			}
		}
		residuals(r.Base, level, head)
		residuals(r.Head, level+f.Theta, 1-head)
		share := r.weight() / total
		p.contribute(share/float64(len(r.Base)), 0, len(r.Base))
		p.contribute(share/float64(len(r.Head)), len(r.Head), 0)
	}
	p.residuals = centred(p.residuals)
	return p, squares
}

// contribute counts processes by their coefficient in Theta.
func (p *pool) contribute(coefficient float64, plus, minus int) {
	for i, d := range p.draws {
		if d.coefficient == coefficient {
			p.draws[i].plus += plus
			p.draws[i].minus += minus
			return
		}
	}
	p.draws = append(p.draws, draw{coefficient: coefficient, plus: plus, minus: minus})
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
