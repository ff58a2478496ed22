package doctor

import (
	"fmt"
	"time"
)

// plural writes a count with its noun, whose plural has an s unless it is given.
func plural(n int, one string, many ...string) string {
	switch {
	case n == 1:
		return "1 " + one
	case len(many) > 0:
		return fmt.Sprintf("%d %s", n, many[0])
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// size writes bytes in binary units, as the rest of perfgate does.
func size(bytes int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	value := float64(bytes)
	unit := 0
	for value >= 1024 && unit < len(units)-1 {
		value /= 1024
		unit++
	}
	if value >= 100 || value == float64(int64(value)) {
		return fmt.Sprintf("%.0f %s", value, units[unit])
	}
	return fmt.Sprintf("%.1f %s", value, units[unit])
}

// percent writes a fraction with two digits that count.
func percent(fraction float64) string {
	p := 100 * fraction
	switch {
	case p >= 10:
		return fmt.Sprintf("%.0f %%", p)
	case p >= 1:
		return fmt.Sprintf("%.1f %%", p)
	}
	return fmt.Sprintf("%.2f %%", p)
}

func duration(ns float64) string {
	d := time.Duration(ns)
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%.1f µs", ns/1e3)
	case d < time.Second:
		return fmt.Sprintf("%.2f ms", ns/1e6)
	}
	return fmt.Sprintf("%.2f s", ns/1e9)
}

func orUnknown(text string) string {
	if text == "" {
		return "(unknown)"
	}
	return text
}
