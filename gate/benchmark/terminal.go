package benchmark

import (
	"strings"
	"unicode/utf8"
)

// lastShown is what a terminal shows of a line in the end. Programs print their progress over itself: a carriage return begins the line anew, what is longer
// stays, and the control sequence ESC [ K erases the rest. Other control sequences, such as colours, show nothing.
func lastShown(line string) string {
	line = strings.TrimRight(line, "\r")
	if !strings.ContainsAny(line, "\r\x1b") {
		return line
	}
	var shown []rune
	at := 0
	for len(line) > 0 {
		if rest, final, ok := controlSequence(line); ok {
			if final == 'K' {
				shown = shown[:min(at, len(shown))]
			}
			line = rest
			continue
		}
		r, size := utf8.DecodeRuneInString(line)
		line = line[size:]
		switch {
		case r == '\r':
			at = 0
			continue
		case at < len(shown):
			shown[at] = r
		default:
			shown = append(shown, r)
		}
		at++
	}
	return string(shown)
}

// controlSequence takes ESC [, its parameters and the letter that says what it does off a text that begins with one.
func controlSequence(text string) (rest string, final byte, ok bool) {
	text, ok = strings.CutPrefix(text, "\x1b[")
	if !ok {
		return "", 0, false
	}
	text = strings.TrimLeft(text, "0123456789;?")
	if text == "" {
		return "", 0, true
	}
	return text[1:], text[0], true
}
