package benchmark

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// MatchesRow says whether patterns pick a row. One that begins with ! leaves out what the rest stands for, whatever else picks it; where all
// do, they pick all others.
func MatchesRow(patterns []string, row string) bool {
	return IsPicked(patterns, func(p string) bool { return standsFor(p, row) })
}

const leaveOut = "!"

// IsPicked says whether a list of patterns picks what some of them stand for. One that only leaves out picks all the rest.
func IsPicked(patterns []string, standsFor func(pattern string) bool) bool {
	picks := Picks(patterns)
	return (slices.ContainsFunc(picks, standsFor) || len(picks) == 0 && len(patterns) > 0) && !IsLeftOut(patterns, standsFor)
}

// IsLeftOut says whether a pattern with ! in front is one of those that stand for something.
func IsLeftOut(patterns []string, standsFor func(pattern string) bool) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		rest, leaves := strings.CutPrefix(p, leaveOut)
		return leaves && standsFor(rest)
	})
}

// Picks are the patterns that pick; the others leave some out.
func Picks(patterns []string) []string {
	return slices.DeleteFunc(slices.Clone(patterns), func(p string) bool { return strings.HasPrefix(p, leaveOut) })
}

// pieces are texts that every row has, in this order, that a pattern stands for: of one piece the pattern is the name itself. The first begins the
// row, and the last ends it.
func pieces(pattern string) []string {
	if strings.ContainsAny(pattern, `?[]{}\`) { // what they stand for has rules of its own, so all from the first to the last may be anything
		first, last := strings.IndexAny(pattern, `*?[]{}\`), strings.LastIndexAny(pattern, `*?[]{}\`)
		if pattern[last] == '\\' {
			last = len(pattern) - 1
		}
		return []string{pattern[:first], pattern[last+1:]}
	}
	return strings.Split(pattern, "*")
}

// NarrowsList says whether a format asks a first run for less than the whole where only some rows are wanted.
func NarrowsList(f Format, s Spec, wanted []string) bool {
	whole, narrow := f.Command(s, Ask{Mode: List}), f.Command(s, Ask{Mode: List, Wanted: wanted})
	return !f.Traits().Lists && !(slices.Equal(whole.Args, narrow.Args) && slices.Equal(whole.Env, narrow.Env))
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
