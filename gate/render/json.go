package render

import (
	"io"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/saved"
)

// documentData is what a document says, for a program: its tables by their keys, each row by the titles of its columns, and its lines.
type documentData struct {
	Tables map[string][]map[string]any `json:"tables,omitempty"`
	Lines  []string                    `json:"lines,omitempty"`
}

// JSON writes a document that has no data of its own: what it says is all that there is. Numbers are numbers, other cells are texts.
func JSON(w io.Writer, d report.Document) error {
	data := documentData{Tables: map[string][]map[string]any{}}
	for _, b := range d.Blocks {
		for _, line := range b.Paragraphs {
			data.Lines = append(data.Lines, report.PlainText(line))
		}
		if b.Table == nil {
			continue
		}
		rows := []map[string]any{}
		for _, row := range b.Table.Rows {
			fields := map[string]any{b.Table.First: row.Name.Full}
			for _, c := range b.Table.Columns {
				cell := row.Cells[c.Key]
				if fields[c.Title] = cell.Text; cell.Value != nil {
					fields[c.Title] = *cell.Value
				}
			}
			rows = append(rows, fields)
		}
		data.Tables[b.Key] = rows
	}
	return saved.Print(w, data)
}
