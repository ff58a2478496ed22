package config

import (
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/goccy/go-yaml/ast"
)

// reader reads the value of a key; what names it in messages.
type reader func(d *decoder, n ast.Node, what string)

// parserOf turns a single value into what it means, or says what is wrong with it and what is allowed.
type parserOf[T any] func(s scalar) (value T, problem, allowed string)

// into reads a single value that has a default.
func into[T any](to *T, parse parserOf[T]) reader {
	return func(d *decoder, n ast.Node, what string) {
		s, ok := d.scalar(n, what)
		if !ok {
			return
		}
		v, problem, allowed := parse(s)
		if problem != "" {
			d.fail(n, allowed, "%s %s", what, problem)
			return
		}
		*to = v
	}
}

// optional reads a single value whose absence is none of its values.
func optional[T any](to **T, parse parserOf[T]) reader {
	return func(d *decoder, n ast.Node, what string) {
		v := new(T)
		if d.clean(func() { into(v, parse)(d, n, what) }) {
			*to = v
		}
	}
}

// list reads a list of single values, none of them twice where unique; each names one in messages.
func list[T any](to *[]T, unique bool, each string, parse parserOf[T]) reader {
	return func(d *decoder, n ast.Node, what string) {
		seen := map[string]bool{}
		for _, item := range d.items(n, what) {
			var v T
			if !d.clean(func() { into(&v, parse)(d, item, each) }) {
				continue
			}
			text := fmt.Sprint(v)
			if unique && seen[text] {
				d.fail(item, "", "%s lists %s twice", what, quoted(text))
				continue
			}
			seen[text] = true
			*to = append(*to, v)
		}
	}
}

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

var percentage = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?%$`)

// percent is "1.5%", which means 0.015; l is in per cent, so that 100% does not become a hair more than 1. The sign is
// required: a bare 3 could mean 3 % or 300 %.
func percent(l limits) parserOf[float64] {
	return func(s scalar) (float64, string, string) {
		allowed := "a percentage " + l.words("%")
		if !percentage.MatchString(s.text) {
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

var decimal = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// number is a floating-point number.
func number(l limits) parserOf[float64] {
	return func(s scalar) (float64, string, string) {
		v, err := strconv.ParseFloat(s.text, 64)
		if s.quoted || err != nil || !decimal.MatchString(s.text) || !l.hold(v) {
			return 0, "is " + quoted(s.text), "a number " + l.words("")
		}
		return v, "", ""
	}
}

// whole is a plain decimal integer.
func whole[I int | int64](low, high int64) parserOf[I] {
	return func(s scalar) (I, string, string) {
		v, err := strconv.ParseInt(s.text, 10, 64)
		if !s.quoted && err == nil && integer.MatchString(s.text) && v >= low && v <= high {
			return I(v), "", ""
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

// script is a command, which may have several lines.
func script(s scalar) (string, string, string) {
	switch {
	case !s.plain:
		return "", fmt.Sprintf("is %s; quote it where text is meant", s.text), ""
	case strings.TrimSpace(s.text) == "":
		return "", "is empty", ""
	case strings.ContainsRune(s.text, 0):
		return "", "has a zero byte", ""
	}
	return s.text, "", ""
}

// line is text of one line.
func line(s scalar) (string, string, string) {
	if text, problem, allowed := script(s); problem != "" || !strings.ContainsFunc(text, unicode.IsControl) {
		return text, problem, allowed
	}
	return "", "has a line break or a control character", "text of one line"
}

// checked is text of one line that check has nothing against.
func checked(check func(string) (problem, allowed string)) parserOf[string] {
	return func(s scalar) (string, string, string) {
		text, problem, allowed := line(s)
		if problem == "" {
			problem, allowed = check(text)
		}
		return text, problem, allowed
	}
}

// file is a path inside the folder of the configuration, cleaned.
func file(s scalar) (string, string, string) {
	text, problem, allowed := checked(checkPath)(s)
	return path.Clean(text), problem, allowed
}

// checkPath is about the text alone, so that it holds wherever the tree is checked out.
func checkPath(p string) (problem, allowed string) {
	const inside = "a path relative to the folder of this file, with forward slashes"
	clean := path.Clean(p)
	switch {
	case path.IsAbs(p):
		return fmt.Sprintf("%s is absolute", quoted(p)), inside
	case strings.ContainsAny(p, `\`), len(p) > 1 && p[1] == ':':
		return fmt.Sprintf("%s has a backslash or a drive", quoted(p)), inside
	case clean == "..", strings.HasPrefix(clean, "../"):
		return fmt.Sprintf("%s leaves the folder of this file", quoted(p)), inside
	case clean == ".", strings.HasSuffix(p, "/"):
		return fmt.Sprintf("%s is a folder", quoted(p)), inside
	case strings.HasPrefix(clean, "-"):
		return fmt.Sprintf("%s would read as an option of the compiler", quoted(p)), "names that do not start with -"
	case strings.ContainsAny(p, "*?["):
		return fmt.Sprintf("%s is a pattern", quoted(p)), "one path an entry"
	}
	return "", ""
}
