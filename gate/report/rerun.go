package report

import (
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// BothRuns is what a saved run and its repetition on this machine say of each case that both have.
func BothRuns(saved, fresh *result.Result) Document {
	was := map[string]result.Case{}
	for _, c := range saved.Cases {
		was[c.Name] = c
	}
	var rows [][]string
	for _, c := range fresh.Cases {
		if old, ok := was[c.Name]; ok {
			rows = append(rows, []string{c.Name, comparedChange(old), string(old.Verdict), comparedChange(c), string(c.Verdict)})
		}
	}
	if len(rows) == 0 {
		return Document{}
	}
	d := listOf("rerun", []string{"case", "there", "verdict", "here", "verdict"}, rows)
	machines := Block{Key: "machines", List: []Item{{Label: "there", Text: Say(text.Visible(saved.Machine.Model))}, {Label: "here", Text: Say(text.Visible(fresh.Machine.Model))}}}
	d.Blocks = append([]Block{machines}, d.Blocks...)
	return d
}

func comparedChange(c result.Case) string {
	if c.Compared() == nil {
		return "-"
	}
	return text.Change(c.Compared().Ratio-1, 1)
}
