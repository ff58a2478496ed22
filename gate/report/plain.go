package report

import "strings"

// tie is a blank at which no line ends, as between a number and its unit.
const tie = "\u00a0"

// tied is s on one line.
func tied(s string) string { return strings.ReplaceAll(s, " ", tie) }

// longest is how many columns of a verbatim text, such as the name of a function, stand in a line.
const longest = 160

// longestCell is how many columns a cell may take. Reasons that are longer have a remark.
const longestCell = 48

// PlainText is t without tones and mark-up, on one line.
func PlainText(t Text) string {
	var b strings.Builder
	for _, span := range t {
		b.WriteString(strings.ReplaceAll(span.Text, tie, " "))
	}
	return Visible(b.String())
}
