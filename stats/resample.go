package stats

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/dsp/fourier"
)

// The bootstrap of a difference of means needs no drawing: the sum of independent draws from a pool has the n-fold
// convolution of the pool as its distribution, and convolutions are products of Fourier transforms. This is what
// endless resamples approach (Efron and Tibshirani 1993, "An Introduction to the Bootstrap", section 6.4, on ideal
// bootstrap estimates), to the width of a grid cell: the same input gives the same bounds, without a seed.

const (
	gridSize = 2048 // cells, a power of two
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
// the given standard deviation) stays below and stays above with chance tail. The pools must have some spread.
func resampledShift(base, head resampling, normalSD, tail float64) (low, high float64) {
	sd := math.Sqrt(base.variance() + head.variance() + normalSD*normalSD)
	g := grids.Get().(*grid)
	defer grids.Put(g)
	g.step = 2 * gridSpan * sd / gridSize
	for k := range g.product {
		omega := 2 * math.Pi * float64(k) / gridSize * normalSD / g.step
		g.product[k] = complex(math.Exp(-omega*omega/2), 0)
	}
	g.multiply(head, 1)
	g.multiply(base, -1)
	g.fft.Sequence(g.cells, g.product)
	return -g.exceeded(tail, -1), g.exceeded(tail, 1)
}

// grid is the working memory of a convolution. Cell i of cells is the chance of a value about i·step, cells in the
// upper half standing for negative values.
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

// multiply brings the mean of a side, times sign, into the product of transforms.
func (g *grid) multiply(r resampling, sign float64) {
	clear(g.cells)
	chance := 1 / float64(len(r.pool))
	for _, e := range r.pool {
		// A value between two cells is shared between them, which keeps its mean.
		at := sign * e / float64(r.n) / g.step
		below := math.Floor(at)
		part := at - below
		i := int(below) & (gridSize - 1)
		g.cells[i] += chance * (1 - part)
		g.cells[(i+1)&(gridSize-1)] += chance * part
	}
	g.fft.Coefficients(g.spectrum, g.cells)
	for k, f := range g.spectrum {
		g.product[k] *= power(f, r.n)
	}
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

// exceeded returns the point that the value, times sign, exceeds with chance tail, between the cells by
// interpolation.
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
	return -gridSpan * g.step * gridSize
}
