package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// linear is the fit of rounds as a textbook has it: a design matrix with a column a round and one for head, the normal equations, and
// the hat matrix. It shares nothing with FitRounds but the model.
type linear struct {
	theta, s, se, df float64
	coefficients     []float64 // of each process in theta
	scaled           []float64 // residuals over √(1 - leverage)
}

func leastSquares(rounds []Round) (out linear) {
	var design [][]float64
	var ys []float64
	columns := len(rounds) + 1
	add := func(round int, y, head float64) {
		row := make([]float64, columns)
		row[round], row[columns-1] = 1, head
		design, ys = append(design, row), append(ys, y)
	}
	for i, r := range rounds {
		for _, y := range r.Base {
			add(i, y, 0)
		}
		for _, y := range r.Head {
			add(i, y, 1)
		}
	}
	normal := make([][]float64, columns)
	for i := range normal {
		normal[i] = make([]float64, columns)
		for j := range normal[i] {
			for _, row := range design {
				normal[i][j] += row[i] * row[j]
			}
		}
	}
	inverse := inverted(normal)
	solution := make([]float64, columns)
	for k, row := range design {
		for i := range solution {
			for j := range row {
				solution[i] += inverse[i][j] * row[j] * ys[k]
			}
		}
	}
	out.theta, out.df = solution[columns-1], float64(len(ys)-columns)
	squares := 0.0
	for k, row := range design {
		expected, leverage, coefficient := 0.0, 0.0, 0.0
		for i := range row {
			expected += row[i] * solution[i]
			coefficient += inverse[columns-1][i] * row[i]
			for j := range row {
				leverage += row[i] * inverse[i][j] * row[j]
			}
		}
		squares += (ys[k] - expected) * (ys[k] - expected)
		out.coefficients = append(out.coefficients, coefficient)
		out.scaled = append(out.scaled, (ys[k]-expected)/math.Sqrt(1-leverage))
	}
	out.s = math.Sqrt(squares / out.df)
	out.se = out.s * math.Sqrt(inverse[columns-1][columns-1])
	return out
}

// inverted is the inverse of a matrix by elimination with a pivot.
func inverted(m [][]float64) [][]float64 {
	n := len(m)
	for i := range m {
		m[i] = append(slices.Clone(m[i]), make([]float64, n)...)
		m[i][n+i] = 1
	}
	for i := range m {
		pivot := i
		for j := i; j < n; j++ {
			if math.Abs(m[j][i]) > math.Abs(m[pivot][i]) {
				pivot = j
			}
		}
		m[i], m[pivot] = m[pivot], m[i]
		by := m[i][i]
		for k := range m[i] {
			m[i][k] /= by
		}
		for j := range m {
			if factor := m[j][i]; j != i {
				for k := range m[j] {
					m[j][k] -= factor * m[i][k]
				}
			}
		}
	}
	out := make([][]float64, n)
	for i := range m {
		out[i] = m[i][n:]
	}
	return out
}

// Rounds of any sizes are fitted as least squares fit them.
func TestFitRoundsIsLeastSquares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rounds := drawRounds(t)
		fit, err := FitRounds(rounds, 0)
		if err != nil {
			t.Skip(err)
		}
		want := leastSquares(rounds)
		for name, pair := range map[string][2]float64{
			"theta": {fit.Theta, want.theta}, "s": {fit.S, want.s}, "se": {fit.SE, want.se}, "df": {fit.DF, want.df},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-10 {
				t.Fatalf("%s is %v, least squares say %v", name, pair[0], pair[1])
			}
		}
		var size Size
		for _, r := range rounds {
			size = size.Add(len(r.Base), len(r.Head))
		}
		if size.DF != fit.DF || math.Abs(fit.S/math.Sqrt(size.Weight)-fit.SE) > 1e-12 {
			t.Fatalf("size %+v of a fit with %v degrees of freedom, s %v and se %v", size, fit.DF, fit.S, fit.SE)
		}
		mean := sum(want.scaled) / float64(len(want.scaled))
		for i, e := range fit.pools[0].residuals {
			if math.Abs(e-(want.scaled[i]-mean)) > 1e-9 {
				t.Fatalf("residual %d is %v, by the hat matrix %v", i, e, want.scaled[i]-mean)
			}
		}
	})
}

// opening are rounds as a run begins with: two of two and four processes, and more of two and two.
func opening(more int, noise func() float64) []Round {
	side := func(n int) (out []float64) {
		for range n {
			out = append(out, noise())
		}
		return out
	}
	rounds := []Round{{side(2), side(4)}, {side(2), side(4)}}
	for range more {
		rounds = append(rounds, Round{side(2), side(2)})
	}
	return rounds
}

// What the bootstrap computes is what drawing a residual for each process, and fitting again, comes to.
func TestBootstrapOfUnevenRoundsIsFittingAgain(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 8))
	heavy := func() float64 { return random.NormFloat64() / math.Sqrt(random.ExpFloat64()) }
	for _, more := range []int{0, 2, 6} {
		rounds := opening(more, heavy)
		fit, err := FitRounds(rounds, 0)
		must(t, err)
		slow := leastSquares(rounds)
		pool := rescaled(centred(slow.scaled), slow.s)
		const count = 100_000
		shifts := make([]float64, count)
		for i := range shifts {
			for _, c := range slow.coefficients {
				shifts[i] += c * pool[random.IntN(len(pool))]
			}
		}
		for _, alpha := range []float64{0.0005, 0.02} {
			tail := tailMass(alpha, fit.DF)
			low, high := only(fit.BootstrapBounds(alpha))
			slack, cells := 5*math.Sqrt(tail/count), 2*2*gridSpan*fit.SE/gridSize
			below := func(x float64) float64 { return atMost(shifts, x-fit.Theta) }
			if below(low-cells) > tail+slack || below(low+cells) < tail-slack || below(high+cells) < 1-tail-slack || below(high-cells) > 1-tail+slack {
				t.Errorf("%d more rounds, tail %v: [%v, %v] has %v and %v below", more, tail, low, high, below(low), below(high))
			}
		}
	}
}

// Bounds of uneven rounds hold as often as they say, at the first look and later.
func TestBoundsOfUnevenRoundsCover(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	const alpha, trials = 0.01, 20_000
	for _, more := range []int{0, 2} {
		missed := 0
		for range trials {
			fit, err := FitRounds(opening(more, random.NormFloat64), 0)
			must(t, err)
			if low, _ := fit.TBounds(alpha); low > 0 {
				missed++
			}
		}
		if rate := float64(missed) / trials; math.Abs(rate-alpha) > 4*math.Sqrt(alpha/trials) {
			t.Errorf("%d more rounds: Student's lower bound is over the shift in %v of trials, want %v", more, rate, alpha)
		}
	}
}
