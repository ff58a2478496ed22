package benchmark

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// MatchesRow says whether patterns pick a row. One that begins with ! leaves out what the rest stands for, whatever else picks it; where all
// do, they pick all others.
func MatchesRow(patterns []string, row string) bool {
	picks := Picks(patterns)
	picked := len(picks) == 0 && len(patterns) > 0
	for _, p := range picks {
		picked = picked || standsFor(p, row)
	}
	for _, p := range patterns {
		if rest, leaves := strings.CutPrefix(p, leaveOut); leaves && standsFor(rest, row) {
			return false
		}
	}
	return picked
}

const leaveOut = "!"

// Picks are the patterns that pick rows; the others leave some out.
func Picks(patterns []string) []string {
	var picks []string
	for _, p := range patterns {
		if !strings.HasPrefix(p, leaveOut) {
			picks = append(picks, p)
		}
	}
	return picks
}

// standsFor says whether a pattern is a row's name, or stands for it; * stands for slashes too, which names of rows are full of. They are full of
// brackets as well: those of a pattern are a choice of characters, or themselves.
func standsFor(pattern, row string) bool {
	const noSlash = "\x1f"
	pattern, row = strings.ReplaceAll(pattern, "/", noSlash), strings.ReplaceAll(row, "/", noSlash)
	if ok, err := doublestar.Match(pattern, row); pattern == row || ok && err == nil {
		return true
	}
	ok, err := path.Match(literal.Replace(pattern), row) // in which braces mean nothing
	return ok && err == nil
}

var literal = strings.NewReplacer(`\`, `\\`, "[", `\[`)
