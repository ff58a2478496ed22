package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/org/perfgate/gate/result"
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

// printable keeps a hostile file from speaking to the terminal: control characters become a dot, tabs a space.
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
func (e Errors) Error() string {
	var parts []string
	for _, p := range e {
		parts = append(parts, p.Error())
	}
	return strings.Join(parts, "\n")
}

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

func (e Errors) sorted() Errors {
	slices.SortStableFunc(e, func(a, b *Error) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
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

// Nearest returns the word at the smallest edit distance, or nothing where none is close.
func Nearest(got string, words []string) string {
	best, bestDistance := "", len(got)
	for _, w := range words {
		d := distance(strings.ToLower(got), w)
		if d == 2 && sorted(got) == sorted(w) { // two letters changed places: one mistake
			d = 1
		}
		// More than half of the letters wrong is another word.
		if 2*d <= len(got) && d < bestDistance {
			best, bestDistance = w, d
		}
	}
	return best
}

// sorted are the letters of a word in their order.
func sorted(word string) string {
	letters := []byte(strings.ToLower(word))
	slices.Sort(letters)
	return string(letters)
}

// distance is the Levenshtein distance, in bytes; long words are never close.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
