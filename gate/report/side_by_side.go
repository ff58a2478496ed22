package report

import (
	"strconv"

	"github.com/org/perfgate/gate/result"
)

// Named is a result among several, such as those of other machines or days.
type Named struct {
	Name   string // as its file is called
	Page   string // of its own, relative to the report of all
	Result *result.Result
}

// SideBySide has several results next to each other: a row for each case, a column for each result. Nothing is decided over them.
func SideBySide(all []Named) Document {
	t := Table{First: "case"}
	runs := Block{Key: "results", Title: Say("Results")}
	rows := map[string]int{}
	for i, n := range all {
		key := strconv.Itoa(i + 1)
		t.Columns = append(t.Columns, Column{Key: key, Title: Clip(n.Name, 40), Unit: "ratio", Align: Right})
		own := New(n.Result)
		runs.Blocks = append(runs.Blocks, Block{
			Key: "result/" + key, Paragraphs: []Text{{code(n.Name), words(": " + own.Verdict + ", " + n.Result.Machine.Model)}}, Links: []Link{{Text: "its report: " + key, URL: n.Page}},
		})
		for _, c := range n.Result.Cases {
			name := nameOf(c)
			at, known := rows[name.Full]
			if !known {
				at = len(t.Rows)
				rows[name.Full] = at
				t.Rows = append(t.Rows, Row{Name: name, Cells: Cells{}})
			}
			t.Rows[at].Cells[key] = verdictCell(c)
		}
	}
	for _, row := range t.Rows {
		for _, c := range t.Columns {
			if _, has := row.Cells[c.Key]; !has {
				row.Cells[c.Key] = cell(blank, Quiet)
			}
		}
	}
	return Document{
		Kind: "side-by-side", Verdict: "SIDE BY SIDE", Tone: Quiet, Headline: Say(Count(len(all), "result") + ", each case as head over base of its own run"),
		Blocks: []Block{runs, {Key: "cases", Title: Say("Cases"), Table: &t}},
	}
}

// verdictCell is a verdict in words, with the change where there is one.
func verdictCell(c result.Case) Cell {
	if c.Compared() == nil {
		return cell(string(c.Verdict), verdictTone[c.Verdict])
	}
	return number(Change(c.Compared().Ratio-1, 1)+", "+string(c.Verdict), c.Compared().Ratio-1, verdictTone[c.Verdict])
}
