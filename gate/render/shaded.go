package render

import (
	"fmt"
	"math"
	"strings"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/text"
)

// shades are what the levels of cells are where there are no pictures: 0 is nothing, and the last is all.
var shades = []rune("·░░░▒▒▒▓▓█")

// mostShadedLines is how high cells are in letters: two of their lines share one where there are more.
const mostShadedLines = 12

// inLetters is a block whose figure of cells is a log of shades, for layouts without pictures.
func inLetters(b report.Block) report.Block {
	if b.Figure != nil && b.Figure.Series[0].Form == report.FormCells {
		b.Log, b.Figure = &report.Log{Lines: shaded(*b.Figure), Whole: true}, nil
	}
	return b
}

// shaded are the lines of cells behind their names.
func shaded(f report.Figure) []string {
	levels := make([][]int, len(f.Y.Names))
	for _, p := range f.Series[0].Points {
		levels[int(p.Y)] = append(levels[int(p.Y)], int(math.Round(9*p.Low)))
	}
	each := 1 // lines of the figure in one of letters
	if len(levels) > mostShadedLines {
		each = 2
	}
	names, margin := make([]string, len(levels)), 0
	for i := 0; i < len(levels) && len(levels) > 1; i += each {
		names[i] = text.Visible(f.Y.Names[i])
		margin = max(margin, text.Width(names[i]))
	}
	out := []string{f.Title}
	for i := 0; i < len(levels); i += each {
		var line strings.Builder
		for c, level := range levels[i] {
			line.WriteRune(shades[mergedLevel(level, levels[min(i+each, len(levels))-1][c])])
		}
		out = append(out, fmt.Sprintf("%*s %s", margin, names[i], line.String()))
	}
	return out
}

// mergedLevel is that of two cells: nothing only where both are, and all only where both are.
func mergedLevel(a, b int) int {
	if a == b {
		return a
	}
	return min(8, max(1, (a+b)/2))
}
