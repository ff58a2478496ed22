package benchmark

import (
	"math"
	"strconv"
	"strings"
)

// grid is what the numbers of a case as they are written tell of the step of the clock behind them: no more than their last digit.
type grid struct {
	samples int
	fineNS  float64 // the smallest step of a last digit
	zeros   int     // with which all of them end, before the point
}

// with adds a number, of which one is so many ns.
func (g grid) with(number string, unitNS float64) grid {
	place, zeros := lastDigit(number)
	step := math.Abs(unitNS) * math.Pow10(place)
	if g.samples == 0 || step < g.fineNS {
		g.fineNS = step
	}
	if g.samples == 0 || zeros < g.zeros {
		g.zeros = zeros
	}
	g.samples++
	return g
}

// step is that of the clock in ns. A clock of milliseconds whose times are written in nanoseconds shows by three zeros, or six, at the end
// of all of them.
func (g grid) step() float64 {
	const fewest = 3 // samples that do not end alike by chance
	if g.samples < fewest {
		return g.fineNS
	}
	return g.fineNS * math.Pow10(g.zeros/3*3)
}

// lastDigit is the place of a number's last digit, as a power of ten, and how many zeros an integer ends with.
func lastDigit(number string) (place, zeros int) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	place, _ = strconv.Atoi(exponent) // none is 0
	if _, decimals, has := strings.Cut(mantissa, "."); has {
		return place - len(decimals), 0
	}
	return place, len(mantissa) - len(strings.TrimRight(mantissa, "0"))
}
