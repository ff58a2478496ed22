package render

import (
	"strings"
	"text/tabwriter"

	"github.com/org/perfgate/gate/text"
)

// AlignedMarkdown is a table whose columns line up, so that it is easy to read as it is. The first row is its header, the first few columns are texts
// and the others numbers.
func AlignedMarkdown(rows [][]string, texts int) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 1, ' ', tabwriter.Debug) // which ends every cell with a bar; errors of a Builder are none
	line := func(cells []string) { _, _ = w.Write([]byte("| " + strings.Join(cells, "\t ") + "\t\n")) }
	for at, row := range rows {
		cells, rule := make([]string, len(row)), make([]string, len(row))
		for i, said := range row {
			cells[i] = strings.ReplaceAll(text.Visible(said), "|", "∣")
			if rule[i] = ":--"; i >= texts {
				rule[i] = "--:"
			}
		}
		line(cells)
		if at == 0 {
			line(rule)
		}
	}
	_ = w.Flush()
	return b.String()
}
