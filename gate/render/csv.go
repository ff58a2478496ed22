package render

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/text"
)

// CSV writes a table: a line of the columns' keys, and a line for each row, with raw numbers where cells have them. A cell that is not
// there is empty.
func CSV(w io.Writer, t report.Table) error {
	out := csv.NewWriter(w)
	line := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		line[i] = c.Key
	}
	rows := [][]string{line}
	for _, r := range t.Rows {
		line := make([]string, len(t.Columns))
		for i, c := range t.Columns {
			line[i] = rawText(r.Cells[c.Key])
		}
		rows = append(rows, line)
	}
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

// rawText is a cell that no spreadsheet takes for a formula.
func rawText(c report.Cell) string {
	if c.Value != nil {
		return strconv.FormatFloat(*c.Value, 'g', 9, 64)
	}
	text := text.Visible(c.Text)
	if strings.IndexAny(text, "=+-@") == 0 {
		return "'" + text
	}
	return text
}
