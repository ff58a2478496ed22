package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/text"
)

// parserOf turns a single value into what it means, or says what is wrong with it and what is allowed.
type parserOf[T any] func(s scalar) (value T, problem, allowed string)

// reading is a parser of any type.
type reading parserOf[any]

// kinds are the single values that there are, by their name in tags.
var kinds = map[string]reading{
	"version":  kind(formatVersion),
	"true":     kind(boolean),
	"line":     kind(line),
	"script":   kind(script),
	"file":     kind(file),
	"name":     kind(checked(checkName)),
	"param":    kind(checked(like(`[A-Za-z_][A-Za-z0-9_]{0,31}`, "a letter or _, then up to 31 of A-Z a-z 0-9 _"))),
	"function": kind(checked(like(`[A-Za-z_][A-Za-z0-9_]{0,127}`, "the name of a function that is decorated with @triton.autotune"))),
	"macro": kind(checked(like(`([A-Za-z_][A-Za-z0-9_]{0,63}\.){0,8}[A-Za-z_][A-Za-z0-9_]{0,31}`,
		"the name of a macro: a letter or _, then up to 31 of A-Z a-z 0-9 _; a constant of Python has its module before it, as in softmax.BLOCK"))),
	"choices":     kind(checked(checkChoices)),
	"choice":      kind(written(like(`[A-Za-z0-9_.+-]{1,64}`, "up to 64 of A-Z a-z 0-9 _ . + -"))),
	"value":       kind(paramValue),
	"interpreter": kind(checked(checkInterpreter)),
	"pattern":     kind(checked(checkPattern)),
	"path":        kind(checked(checkWatched)),
	"rows":        kind(checked(checkRows)),
	"cases":       kind(checked(checkCasePattern)),
	"words":       kind(checked(checkWords)),
	"day":         kind(checked(checkDay)),
	"store":       kind(checked(checkStore)),
	"device":      kind(checked(checkDevice)),
	"adapter":     kind(competitorAdapter),
	"relation":    kind(parseRelation),
	"format":      func(s scalar) (any, string, string) { return word(benchmark.Names()...)(s) },
	"inputs":      kind(word(InputKinds...)),

	"percent tolerance":  kind(percent(tolerable)),
	"percent change":     kind(percent(limits{low: 0, high: 1000})), // ten times upwards is more than any threshold needs
	"percent confidence": kind(percent(limits{low: 50, high: 100, openHigh: true})),
	"percent loss":       kind(percent(limits{low: 0, high: 100})),
	"percent matched":    kind(percent(limits{low: 50, high: 100})),
	"factor":             kind(factor),
	"weight":             kind(number(limits{low: 1e-6, high: 1e6})),
	"budget":             kind(duration("90s or 5m", time.Second, 24*time.Hour)),
	"floor":              kind(duration("0.5us", time.Nanosecond, time.Second)),
	"price":              kind(number(limits{low: 0, high: 1e6})),
	"atol":               kind(number(limits{low: 0, high: maxAbsolute})),
	"rtol":               kind(number(limits{low: 0, high: 1, openHigh: true})), // at 1 an output of zeros passes
	"profiled":           kind(whole(1, 100)),
	"epoch":              kind(whole(1, 1_000_000)),
	"wanted":             kind(whole(1, 100000)),
	"size":               kind(whole(-maxMagnitude, maxMagnitude)),
	"step":               kind(whole(1, maxMagnitude)),
	"bytes":              kind(whole(0, math.MaxInt64)),
	"drawn-or-listed":    kind(whole(1, maxParity)),
}

func kind[T any](parse parserOf[T]) reading {
	return func(s scalar) (any, string, string) { return parse(s) }
}

// kindNamed is a kind by its name, or of words.
func kindNamed(is string) reading {
	if strings.Contains(is, "|") {
		return kind(word(strings.Split(is, "|")...))
	}
	return kinds[is]
}

const (
	maxMagnitude = 1 << 62   // leaves room to step past a bound without wrapping around
	maxParity    = 1_000_000 // cases of a kernel that parity runs
	maxAbsolute  = 1e300     // leaves room for what large inputs are allowed on top
)

// tolerable are tolerances in per cent. At 0 no run could say that a case is the same, and at 100 % nothing is asked for.
var tolerable = limits{low: 0, high: 100, openLow: true, openHigh: true}

