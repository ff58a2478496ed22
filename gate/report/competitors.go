package report

import (
	"cmp"
	"fmt"

	"github.com/org/perfgate/gate/result"
)

// speedupTone colours what is known of a minimum speedup.
var speedupTone = map[result.Verdict]Tone{
	result.Missed: Bad, result.Inconclusive: Warn, result.Undecided: Warn, result.Unmeasured: Warn, result.Met: Good,
}

// competitorTables are a table for each competitor, by its name: how many times as fast as it head is, and base, in every case that was measured
// beside it.
func competitorTables(r *result.Result) []Table {
	var out []Table
	for _, name := range competitorNames(r) {
		shown := Brief(Visible(name), longestCell/2)
		t := Table{Title: "vs " + shown, First: "case", Columns: []Column{
			{Key: "competitor", Title: shown, Unit: "ns", Align: Right},
			{Key: "head", Title: "vs " + shown, Unit: "ratio", Align: Right}, {Key: "head-interval", Title: "interval", Align: Right, Under: true},
			{Key: "base", Title: "base vs " + shown, Unit: "ratio", Align: Right, Priority: 1}, {Key: "base-interval", Title: "interval", Align: Right, Priority: 1, Under: true},
			{Key: "min-speedup", Title: "min speedup"},
		}}
		for _, c := range sorted(r.Cases) {
			for _, v := range c.Competitors {
				if v.Competitor == name {
					t.Rows = append(t.Rows, competitorRow(c, v))
				}
			}
		}
		out = append(out, t)
	}
	return out
}

// competitorNames are those that a case was to be measured beside, in order of first appearance.
func competitorNames(r *result.Result) []string {
	var names []string
	seen := map[string]bool{}
	for _, c := range r.Cases {
		for _, v := range c.Competitors {
			if !seen[v.Competitor] {
				seen[v.Competitor] = true
				names = append(names, v.Competitor)
			}
		}
	}
	return names
}

func competitorRow(c result.Case, v result.Versus) Row {
	row := Row{Name: nameOf(c), Rank: urgency(c), Cells: Cells{"min-speedup": cell(blank, Quiet)}}
	to := result.CompetitorNamed(v.Competitor)
	head := c.Comparison(result.VariantHead, to)
	if head != nil && head.MinSpeedup > 0 {
		row.Cells["min-speedup"] = cell(timesText(head.MinSpeedup)+" "+string(head.Verdict), speedupTone[head.Verdict])
	}
	if !head.HasNumbers() {
		reason := ""
		if head != nil {
			reason = Reason(head.Reason)
		}
		row.Instead = cell(cmp.Or(reason, "it was not tested"), Warn)
		return row
	}
	row.Cells["competitor"] = cell(blank, Plain)
	if v.Summary != nil {
		row.Cells["competitor"] = timeCell(v.Summary.MedianNS, Plain)
	}
	row.Cells["head"], row.Cells["head-interval"] = speedCells(head, Strong)
	row.Cells["base"], row.Cells["base-interval"] = speedCells(c.Comparison(result.VariantBase, to), Plain)
	return row
}

// speedCells are how many times as fast as a competitor a side is, and the interval of that.
func speedCells(c *result.Comparison, tone Tone) (speed, interval Cell) {
	s := result.Speed(c)
	if s == nil {
		return cell(blank, Quiet), cell(blank, Quiet)
	}
	places := 2
	if s.High-s.Low < 0.01 {
		places = 3
	}
	return number(digits(s.Ratio, places)+"x", s.Ratio, tone), cell(fmt.Sprintf("%s … %sx", digits(s.Low, places), digits(s.High, places)), Plain)
}
