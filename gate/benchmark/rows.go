package benchmark

import (
	"path"
	"strings"
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

// standsFor says whether a pattern is a row's name, or stands for it; * stands for slashes too, which names of rows are full of.
func standsFor(pattern, row string) bool {
	const noSlash = "\x1f"
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", noSlash), strings.ReplaceAll(row, "/", noSlash))
	return pattern == row || ok && err == nil
}
