package report

import (
	"fmt"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// shades are what the levels of a map look like in text.
var shades = []rune("·░░░▒▒▒▓▓█")

// mostMapLines is how high a map is in text: two of its lines share one where there are more.
const mostMapLines = 12

// mapLines draw where an output is wrong, nil where that says nothing that words do not.
func mapLines(m *result.Map) []string {
	if !m.Tells() {
		return nil
	}
	levels, last := merged(m.Levels), m.Rows.Size-1
	label := func(part int) string {
		if m.Rows.Size == 1 {
			return ""
		}
		return fmt.Sprint(m.Rows.From(part, len(levels)))
	}
	margin := max(len(fmt.Sprint(last)), 1)
	out := []string{mapTitle(m)}
	for i, line := range levels {
		var b strings.Builder
		for _, digit := range line {
			b.WriteRune(shades[digit-'0'])
		}
		out = append(out, fmt.Sprintf("%*s %s", margin, label(i), b.String()))
	}
	return out
}

// mapTitle says what a map shows: "where o is wrong: s down (0 to 127), d across (0 to 63)".
func mapTitle(m *result.Map) string {
	across := axisWords(m.Columns, "across")
	if m.Rows.Size > 1 {
		across = axisWords(m.Rows, "down") + ", " + across
	}
	return "where " + text.Visible(m.Tensor) + " is wrong: " + across
}

func axisWords(a result.Axis, direction string) string {
	name := a.Name
	if name == "" {
		name = "index"
	}
	return fmt.Sprintf("%s %s (0 to %d)", text.Visible(name), direction, a.Size-1)
}

// merged puts two lines into one where there are too many: right only where both are, and wrong throughout only where both are.
func merged(levels []string) []string {
	if len(levels) <= mostMapLines {
		return levels
	}
	var out []string
	for i := 0; i < len(levels); i += 2 {
		line := []byte(levels[i])
		if i+1 < len(levels) {
			for c := range line {
				line[c] = mergedLevel(line[c], levels[i+1][c])
			}
		}
		out = append(out, string(line))
	}
	return out
}

func mergedLevel(a, b byte) byte {
	if a == b {
		return a
	}
	return min('8', max('1', (a+b)/2))
}
