package config

import (
	"fmt"
	"math"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/goccy/go-yaml/ast"
)

type reader = func(d *decoder, n ast.Node)

// single makes a reader of one value out of a function that says what is wrong with it and what is allowed.
func single(what string, accept func(s scalar) (problem, allowed string)) reader {
	return func(d *decoder, n ast.Node) {
		s, ok := d.scalar(n, what)
		if !ok {
			return
		}
		if problem, allowed := accept(s); problem != "" {
			d.fail(n, allowed, "%s %s", what, problem)
		}
	}
}

// word reads one of a few words.
func word(what string, to *string, words ...string) reader {
	return single(what, func(s scalar) (string, string) {
		for _, w := range words {
			if s.text == w {
				*to = w
				return "", ""
			}
		}
		return "is " + quoted(s.text), allowedWords(s.text, words)
	})
}

// boolean reads true or false.
func boolean(what string, to *bool) reader {
	return single(what, func(s scalar) (string, string) {
		if s.quoted || s.text != "true" && s.text != "false" {
			return "is " + quoted(s.text), "true, false"
		}
		*to = s.text == "true"
		return "", ""
	})
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

// percent reads "1.5%" as 0.015. The sign is required: a bare 3 could mean 3 % or 300 %.
func percent(what string, to *float64, l limits) reader {
	l.low, l.high = 100*l.low, 100*l.high // compared in per cent: 100% must not become a hair more than 1
	allowed := "a percentage " + l.words("%")
	return single(what, func(s scalar) (string, string) {
		if !percentage.MatchString(s.text) {
			return fmt.Sprintf("is %s, which is not a percentage with its sign, like 1.5%%", quoted(s.text)), allowed
		}
		v, err := strconv.ParseFloat(strings.TrimSuffix(s.text, "%"), 64)
		if err != nil || !l.hold(v) {
			return "is " + s.text, allowed
		}
		*to = v / 100
		return "", ""
	})
}

// duration reads "90s" or "5m".
func duration(what string, to *time.Duration, low, high time.Duration) reader {
	allowed := fmt.Sprintf("a duration with its unit, like 90s or 5m, from %s to %s", short(low), short(high))
	return single(what, func(s scalar) (string, string) {
		v, err := time.ParseDuration(s.text)
		if err != nil || v < low || v > high {
			return "is " + quoted(s.text), allowed
		}
		*to = v
		return "", ""
	})
}

// short drops the zero units that time.Duration prints.
func short(d time.Duration) string {
	s := strings.TrimSuffix(d.String(), "0s")
	return strings.TrimSuffix(s, "0m")
}

var decimal = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// number reads a floating-point number.
func number(what string, to *float64, l limits) reader {
	allowed := "a number " + l.words("")
	return single(what, func(s scalar) (string, string) {
		v, err := strconv.ParseFloat(s.text, 64)
		if s.quoted || err != nil || !decimal.MatchString(s.text) || !l.hold(v) {
			return "is " + quoted(s.text), allowed
		}
		*to = v
		return "", ""
	})
}

// optionalNumber reads a number whose absence means something else than zero.
func optionalNumber(what string, to **float64, l limits) reader {
	return func(d *decoder, n ast.Node) {
		var v float64
		if d.clean(func() { number(what, &v, l)(d, n) }) {
			*to = &v
		}
	}
}

// whole reads a plain decimal integer.
func whole(what string, to *int64, low, high int64) reader {
	allowed := fmt.Sprintf("a plain integer from %s to %s", bound(low), bound(high))
	if high == math.MaxInt64 {
		allowed = fmt.Sprintf("a plain integer of at least %d", low)
	}
	return single(what, func(s scalar) (string, string) {
		v, err := strconv.ParseInt(s.text, 10, 64)
		if s.quoted || err != nil || !integer.MatchString(s.text) || v < low || v > high {
			return "is " + quoted(s.text), allowed
		}
		*to = v
		return "", ""
	})
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

// count reads a number of things.
func count(what string, to *int, low, high int64) reader {
	return func(d *decoder, n ast.Node) {
		v := int64(*to)
		whole(what, &v, low, high)(d, n)
		*to = int(v)
	}
}

// limit reads an integer whose absence means no limit.
func limit(what string, to **int64) reader {
	return func(d *decoder, n ast.Node) {
		var v int64
		if d.clean(func() { whole(what, &v, 0, math.MaxInt64)(d, n) }) {
			*to = &v
		}
	}
}

// script reads a command, which may have several lines.
func script(what string, to *string) reader {
	return single(what, func(s scalar) (string, string) {
		switch {
		case !s.plain:
			return fmt.Sprintf("is %s; quote it where text is meant", s.text), ""
		case strings.TrimSpace(s.text) == "":
			return "is empty", ""
		case strings.ContainsRune(s.text, 0):
			return "has a zero byte", ""
		}
		*to = s.text
		return "", ""
	})
}

// text reads any text of one line.
func text(what string, to *string) reader {
	return checked(what, to, func(string) (string, string) { return "", "" })
}

// checked reads text of one line that check has nothing against.
func checked(what string, to *string, check func(string) (problem, allowed string)) reader {
	return single(what, func(s scalar) (string, string) {
		switch {
		case !s.plain:
			return fmt.Sprintf("is %s; quote it where text is meant", s.text), ""
		case strings.TrimSpace(s.text) == "":
			return "is empty", ""
		case strings.ContainsFunc(s.text, unicode.IsControl):
			return "has a line break or a control character", "text of one line"
		}
		problem, allowed := check(s.text)
		if problem == "" {
			*to = s.text
		}
		return problem, allowed
	})
}

// file reads a path inside the folder of the configuration and cleans it.
func file(what string, to *string) reader {
	return func(d *decoder, n ast.Node) {
		if d.clean(func() { checked(what, to, checkPath)(d, n) }) {
			*to = path.Clean(*to)
		}
	}
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

// list reads a list of single values, none of them twice where unique.
func list(what string, to *[]string, unique bool, one func(what string, to *string) reader) reader {
	return func(d *decoder, n ast.Node) {
		seen := map[string]bool{}
		for _, item := range d.items(n, what) {
			var v string
			if !d.clean(func() { one("an entry of "+what, &v)(d, item) }) {
				continue
			}
			if unique && seen[v] {
				d.fail(item, "", "%s lists %s twice", what, quoted(v))
				continue
			}
			seen[v] = true
			*to = append(*to, v)
		}
	}
}
