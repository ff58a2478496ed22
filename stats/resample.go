package stats

import (
	"math"
	"math/cmplx"
	"sync"

	"gonum.org/v1/gonum/dsp/fourier"
)

// The bootstrap of a difference of means needs no drawing: the sum of independent draws from a pool has the n-fold
// convolution of the pool as its distribution, and convolutions are products of Fourier transforms. This is what
// endless resamples approach (Efron and Tibshirani 1993, "An Introduction to the Bootstrap", section 6.4, on ideal
// bootstrap estimates), to the width of a grid cell: the same input gives the same bounds, without a seed.

const (
	gridSize = 1024 // cells, a power of two
	gridSpan = 12   // standard deviations from the middle of the grid to its ends
)

// draw is what a bootstrap draws from one pool, which is centred on 0: so many values that are added and so many that are taken away,
// each times a coefficient.
type draw struct {
	pool        []float64
	coefficient float64
	plus, minus int
}

// variance returns that of what is drawn.
func (d draw) variance() float64 {
	return sumSquares(d.pool) / float64(len(d.pool)) * d.coefficient * d.coefficient * float64(d.plus+d.minus)
}

// resampledShift returns the points that the resampled shift (all draws plus a normal error of the given standard deviation) stays
// below and stays above with the chance of each tail. The pools must have some spread.
func resampledShift(draws []draw, normalSD float64, tails []float64) []Bounds {
	g := grids.Get().(*grid)
	defer grids.Put(g)
	variance := normalSD * normalSD
	for _, d := range draws {
		variance += d.variance()
	}
	g.stepFor(math.Sqrt(variance))
	onGrid := normalSD * normalSD
	for i, d := range draws {
		onGrid += g.transform(d)
		for k, f := range g.spectrum {
			p := drawn(f, d.plus, d.minus)
			if i > 0 {
				p *= g.product[k]
			}
			g.product[k] = p
		}
	}
	if normalSD > 0 {
		g.blur(normalSD)
	}
	g.step *= math.Sqrt(variance / onGrid)
	return g.bounds(tails)
}

// drawn is f^plus times its conjugate, which turns the sign, to the power of minus. What is added as often as taken away leaves only the
// magnitude.
func drawn(f complex128, plus, minus int) complex128 {
	both := complex(realPower(real(f)*real(f)+imag(f)*imag(f), min(plus, minus)), 0)
	switch {
	case plus > minus:
		return both * power(f, plus-minus)
	case minus > plus:
		return both * power(cmplx.Conj(f), minus-plus)
	}
	return both
}

// grid is the working memory of a convolution. Cell i is the chance of a value about i·step; cells in the upper half
// stand for negative values.
type grid struct {
	fft      *fourier.FFT
	step     float64
	cells    []float64
	spectrum []complex128
	product  []complex128
}

var grids = sync.Pool{New: func() any {
	return &grid{
		fft:      fourier.NewFFT(gridSize),
		cells:    make([]float64, gridSize),
		spectrum: make([]complex128, gridSize/2+1),
		product:  make([]complex128, gridSize/2+1),
	}
}}

func (g *grid) stepFor(sd float64) { g.step = 2 * gridSpan * sd / gridSize }

// transform puts the transform of one value of a draw, times its coefficient, into spectrum. A value between two cells is shared between
// them, which keeps its mean and adds a little to its variance: the variance of the whole draw on the grid is returned, for the step to
// make up for it.
func (g *grid) transform(d draw) (onGrid float64) {
	clear(g.cells)
	chance := 1 / float64(len(d.pool))
	scale := d.coefficient / g.step
	square := 0.0
	for _, e := range d.pool {
		at := e * scale
		below := math.Floor(at)
		part := at - below
		i := int(below) & (gridSize - 1)
		g.cells[i] += chance * (1 - part)
		g.cells[(i+1)&(gridSize-1)] += chance * part
		square += chance * (at*at + part*(1-part))
	}
	g.fft.Coefficients(g.spectrum, g.cells)
	return square * g.step * g.step * float64(d.plus+d.minus)
}

// blur adds a normal error.
func (g *grid) blur(sd float64) {
	for k := range g.product {
		omega := 2 * math.Pi * float64(k) / gridSize * sd / g.step
		g.product[k] *= complex(math.Exp(-omega*omega/2), 0)
	}
}

// bounds transforms the product back and returns the points that are exceeded downwards and upwards with the chance of each tail.
func (g *grid) bounds(tails []float64) []Bounds {
	g.fft.Sequence(g.cells, g.product)
	out := make([]Bounds, len(tails))
	for i, tail := range tails {
		out[i] = Bounds{Low: -g.exceeded(tail, -1), High: g.exceeded(tail, 1)}
	}
	return out
}

// exceeded returns the point that the value, times sign, exceeds with chance tail, interpolated within its cell.
func (g *grid) exceeded(tail float64, sign int) float64 {
	above := 0.0
	for i := gridSize/2 - 1; i > -gridSize/2; i-- {
		// The inverse transform is unnormalised; rounding may leave a cell a hair below 0.
		chance := max(0, g.cells[(sign*i)&(gridSize-1)]) / gridSize
		if above+chance > tail {
			return (float64(i) + 0.5 - (tail-above)/chance) * g.step
		}
		above += chance
	}
	return -gridSize / 2 * g.step
}

// power returns f^n by repeated squaring.
func power(f complex128, n int) complex128 {
	result := complex(1, 0)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			result *= f
		}
		f *= f
	}
	return result
}

func realPower(f float64, n int) float64 {
	result := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			result *= f
		}
		f *= f
	}
	return result
}
