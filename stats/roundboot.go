package stats

import "math"

// minResamples is the fewest resamples of which the tail still means something.
const minResamples = 100

// BootstrapBounds returns Theta plus the tail quantiles of the shift that chance alone makes: resamples times, as
// many residuals as a side has processes are drawn for each side from the pool of both, rescaled to S. The tail mass
// is max(Φ(-t), 10/resamples), t = t(1-alpha, DF): Student's widening carried over to the percentiles (Hesterberg
// 2015, "What teachers should know about the bootstrap", The American Statistician 69(4)), and no further out than
// ten resamples reach. Swapping the sides of a resample gives one that is as likely, so each draw counts with both
// signs and the bounds are symmetric.
//
// It is wider than TBounds where residuals have heavy tails or two modes and rounds are few. Equal seeds give equal
// bounds. Residuals that are all 0 (S is the floor) give TBounds. An alpha outside (0, 0.5] or fewer than 100
// resamples give NaN, which no comparison accepts.
func (f RoundFit) BootstrapBounds(alpha float64, resamples int, seed uint64) (lo, hi float64) {
	if !(alpha > 0 && alpha <= 0.5) || resamples < minResamples {
		return math.NaN(), math.NaN()
	}
	pool := rescaled(f.residuals, f.S)
	if pool == nil {
		return f.TBounds(alpha)
	}
	draws := make([]float64, (resamples+1)/2)
	random := splitMix(seed)
	for i := range draws {
		draws[i] = math.Abs(random.difference(pool, f.perSide))
	}
	mass := tailMass(alpha, f.DF, resamples)
	// Of the draws with both signs, the k largest are the k largest magnitudes.
	k := min(int(math.Ceil(mass*float64(2*len(draws)))), len(draws))
	half := kthLargest(draws, k)
	return f.Theta - half, f.Theta + half
}

func tailMass(alpha, df float64, resamples int) float64 {
	return min(0.5, max(normalTail(upperT(alpha, df)), 10/float64(resamples)))
}

// rescaled returns residuals about 0 scaled to a standard deviation of s, or nil if they are all 0.
func rescaled(residuals []float64, s float64) []float64 {
	sd := math.Sqrt(sumSquares(residuals) / float64(len(residuals)))
	if sd == 0 {
		return nil
	}
	pool := make([]float64, len(residuals))
	for i, e := range residuals {
		pool[i] = e * (s / sd)
	}
	return pool
}

// splitMix is the generator of Steele, Lea and Flood (2014), "Fast splittable pseudorandom number generators",
// OOPSLA. It is inlined where math/rand's interface is not, and the bootstrap spends its time here.
type splitMix uint64

func (r *splitMix) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// difference draws n values a side from pool and returns the difference of their means.
func (r *splitMix) difference(pool []float64, n int) float64 {
	return r.mean(pool, n) - r.mean(pool, n)
}

// indexBits is how many random bits choose an index, so that one 64-bit number chooses three. Scaling them to the
// length of a pool of a few hundred is uneven by less than one part in a thousand of a percent.
const indexBits = 21

// mean draws n values from pool and returns their mean.
func (r *splitMix) mean(pool []float64, n int) float64 {
	const mask = 1<<indexBits - 1
	size := uint64(len(pool))
	var a, b, c float64
	left := n
	for ; left >= 3; left -= 3 {
		z := r.next()
		a += pool[(z&mask)*size>>indexBits]
		b += pool[(z>>indexBits&mask)*size>>indexBits]
		c += pool[(z>>(2*indexBits)&mask)*size>>indexBits]
	}
	for z := r.next(); left > 0; left-- {
		a += pool[(z&mask)*size>>indexBits]
		z >>= indexBits
	}
	return (a + b + c) / float64(n)
}

// kthLargest returns the k-th largest value, 1 <= k <= len(xs), and reorders xs (Hoare's selection).
func kthLargest(xs []float64, k int) float64 {
	lo, hi, want := 0, len(xs)-1, len(xs)-k
	for lo < hi {
		pivot := xs[lo+(hi-lo)/2]
		i, j := lo, hi
		for i <= j {
			for xs[i] < pivot {
				i++
			}
			for xs[j] > pivot {
				j--
			}
			if i <= j {
				xs[i], xs[j] = xs[j], xs[i]
				i++
				j--
			}
		}
		switch {
		case want <= j:
			hi = j
		case want >= i:
			lo = i
		default:
			return xs[want]
		}
	}
	return xs[want]
}