// word is one of a few words.
func word(words ...string) parserOf[string] {
	return func(s scalar) (string, string, string) {
		if !slices.Contains(words, s.text) {
			return "", "is " + quoted(s.text), allowedWords(s.text, words)
		}
		return s.text, "", ""
	}
}

// boolean is true or false.
func boolean(s scalar) (bool, string, string) {
	if s.quoted || s.text != "true" && s.text != "false" {
		return false, "is " + quoted(s.text), "true, false"
	}
	return s.text == "true", "", ""
}

// limits of a number; ends included but where open says otherwise.
type limits struct {
	low, high         float64
	openLow, openHigh bool
}

func (l limits) hold(v float64) bool {
	return (v > l.low || v == l.low && !l.openLow) && (v < l.high || v == l.high && !l.openHigh)
}

// words are the limits of a number with a unit, "from 0% to under 100%".
func (l limits) words(unit string) string {
	from, to := "from", "to"
	if l.openLow {
		from = "above"
	}
	if l.openHigh {
		to = "to under"
	}
	return fmt.Sprintf("%s %g%s %s %g%s", from, l.low, unit, to, l.high, unit)
}

var percentage = text.Pattern(`^-?[0-9]+(\.[0-9]+)?%$`)

// percent is "1.5%", which means 0.015; l is in per cent, so that 100% does not become a hair more than 1. The sign is
// required: a bare 3 could mean 3 % or 300 %.
func percent(l limits) parserOf[float64] {
	return func(s scalar) (float64, string, string) {
		allowed := "a percentage " + l.words("%")
		if !percentage().MatchString(s.text) {
			return 0, fmt.Sprintf("is %s, which is not a percentage with its sign, like 1.5%%", quoted(s.text)), allowed
		}
		v, err := strconv.ParseFloat(strings.TrimSuffix(s.text, "%"), 64)
		if err != nil || !l.hold(v) {
			return 0, "is " + s.text, allowed
		}
		return v / 100, "", ""
	}
}

// duration is "90s" or "5m", of which example has one.
func duration(example string, low, high time.Duration) parserOf[time.Duration] {
	return func(s scalar) (time.Duration, string, string) {
		v, err := time.ParseDuration(s.text)
		if err != nil || v < low || v > high {
			return 0, "is " + quoted(s.text), fmt.Sprintf("a duration with its unit, like %s, from %s to %s", example, short(low), short(high))
		}
		return v, "", ""
	}
}

// short drops the zero units that time.Duration prints.
func short(d time.Duration) string {
	return strings.TrimSuffix(strings.TrimSuffix(d.String(), "0s"), "0m")
}

var decimal = text.Pattern(`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// number is a floating-point number.
func number(l limits) parserOf[float64] {
	return func(s scalar) (float64, string, string) {
		v, err := strconv.ParseFloat(s.text, 64)
		if s.quoted || err != nil || !decimal().MatchString(s.text) || !l.hold(v) {
			return 0, "is " + quoted(s.text), "a number " + l.words("")
		}
		return v, "", ""
	}
}

// whole is a plain decimal integer.
func whole(low, high int64) parserOf[int64] {
	return func(s scalar) (int64, string, string) {
		v, err := strconv.ParseInt(s.text, 10, 64)
		if !s.quoted && err == nil && integer().MatchString(s.text) && v >= low && v <= high {
			return v, "", ""
		}
		allowed := fmt.Sprintf("a plain integer from %s to %s", bound(low), bound(high))
		if high == math.MaxInt64 {
			allowed = fmt.Sprintf("a plain integer of at least %d", low)
		}
		return 0, "is " + quoted(s.text), allowed
	}
}

// bound spells the largest magnitude as people do.
func bound(v int64) string {
	switch v {
	case maxMagnitude:
		return "2^62"
	case -maxMagnitude:
		return "-2^62"
	}
	return strconv.FormatInt(v, 10)
}

var times = text.Pattern(`^[0-9]+(\.[0-9]+)?x$`)

// factor is "1.2x". The sign is required: 1.2 could as well be a ratio of times.
func factor(s scalar) (float64, string, string) {
	const low, high = 0.01, 1000
	allowed := fmt.Sprintf("how many times as fast, like 1.2x or 0.99x, from %gx to %gx", float64(low), float64(high))
	v, err := strconv.ParseFloat(strings.TrimSuffix(s.text, "x"), 64)
	if err != nil || !times().MatchString(s.text) || v < low || v > high {
		return 0, "is " + quoted(s.text), allowed
	}
	return v, "", ""
}
