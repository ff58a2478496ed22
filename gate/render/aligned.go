package render

import (
	"strings"

	"github.com/org/perfgate/gate/report"
)

// AlignedMarkdown is a table whose columns line up, so that it is easy to read as it is. The first row is its header, the first few columns are texts
// and the others numbers.
func AlignedMarkdown(rows [][]string, texts int) string {
	var cells [][]string
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		var line []string
		for i, text := range row {
			text = strings.ReplaceAll(report.Visible(text), "|", "∣")
			widths[i] = max(widths[i], report.Width(text))
			line = append(line, text)
		}
		cells = append(cells, line)
	}
	rule := make([]string, len(widths))
	var b strings.Builder
	for i, w := range widths {
		end := ":"
		if i < texts {
			end = "-"
		}
		rule[i] = strings.Repeat("-", w+1) + end
	}
	for at, line := range cells {
		for i, text := range line {
			pad := strings.Repeat(" ", widths[i]-report.Width(text))
			if i < texts {
				text += pad
			} else {
				text = pad + text
			}
			b.WriteString("| " + text + " ")
		}
		b.WriteString("|\n")
		if at == 0 {
			b.WriteString("|" + strings.Join(rule, "|") + "|\n")
		}
	}
	return b.String()
}
