package text

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escapes matches well-formed terminal sequences: CSI (colours, cursor), OSC (titles, links) and two-byte ones.
var escapes = Pattern("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\^_])")

// invisible are letters and symbols that draw nothing, though Unicode calls them printable.
var invisible = map[rune]bool{0x115f: true, 0x1160: true, 0x3164: true, 0xffa0: true, 0x2800: true}

// Visible returns s as one line in which nothing acts and everything shows: terminal sequences are taken out, white
// space becomes a blank, and what would move a cursor, turn text around or hide is written as in Go, like \x1b or
// \u202e.
func Visible(s string) string {
	if isPlain(s) {
		return s
	}
	s = escapes().ReplaceAllString(s, "")
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n' || r == '\r' || r == '\t' || unicode.Is(unicode.Zs, r):
			b.WriteByte(' ')
		case unicode.IsPrint(r) && !invisible[r]:
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		i += size
	}
	return b.String()
}

func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Brief shortens visible text in a cell to at most n columns: a sentence loses its end, anything else its middle.
func Brief(s string, n int) string {
	if Width(s) <= n || !strings.Contains(s, " ") {
		return Clip(s, n)
	}
	runes := []rune(s)
	front := string(runes[:prefix(runes, n-1)])
	if at := strings.LastIndexByte(front, ' '); at > 0 {
		front = front[:at]
	}
	return strings.TrimRight(front, " ,:;(") + "…"
}

// Clip shortens visible text to at most n columns; what goes is the middle, since both ends of a name tell it apart.
func Clip(s string, n int) string {
	if Width(s) <= n {
		return s
	}
	if n < 1 {
		return ""
	}
	runes := []rune(s)
	front := prefix(runes, (n-1)*2/3)
	backward := slices.Clone(runes)
	slices.Reverse(backward)
	back := prefix(backward, n-1-(n-1)*2/3)
	return string(runes[:front]) + "…" + string(runes[len(runes)-back:])
}

// prefix is how many of the first runes fit n columns.
func prefix(runes []rune, n int) int {
	for i, r := range runes {
		if n -= runeWidth(r); n < 0 {
			return i
		}
	}
	return len(runes)
}

// Width is how many columns visible text takes on a terminal.
func Width(s string) int {
	if isPlain(s) {
		return len(s)
	}
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// wide are the East Asian wide and emoji blocks (Unicode Standard Annex 11), coarsely.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1}, {Lo: 0x2e80, Hi: 0xa4cf, Stride: 1}, {Lo: 0xac00, Hi: 0xd7a3, Stride: 1},
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1}, {Lo: 0xfe30, Hi: 0xfe6f, Stride: 1}, {Lo: 0xff00, Hi: 0xff60, Stride: 1},
		{Lo: 0xffe0, Hi: 0xffe6, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0x1f300, Hi: 0x1faff, Stride: 1}, {Lo: 0x20000, Hi: 0x3fffd, Stride: 1}},
}

func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}
