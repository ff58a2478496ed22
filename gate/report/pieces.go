package report

import "strings"

// piece is a word of a text, or a part of one: no renderer breaks it. gap is how many blanks stand before it.
type piece struct {
	Span
	gap int
}

const (
	longest      = 160 // columns of one verbatim text within a line
	longestProse = 600 // columns of one message within a line
)

// pieces splits t at blanks. All of it is made visible, and what is too long for a line of a report loses its middle.
func pieces(t Text) []piece {
	var out []piece
	gap := 0
	for _, span := range t {
		text := clip(Visible(span.Text), longestProse)
		if span.Code {
			text = clip(text, longest)
		}
		for word := range strings.SplitSeq(text, " ") {
			if word != "" {
				out = append(out, piece{Span{word, span.Code, span.Tone}, min(gap, 2)})
				gap = 0
			}
			gap++
		}
		gap-- // the end of a span is no blank
	}
	return out
}
