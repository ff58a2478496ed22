package profile

import (
	"strconv"
	"strings"
)

// bases are the spellings of units that versions of ncu use, without prefix.
var bases = map[string]string{
	"byte": "byte", "bytes": "byte", "b": "byte",
	"second": "second", "seconds": "second", "sec": "second", "s": "second",
	"hz": "hz", "Hz": "hz",
	"cycle": "cycle", "cycles": "cycle",
	"inst": "inst", "sector": "sector", "sectors": "sector",
}

// prefixes are decimal in ncu: 1 Kbyte is 1000 bytes.
var prefixes = []struct {
	text   string
	factor float64
}{{"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"P", 1e15}, {"n", 1e-9}, {"u", 1e-6}, {"m", 1e-3}}

// baseUnit is the unit that a value of the given one is expressed in after multiplying it by factor: byte, second, hz, %
// and fractions of such words. Cycles per second are hz. A word that is not known stays as it is.
func baseUnit(unit string) (base string, factor float64) {
	above, below, isFraction := strings.Cut(strings.TrimSpace(unit), "/")
	base, factor = baseWord(above)
	if !isFraction {
		return base, factor
	}
	under, divisor := baseWord(below)
	if base == "cycle" && under == "second" {
		return "hz", factor / divisor
	}
	return base + "/" + under, factor / divisor
}

func baseWord(word string) (base string, factor float64) {
	if known, ok := bases[word]; ok {
		return known, 1
	}
	for _, p := range prefixes {
		if known, ok := bases[strings.TrimPrefix(word, p.text)]; ok && strings.HasPrefix(word, p.text) {
			return known, p.factor
		}
	}
	return word, 1
}

// number reads a value as ncu prints it: with or without commas between thousands, or, where an old version followed the
// locale, with a comma for the decimal point. ok is false for words, "no data", nan and infinities.
func number(text string) (value float64, ok bool) {
	text = strings.TrimSpace(text)
	if strings.Contains(text, ",") {
		if groups(text) {
			text = strings.ReplaceAll(text, ",", "")
		} else {
			text = strings.Replace(text, ",", ".", 1)
		}
	}
	if text == "" || strings.Trim(text, "+-.0123456789eE") != "" || strings.HasPrefix(text, "e") || strings.HasPrefix(text, "E") {
		return 0, false // ParseFloat knows hexadecimal, underscores, nan and infinities as well
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}

// groups says whether every comma has three digits behind it, up to the next one or the point.
func groups(text string) bool {
	whole, rest, _ := strings.Cut(text, ".")
	if strings.Contains(rest, ",") {
		return false
	}
	parts := strings.Split(whole, ",")
	for _, part := range parts[1:] {
		if len(part) != 3 {
			return false
		}
	}
	return strings.Trim(parts[0], "+-") != ""
}
