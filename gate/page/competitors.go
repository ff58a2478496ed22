package page

import (
	"html/template"

	"github.com/org/perfgate/gate/report"
)

// competitorsView is what was found beside implementations that are no side.
type competitorsView struct {
	Says   []template.HTML
	Tables []table
}

// newCompetitors is nil where there were none.
func newCompetitors(d report.Document) *competitorsView {
	if len(d.Competitors) == 0 && len(d.Beside) == 0 {
		return nil
	}
	v := &competitorsView{Says: proses(d.Beside)}
	for _, t := range d.Competitors {
		v.Tables = append(v.Tables, tableOf(t))
	}
	return v
}

// caseCompetitors has a row for each competitor of a case: its time, how many times as fast head and base are, and what head has to keep.
func caseCompetitors(d report.Document, full string) table {
	t := table{Head: []string{"competitor", "time", "head is as fast", "interval", "base is as fast", "interval", "min speedup"}, Right: []bool{false, true, true, true, true, true, false}}
	for _, of := range d.Competitors {
		for _, r := range of.Rows {
			if r.Name.Full == full {
				t.Rows = append(t.Rows, row{Name: of.Columns[0].Title, Cells: cellsOf(of, r)})
			}
		}
	}
	return t
}
