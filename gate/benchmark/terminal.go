package benchmark

import (
	"strings"
	"unicode/utf8"
)

// asShown is what a terminal shows of a text in the end, line by line.
func asShown(text string) string {
	if !strings.ContainsAny(text, "\r\x1b") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = lastShown(line)
	}
	return strings.Join(lines, "\n")
}

// lastShown is that of a line. Programs print their progress over itself: a carriage return goes back to the start of the line, what is
// longer stays, and the control sequence ESC [ K erases the rest. Other control sequences, such as colours, show nothing.
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
