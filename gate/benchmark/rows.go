package benchmark

import (
	"path"
	"slices"
	"strings"
)

// MatchesRow says whether one of patterns is a row's name, or stands for it; * stands for slashes too, which names of rows are full of.
func MatchesRow(patterns []string, row string) bool {
	const noSlash = "\x1f"
	plain := strings.ReplaceAll(row, "/", noSlash)
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(strings.ReplaceAll(p, "/", noSlash), plain)
		return p == row || ok && err == nil
	})
}
