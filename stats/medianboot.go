package stats

import (
	"cmp"
	"math"
	"slices"
)

// MedianBootstrap is the distribution of the median of a resample with replacement, exact, without resampling: what
// a percentile bootstrap of the median approaches with endless resamples.
type MedianBootstrap struct {
	values []float64 // ascending, distinct
	upTo   []float64 // P(median of a resample <= values[i])
}

// negligibleMass is where the sums of the closed form stop: a million such terms do not change a percentile.
const negligibleMass = 1e-19

// NewMedianBootstrap returns the bootstrap distribution of the median of xs, in the unit of xs. With n odd the
// median of a resample is at most x_(k) if at least (n+1)/2 of n draws fall on the k smallest values, a binomial
// chance (Efron 1979, "Bootstrap methods: another look at the jackknife", section 3; Maritz and Jarrett 1978). With n
// even it is the mean of two neighbours in the resample, whose joint chance is a product of powers.
//
// Constant and tied input is fine. Empty input and NaN or infinite values are errors.
func NewMedianBootstrap(xs []float64) (MedianBootstrap, error) {
	if err := checkFinite("median bootstrap", xs); err != nil {
		return MedianBootstrap{}, err
	}
	sorted := sortedCopy(xs)
	if len(sorted)%2 == 1 {
		return collect(oddMedians(sorted)), nil
	}
	return collect(evenMedians(sorted)), nil
}

// Quantile returns the smallest value that the median of a resample stays at or below with probability p.
func (b MedianBootstrap) Quantile(p float64) float64 {
	i, _ := slices.BinarySearch(b.upTo, p)
	return b.values[min(i, len(b.values)-1)]
}

// BootstrapMedian returns the median of xs with its percentile bootstrap interval, exact (see NewMedianBootstrap).
// Values must be independent: launches of one process are not, medians of processes are.
//
// Empty input, NaN or infinite values and a confidence outside (0, 1) are errors. Constant input gives an interval of
// no width.
func BootstrapMedian(xs []float64, confidence float64) (Interval, error) {
	if err := checkOpen("confidence", confidence, 0, 1); err != nil {
		return Interval{}, err
	}
	b, err := NewMedianBootstrap(xs)
	if err != nil {
		return Interval{}, err
	}
	median, err := Median(xs)
	tail := (1 - confidence) / 2
	return Interval{Estimate: median, Low: b.Quantile(tail), High: b.Quantile(1 - tail), Confidence: confidence}, err
}

type mass struct{ value, chance float64 }

func oddMedians(sorted []float64) []mass {
	n := len(sorted)
	middle := (n + 1) / 2
	masses := make([]mass, 0, n)
	before := 0.0
	for k := 1; k <= n; k++ {
		upTo := BinomialAtLeast(middle, n, float64(k)/float64(n))
		masses = append(masses, mass{sorted[k-1], upTo - before})
		before = upTo
	}
	return masses
}

// evenMedians lists P(lower middle is x_(i), upper middle is x_(j)). For i < j, half of the draws are at most x_(i)
// with x_(i) among them, and half at least x_(j) with x_(j) among them:
// n!/(h! h!) · ((i/n)^h - ((i-1)/n)^h) · (((n-j+1)/n)^h - ((n-j)/n)^h), h = n/2.
func evenMedians(sorted []float64) []mass {
	n := len(sorted)
	h := n / 2
	scale := logChoose(n, h)
	masses := make([]mass, 0, n)
	before := 0.0
	for i := 1; i <= n; i++ {
		upTo := BinomialAtLeast(h, n, float64(i)/float64(n))
		lower := upTo - before
		before = upTo
		if lower < negligibleMass {
			continue
		}
		atI := powerStep(i, n, h)
		above := math.Exp(scale + atI + float64(h)*math.Log(float64(n-i)/float64(n)))
		masses = append(masses, mass{sorted[i-1], max(0, lower-above)})
		for j := i + 1; j <= n; j++ {
			p := math.Exp(scale + atI + powerStep(n-j+1, n, h))
			if p < negligibleMass {
				break
			}
			masses = append(masses, mass{midpoint(sorted[i-1], sorted[j-1]), p})
		}
	}
	return masses
}

// powerStep returns ln((i/n)^h - ((i-1)/n)^h).
func powerStep(i, n, h int) float64 {
	drop := float64(h) * math.Log1p(-1/float64(i)) // ln of ((i-1)/i)^h; -Inf for i = 1
	return float64(h)*math.Log(float64(i)/float64(n)) + math.Log(-math.Expm1(drop))
}

func collect(masses []mass) MedianBootstrap {
	slices.SortFunc(masses, func(a, b mass) int { return cmp.Compare(a.value, b.value) })
	total := 0.0
	for _, m := range masses {
		total += m.chance
	}
	var b MedianBootstrap
	sum := 0.0
	for i, m := range masses {
		sum += m.chance / total
		if i+1 < len(masses) && masses[i+1].value == m.value {
			continue
		}
		b.values = append(b.values, m.value)
		b.upTo = append(b.upTo, sum)
	}
	return b
}
