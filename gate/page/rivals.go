package page

import (
	"html/template"

	"github.com/org/perfgate/gate/report"
)

// rivalsView is what was found beside implementations that are no side.
type rivalsView struct {
	Says   []template.HTML
	Tables []table
}

// newRivals is nil where there were none.
func newRivals(d report.Document) *rivalsView {
	if len(d.Rivals) == 0 && len(d.Beside) == 0 {
		return nil
	}
	v := &rivalsView{Says: proses(d.Beside)}
	for _, t := range d.Rivals {
		v.Tables = append(v.Tables, tableOf(t))
	}
	return v
}

// caseRivals has a row for each rival of a case: its time, how many times as fast head and base are, and what head has to keep.
func caseRivals(d report.Document, full string) table {
	t := table{Head: []string{"rival", "time", "head is as fast", "interval", "base is as fast", "interval", "keep"}, Right: []bool{false, true, true, true, true, true, false}}
	for _, of := range d.Rivals {
		for _, r := range of.Rows {
			if r.Name.Full == full {
				t.Rows = append(t.Rows, row{Name: of.Columns[0].Title, Cells: cellsOf(of, r)})
			}
		}
	}
	return t
}
