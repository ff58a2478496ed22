package page

import (
	"io"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// Named is a result among several, such as those of other machines or days.
type Named struct {
	Name   string // as its file is called
	Page   string // of its own, relative to the page of all
	Result *result.Result
}

// WriteBeside writes a page with several results side by side: a line for each case, a column for each result. Nothing is decided over them.
func WriteBeside(w io.Writer, all []Named) error {
	d := report.Document{
		Verdict: "SIDE BY SIDE", Tone: report.Quiet,
		Headline: report.Say(report.Count(len(all), "result") + ", each case as head against base of its own run"),
	}
	v := newView(&result.Result{}, d, Options{})
	t := table{Head: []string{"case"}, Right: []bool{false}}
	rows := map[string]int{}
	for i, n := range all {
		own := report.New(n.Result)
		v.Top = append(v.Top, fact{Label: report.Visible(n.Name), Text: prose(report.Say(own.Verdict + ", " + n.Result.Machine.Model)), Link: n.Page, Says: "page"})
		t.Head, t.Right = append(t.Head, report.Clip(report.Visible(n.Name), 40)), append(t.Right, true)
		for _, c := range n.Result.Cases {
			at, known := rows[fullName(c)]
			if !known {
				at = len(t.Rows)
				rows[fullName(c)] = at
				t.Rows = append(t.Rows, row{Name: fullName(c), Cells: absent(len(all))})
			}
			t.Rows[at].Cells[i] = besideCell(c)
		}
	}
	v.Answer = t
	return write(w, v)
}

// absent are cells of a case that no result has.
func absent(n int) []cell {
	out := make([]cell, n)
	for i := range out {
		out[i] = cell{Text: "–", Right: true, Class: "quiet"}
	}
	return out
}

// besideCell is a verdict in words, and the change where there is one.
func besideCell(c result.Case) cell {
	out := cell{Text: string(c.Verdict), Right: true, Class: looks[c.Verdict].class + "-word"}
	if c.Compared != nil {
		out.Text = report.Change(c.Compared.Ratio-1, 1) + ", " + out.Text
	}
	return out
}
