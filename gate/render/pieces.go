package render

import (
	"strings"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/text"
)

// piece is a word of a text, or a part of one: no renderer breaks it. gap is how many blanks stand before it; tied
// says that no line ends there.
type piece struct {
	report.Span
	gap  int
	tied bool
}

// longestProse is how many columns one message has within a line.
const longestProse = 600

// pieces splits t at blanks. All of it is made visible, and what is too long for a line of a report loses its middle.
func pieces(t report.Text) []piece {
	var out []piece
	gap := 0
	for _, span := range t {
		for i, part := range strings.Split(shortened(span), report.Tie) {
			if i > 0 {
				gap++
			}
			isTied := i > 0
			for word := range strings.SplitSeq(text.Visible(part), " ") {
				if word != "" {
					out = append(out, piece{report.Span{Text: word, Code: span.Code, Tone: span.Tone}, min(gap, 2), isTied})
					gap, isTied = 0, false
				}
				gap++
			}
			gap-- // the end of a part is no blank
		}
	}
	return out
}

// shortened is the text of a span if it is short enough; else it is clipped and loses its ties.
func shortened(span report.Span) string {
	most := longestProse
	if span.Code {
		most = report.LongestCode
	}
	if said := text.Visible(span.Text); text.Width(said) > most {
		return text.Clip(said, most)
	}
	return span.Text
}
