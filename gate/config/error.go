package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// maxErrors is how many problems of one file are reported.
const maxErrors = 10

// Error is one problem of a configuration and where it is.
type Error struct {
	File    string
	Line    int    // from 1; 0 when the problem has no place
	Column  int    // from 1, in characters
	Text    string // the offending line of the source
	Msg     string
	Allowed string // what could stand there instead; may be empty
}

// Error renders the problem with its line, a caret under its column and what is allowed.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(printable(e.File))
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	fmt.Fprintf(&b, ": %s", e.Msg)
	if e.Line > 0 {
		text, column := excerpt(printable(e.Text), e.Column)
		fmt.Fprintf(&b, "\n%4d | %s\n     | %s^", e.Line, text, strings.Repeat(" ", column-1))
	}
	if e.Allowed != "" {
		fmt.Fprintf(&b, "\n  allowed: %s", e.Allowed)
	}
	return b.String()
}

// excerpt cuts a line to what fits beside the caret.
func excerpt(line string, column int) (string, int) {
	const before, width = 80, 110
	runes := []rune(line)
	column = min(max(column, 1), len(runes)+1)
	start := 0
	if column > width {
		start = column - before
	}
	end := min(len(runes), start+width)
	text := string(runes[start:end])
	if start > 0 {
		text = "…" + text
		column = column - start + 1
	}
	if end < len(runes) {
		text += "…"
	}
	return text, column
}

// printable keeps an untrusted file from speaking to the terminal: control characters become a dot, tabs a space.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return '·'
		}
		return r
	}, s)
}

// quoted shows text of the file inside a message, cut where it is long.
func quoted(s string) string {
	const most = 60
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// Errors are the problems of one file in the order of their lines, never none and at most ten.
type Errors []*Error

// Error renders all of them.
func (e Errors) Error() string { return errors.Join(e.Unwrap()...).Error() }

// ExitCode is that of a bad configuration.
func (e Errors) ExitCode() result.ExitCode { return result.ExitUsage }

// Unwrap lets errors.As find the first Error.
func (e Errors) Unwrap() []error {
	var out []error
	for _, p := range e {
		out = append(out, p)
	}
	return out
}

// sorted are the first of them by their lines; nil where there are none.
func (e Errors) sorted() error {
	if len(e) == 0 {
		return nil
	}
	slices.SortStableFunc(e, func(a, b *Error) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return e[:min(len(e), maxErrors)]
}

// allowedWords lists words, and names the one that was probably meant.
func allowedWords(got string, words []string) string {
	list := strings.Join(words, ", ")
	if near := Nearest(got, words); near != "" {
		list += fmt.Sprintf(" (did you mean %q?)", near)
	}
	return list
}

// Nearest returns the word that the fewest slips make of another, or nothing where none is close.
func Nearest(got string, words []string) string {
	best, fewest := "", len(got)
	for _, w := range words {
		// More than a third of the letters wrong is another word unless it begins the same, and long words are never close.
		if d := kernels.Slips(strings.ToLower(got), w); max(len(got), len(w)) <= 64 && (d <= max(1, len(got)/3) || strings.HasPrefix(w, strings.ToLower(got))) && d < fewest {
			best, fewest = w, d
		}
	}
	return best
}
