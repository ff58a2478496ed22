package report

import (
	"fmt"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// TunedDocument is what tune found as its reader meets it: the answer case by case, then every configuration over all cases.
func TunedDocument(t *result.Tuned) Document {
	d := parts{Document: Document{Kind: "tune", Verdict: "TUNED", Tone: Quiet, Headline: tunedAnswer(t)}, cases: tunedCases(t), repro: t.Repro}
	if t.All == nil || t.All.Best < 0 {
		d.Verdict, d.Tone = verdictWords[result.RunError].words, verdictWords[result.RunError].tone
	}
	for _, s := range t.Configurations {
		switch s.Status {
		case result.TunedSame:
			d.noted = append(d.noted, Say(fmt.Sprintf("%s builds to the same code as %s", s.Text, t.Configurations[s.SameAs].Text)))
		case result.TunedBroken, result.TunedWrong:
			d.problems = append(d.problems, Problem{Title: Text{words(s.Text + ": " + Reason(s.Reason))}, Output: lines(s.Output), Tone: Warn})
		}
	}
	if t.All != nil {
		d.competitors = []Table{tunedConfigurations(t)}
		for _, s := range t.All.Configurations {
			if s.Reason != nil {
				d.problems = append(d.problems, Problem{Title: Text{words(t.Configurations[s.Configuration].Text + ": " + Reason(s.Reason))}, Tone: Warn})
			}
		}
	}
	for _, note := range t.Notes {
		d.noted = append(d.noted, Say(note))
	}
	d.facts = facts(&result.Result{Tool: t.Tool, Started: t.Started, Seed: t.Seed, Machine: t.Machine, Timings: result.Timings{TotalS: t.Seconds}})
	d.Blocks = searchBlocks(d)
	return d.Document
}

// tunedAnswer is the answer in one sentence.
func tunedAnswer(t *result.Tuned) Text {
	if t.All == nil || t.All.Best < 0 {
		return Say(Untuned(t))
	}
	text := fmt.Sprintf("%s is the fastest of %s", t.Configurations[t.All.Best].Text, Count(len(t.Configurations), "configuration"))
	if len(t.Cases) > 1 {
		text += " over all cases"
	}
	if others := len(t.All.Among) - 1; others > 0 {
		text += fmt.Sprintf(", and %s may be as fast", Count(others, "other"))
	}
	for _, s := range t.All.Configurations {
		if s.Configuration == 0 && t.All.Best != 0 && s.Ratio > 0 {
			text += fmt.Sprintf("; the shipped configuration: %s", Change(s.Ratio-1, 1))
		}
	}
	if !t.Over {
		text += fmt.Sprintf("; successive elimination was not finished after %s", Count(t.Rounds, "round"))
	}
	return Say(text)
}

// tuneSpare is how much more than it seems to need a race is given, so that the next one is not cut short as well.
const tuneSpare = 1.25

// Untuned says why no configuration is the fastest, and what to do.
func Untuned(t *result.Tuned) string {
	if s := t.BudgetNeededS; s > 0 {
		return fmt.Sprintf("time budget exhausted after %s; the first comparison is after 2, which need about %s: --budget %s", Count(t.Rounds, "complete round"), minutes(s), minutes(tuneSpare*s))
	}
	return "no configuration could be measured in every case"
}

func tunedCases(t *result.Tuned) Table {
	table := Table{First: "case", Columns: []Column{
		{Key: "best", Title: "best"}, {Key: "time", Title: "time", Unit: "ns", Align: Right}, {Key: "as-good", Title: "as good", Priority: 1},
		{Key: "shipped", Title: "as shipped", Align: Right}, {Key: "overall", Title: "one for all", Align: Right},
	}}
	for _, c := range t.Cases {
		row := Row{Name: caseName(c.Name)}
		if c.Best < 0 {
			row.Instead = cell("could not be measured", Warn)
			table.Rows = append(table.Rows, row)
			continue
		}
		row.Cells = Cells{
			"best": cell(t.Configurations[c.Best].Text, Good), "time": timeCell(inCase(c, c.Best).MedianNS, Plain), "as-good": cell(asGood(t, c), Quiet),
			"shipped": lossCell(inCase(c, 0)), "overall": lossOfAll(t, c),
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

func inCase(c result.TunedCase, configuration int) result.TunedInCase {
	for _, s := range c.Configurations {
		if s.Configuration == configuration {
			return s
		}
	}
	return result.TunedInCase{Standing: result.TunedUnmeasured}
}

// mostAsGood is how many configurations a cell names.
const mostAsGood = 3

func asGood(t *result.Tuned, c result.TunedCase) string {
	var names []string
	for _, configuration := range c.Among {
		if configuration != c.Best {
			names = append(names, t.Configurations[configuration].Text)
		}
	}
	if len(names) > mostAsGood {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostAsGood], "; "), len(names)-mostAsGood)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, "; ")
}

func lossCell(s result.TunedInCase) Cell {
	switch s.Standing {
	case result.TunedUnmeasured:
		return cell(blank, Quiet)
	case result.TunedBest:
		return cell("best", Good)
	case result.TunedSlower:
		return changeCell(s.Ratio-1, 1, Bad)
	}
	return changeCell(s.Ratio-1, 1, Plain)
}

func lossOfAll(t *result.Tuned, c result.TunedCase) Cell {
	if t.All == nil || t.All.Best < 0 {
		return cell(blank, Quiet)
	}
	return lossCell(inCase(c, t.All.Best))
}

// tunedConfigurations are all configurations over all cases.
func tunedConfigurations(t *result.Tuned) Table {
	table := Table{Title: "Configurations over all cases", First: "configuration", Columns: []Column{
		{Key: "time", Title: "time", Unit: "ns", Align: Right}, {Key: "change", Title: "against the best", Unit: "ratio", Align: Right},
		{Key: "interval", Title: "interval", Align: Right}, {Key: "rounds", Title: "rounds", Unit: "1", Align: Right, Priority: 1}, {Key: "standing", Title: "stands"},
	}}
	for _, s := range t.All.Configurations {
		row := Row{Name: Name{Full: t.Configurations[s.Configuration].Text}}
		switch {
		case s.Standing == result.TunedUnmeasured:
			row.Instead = cell("not measured", Warn)
		case s.Standing == result.TunedBest:
			row.Cells = Cells{"change": {}, "interval": {}, "standing": cell(standingWords[s.Standing], Good)}
		default:
			row.Cells = Cells{
				"change": changeCell(s.Ratio-1, 1, Plain), "interval": cell(Change(s.Low-1, 1)+" … "+Change(s.High-1, 1), Quiet),
				"standing": cell(standingWords[s.Standing], Plain),
			}
		}
		if row.Instead.Text == "" {
			row.Cells["time"], row.Cells["rounds"] = timeCell(s.MedianNS, Plain), countCell(s.Rounds, Quiet)
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

var standingWords = map[result.TunedStanding]string{
	result.TunedBest: "best", result.TunedLevel: "as good", result.TunedInconclusive: "may be as fast", result.TunedSlower: "slower", result.TunedUnmeasured: "not measured",
}
