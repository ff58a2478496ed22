package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Minus is as wide as a plus, so that signed columns line up.
const Minus = "−"

// Blank stands where nothing was measured.
const Blank = "–"

var timeUnits = []struct {
	ns   float64
	name string
}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}}

// Duration writes ns with three significant digits in the largest unit that leaves it above 1.
func Duration(ns float64) string {
	unit, name := timeUnit(ns)
	return Digits(ns/unit, Decimals(ns/unit)) + " " + name
}

// Durations writes two times that will be compared by eye in the unit of the smaller, unless they are worlds apart.
func Durations(a, b float64) (string, string) {
	small, large := min(a, b), max(a, b)
	if small <= 0 || large/small >= 100 {
		return Duration(a), Duration(b)
	}
	unit, name := timeUnit(small)
	return Digits(a/unit, Decimals(a/unit)) + " " + name, Digits(b/unit, Decimals(b/unit)) + " " + name
}

func timeUnit(ns float64) (float64, string) {
	for _, u := range timeUnits {
		if ns >= 0.9995*u.ns { // what rounds to 1000 of a unit is 1 of the next
			return u.ns, u.name
		}
	}
	return 1, "ns"
}

// Decimals is how many places show three significant digits of x, at most two.
func Decimals(x float64) int {
	switch x = math.Abs(x); {
	case x >= 99.95:
		return 0
	case x >= 9.995:
		return 1
	}
	return 2
}

// Digits writes x with so many places.
func Digits(x float64, places int) string { return fmt.Sprintf("%.*f", places, x) }

// Number writes x with three significant digits, thousands apart.
func Number(x float64) string {
	places := 0
	if x > 0 && x < 0.01 {
		return "<0.01"
	}
	if x > 0 && x < 99.95 {
		places = min(2-int(math.Floor(math.Log10(x))), 6)
	}
	whole, rest, _ := strings.Cut(Digits(x, places), ".")
	for i := len(whole) - 3; i > 0 && len(whole) > 4; i -= 3 {
		whole = whole[:i] + " " + whole[i:]
	}
	if rest != "" {
		return whole + "." + rest
	}
	return whole
}

// Percent writes a measured share with two significant digits, as far as they mean anything: 0.0123 is "1.2 %".
func Percent(share float64) string {
	x := 100 * share
	switch {
	case x == 0:
		return "0 %"
	case x >= 9.95:
		return Digits(x, 0) + " %"
	case x >= 0.995:
		return Digits(x, 1) + " %"
	}
	return Digits(x, 2) + " %"
}

// Limit writes a share of the configuration with all the digits that it has there.
func Limit(share float64) string {
	percent := math.Round(share*1e10) / 1e8
	if whole := percent * 1e4; math.Abs(whole-math.Round(whole)) > 1e-3 { // nobody has written it: it follows from a floor
		percent, _ = strconv.ParseFloat(strconv.FormatFloat(percent, 'g', 3, 64), 64)
	}
	return strconv.FormatFloat(percent, 'f', -1, 64) + " %"
}

// Signed writes a relative change with its sign and the given places, without the percent sign.
func Signed(change float64, places int) string {
	s := Digits(100*change, places)
	if !strings.HasPrefix(s, "-") {
		return "+" + s
	}
	if strings.Trim(s, "-0.") == "" { // -0.00: which side of zero it is on cannot be seen
		return "+" + s[1:]
	}
	return Minus + s[1:]
}

// Change writes a relative change with its sign and the given places: 0.0312 is "+3.1 %".
func Change(share float64, places int) string { return Signed(share, places) + " %" }

// SignedDelta writes Cliff's delta.
func SignedDelta(d float64) string { return Signed(d/100, 2) }

// Times writes a ratio as a factor with three significant digits.
func Times(ratio float64) string { return Digits(ratio, Decimals(ratio)) + "x" }

// Bytes writes a size in binary units.
func Bytes(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	x, i := float64(n), 0
	for x >= 1024 && i < len(units)-1 {
		x, i = x/1024, i+1
	}
	s := strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0")
	return s + " " + units[i]
}

// Elapsed writes seconds of the run as people say them: 0.4 s, 52 s, 2 min 13 s, 1 h 5 min.
func Elapsed(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case seconds < 9.95:
		return fmt.Sprintf("%.1f s", seconds)
	case seconds < 59.5:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 3600:
		d = d.Round(time.Second)
		return strings.TrimSuffix(fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60), " 0 s")
	}
	d = d.Round(time.Minute)
	return strings.TrimSuffix(fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60), " 0 min")
}

// Count writes n things; the plural has an s unless it is given.
func Count(n int, one string, many ...string) string {
	switch {
	case n == 1:
		return "1 " + one
	case len(many) > 0:
		return fmt.Sprintf("%d %s", n, many[0])
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// Scaled writes a quantity with a decimal prefix.
func Scaled(x float64, unit string) string {
	if math.Abs(x) < 1000 && x == math.Trunc(x) {
		return strings.TrimSpace(Digits(x, 0) + " " + unit)
	}
	prefix := ""
	for _, p := range []string{"k", "M", "G", "T", "P"} {
		if math.Abs(x) < 999.5 {
			break
		}
		x /= 1000
		prefix = p
	}
	return strings.TrimSpace(Digits(x, Decimals(x)) + " " + prefix + unit)
}
