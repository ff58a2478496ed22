package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/changepoint"
)

// LeastLevel is the fewest neighbouring values that make a level: fewer are spikes.
const LeastLevel = 3

// Shifts finds where a series (oldest value first) changes its level: the indices at which new levels begin, rising. A level
// has at least LeastLevel values, so a single spike is no level. sd is a standard deviation that values of one level are known to
// have at least, and least the smallest change that counts, both in the unit of the series; 0 if nothing is known, or any change counts.
//
// ED-PELT (Haynes, Fearnhead and Eckley 2017) proposes the places. It tells distributions apart and proposes one in half of
// all series of pure noise, so each place has to be confirmed: as long as the medians of two neighbouring levels are not clearly
// apart, the weakest place goes. TestShiftsOfNoise counts what is left by chance.
func Shifts(series []float64, sd, least float64) []int {
	places := changepoint.NonParametric(series, LeastLevel)
	for j := range places {
		from, to := around(places, j, len(series))
		places[j] = from + bestPlace(series[from:to], places[j]-from)
	}
	sd = max(sd, StepScatter(series))
	if sd == 0 {
		return places // levels without any scatter
	}
	clear := clearlyApart(len(series))
	for len(places) > 0 {
		weakest, i := math.Inf(1), 0
		for j := range places {
			change, err := medianChange(series, places, j)
			apart := change / (clear * sd * err)
			if least > 0 {
				apart = min(apart, change/least)
			}
			if apart < weakest {
				weakest, i = apart, j
			}
		}
		if weakest >= 1 {
			break
		}
		places = slices.Delete(places, i, i+1)
	}
	return places
}

// StepScatter is the standard deviation of a value around its level, from the median absolute difference of neighbours, so that
// shifts of the level do not count as noise. 0 with fewer than two values.
func StepScatter(series []float64) float64 {
	var steps []float64
	for i := 1; i < len(series); i++ {
		steps = append(steps, math.Abs(series[i]-series[i-1]))
	}
	middle, err := Median(steps)
	if err != nil {
		return 0
	}
	return middle * normalMAD / math.Sqrt2
}

// clearlyApart is how many standard errors two levels differ by at least, in a series of n: about one chance in 400 over all of its
// places, and never fewer than 4, since the scatter is estimated.
func clearlyApart(n int) float64 {
	const chance = 1. / 400
	return max(4, distuv.UnitNormal.Quantile(1-chance/float64(2*max(n, 1))))
}

// around are the ends of the two levels that meet at places[j], in a series of n.
func around(places []int, j, n int) (from, to int) {
	to = n
	if j > 0 {
		from = places[j-1]
	}
	if j+1 < len(places) {
		to = places[j+1]
	}
	return from, to
}

// bestPlace moves a place to where the values lie nearest to the medians of their levels: ED-PELT looks at a few quantiles only, and
// may miss it by a value or two.
func bestPlace(series []float64, at int) int {
	best, least := at, math.Inf(1)
	for i := max(LeastLevel, at-LeastLevel); i <= min(len(series)-LeastLevel, at+LeastLevel); i++ {
		if far := farFromMedian(series[:i]) + farFromMedian(series[i:]); far < least {
			best, least = i, far
		}
	}
	return best
}

func farFromMedian(level []float64) (sum float64) {
	middle, _ := Median(level) // never empty
	for _, x := range level {
		sum += math.Abs(x - middle)
	}
	return sum
}

// medianChange is what lies between the medians of the two levels that meet at places[j], and its standard error where values scatter by 1.
func medianChange(series []float64, places []int, j int) (change, err float64) {
	from, to := around(places, j, len(series))
	at := places[j]
	before, _ := Median(series[from:at]) // never empty
	after, _ := Median(series[at:to])
	const ofMedian = math.Pi / 2 // variance of a normal sample's median over that of its mean
	return math.Abs(after - before), math.Sqrt(ofMedian * (1/float64(at-from) + 1/float64(to-at)))
}
