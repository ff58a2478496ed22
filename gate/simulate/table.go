package simulate

import (
	"fmt"
	"strings"

	"github.com/org/perfgate/gate/render"
)

// column is a column of a table: its header, and what it says of a row.
type column[T any] struct {
	header string
	text   func(T) string
}

// writeTable writes rows as Markdown that is easy to read as it is. The first few columns are texts, the others numbers.
func writeTable[T any](b *strings.Builder, title string, texts int, rows []T, columns ...column[T]) {
	lines := make([][]string, 1+len(rows))
	for _, c := range columns {
		lines[0] = append(lines[0], c.header)
		for i, row := range rows {
			lines[1+i] = append(lines[1+i], c.text(row))
		}
	}
	fmt.Fprintf(b, "### %s\n\n%s\n", title, render.AlignedMarkdown(lines, texts))
}

// decimal words a number with one decimal place.
func decimal(x float64) string { return fmt.Sprintf("%.1f", x) }

// joined words several values of one cell.
func joined[T any](values []T, text func(T) string) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = text(v)
	}
	return strings.Join(words, " / ")
}
