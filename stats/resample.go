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

// resampling is one side of a bootstrap: the mean of n values drawn from a pool that is centred on 0.
type resampling struct {
	pool []float64
	n    int
}

// variance returns that of the mean.
func (r resampling) variance() float64 {
	return sumSquares(r.pool) / float64(len(r.pool)) / float64(r.n)
}

// resampledShift returns the points that the resampled shift (mean of head less mean of base plus a normal error of
// the given standard deviation) stays below and stays above with the chance of each tail. The pools must have some spread.
func resampledShift(base, head resampling, normalSD float64, tails []float64) []Bounds {
	g := grids.Get().(*grid)
	defer grids.Put(g)
	variance := base.variance() + head.variance() + normalSD*normalSD
	g.stepFor(math.Sqrt(variance))
	onGrid := normalSD*normalSD + g.transform(head)
	for k, f := range g.spectrum {
		g.product[k] = power(f, head.n)
	}
	onGrid += g.transform(base)
	for k, f := range g.spectrum {
		g.product[k] *= power(cmplx.Conj(f), base.n) // the conjugate turns the sign
	}
	if normalSD > 0 {
		g.blur(normalSD)
	}
	g.step *= math.Sqrt(variance / onGrid)
	return g.bounds(tails)
}

// pooledShift is resampledShift for two sides that draw alike from one pool: only the magnitude of the transform
// remains, and the distribution is symmetric.
func pooledShift(side resampling, tails []float64) []Bounds {
	g := grids.Get().(*grid)
	defer grids.Put(g)
	variance := side.variance()
	g.stepFor(math.Sqrt(2 * variance))
	onGrid := g.transform(side)
	for k, f := range g.spectrum {
		g.product[k] = complex(realPower(real(f)*real(f)+imag(f)*imag(f), side.n), 0)
	}
	g.step *= math.Sqrt(variance / onGrid)
	return g.bounds(tails)
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

// transform puts the transform of one draw's share of a side's mean into spectrum. A value between two cells is
// shared between them, which keeps its mean and adds a little to its variance: the variance of the side's mean on the
// grid is returned, for the step to make up for it.
func (g *grid) transform(r resampling) (onGrid float64) {
	clear(g.cells)
	chance := 1 / float64(len(r.pool))
	scale := 1 / (float64(r.n) * g.step)
	square := 0.0
	for _, e := range r.pool {
		at := e * scale
		below := math.Floor(at)
		part := at - below
		i := int(below) & (gridSize - 1)
		g.cells[i] += chance * (1 - part)
		g.cells[(i+1)&(gridSize-1)] += chance * part
		square += chance * (at*at + part*(1-part))
	}
	g.fft.Coefficients(g.spectrum, g.cells)
	return square * g.step * g.step * float64(r.n)
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
