package report

import (
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// TunedDocument is what tune found as its reader meets it: the answer case by case, then every configuration over all cases.
func TunedDocument(t *result.Tuned) Document {
	d := Document{Verdict: "TUNED", Tone: Quiet, Headline: Say(tunedAnswer(t))}
	if t.All == nil || t.All.Best < 0 {
		d.Verdict, d.Tone = verdictWords[result.RunError].words, verdictWords[result.RunError].tone
	}
	var same phrases
	var failed []Block
	fails := func(s string, why *result.Reason, output string) {
		failed = append(failed, logOf(fmt.Sprintf("problem-%d", len(failed)+1), Say(s+": "+Reason(why)), Warn, "", Lines(output)))
	}
	for _, s := range t.Configurations {
		switch s.Status {
		case result.TunedSame:
			same.say("%s builds to the same code as %s", s.Text, t.Configurations[s.SameAs].Text)
		case result.TunedBroken, result.TunedWrong:
			fails(s.Text, s.Reason, s.Output)
		}
	}
	var all []Block
	if t.All != nil {
		all = []Block{tableOf("table-2", Always, tunedConfigurations(t))}
		for _, s := range t.All.Configurations {
			if s.Reason != nil {
				fails(t.Configurations[s.Configuration].Text, s.Reason, "")
			}
		}
	}
	run := &result.Result{Tool: t.Tool, Started: t.Started, Seed: t.Seed, Machine: t.Machine, Timings: result.Timings{TotalS: t.Seconds}}
	d.Blocks = filled(slices.Concat([]Block{tableOf("cases", Always, tunedCases(t))}, all, failed,
		[]Block{notesOf(append(same, plainNotes(t.Notes)...)), factsOf(facts(run)), repeatOf(Folded, t.Repro)})...)
	return d
}

// tunedAnswer is the answer in one sentence.
func tunedAnswer(t *result.Tuned) string {
	if t.All == nil || t.All.Best < 0 {
		return Untuned(t)
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
	return text
}

// tuneSpare is how much more than it seems to need a race is given, so that the next one is not cut short as well.
const tuneSpare = 1.25

// Untuned says why no configuration is the fastest, and what to do.
func Untuned(t *result.Tuned) string {
	if s := t.BudgetNeededS; s > 0 {
		return fmt.Sprintf("time budget exhausted after %s; the first comparison is after 2, which need about %s: --budget %s",
			Count(t.Rounds, "complete round"), minutes(s), minutes(tuneSpare*s))
	}
	return "no configuration could be measured in every case"
}

func tunedCases(t *result.Tuned) Table {
	return tableBy("case", t.Cases, func(_ int, c result.TunedCase) Row {
		row := Row{Name: caseName(c.Name)}
		if c.Best < 0 {
			row.Instead = cell("could not be measured", Warn)
		}
		return row
	},
		column[result.TunedCase]{Column{Key: "best", Title: "best"}, func(c result.TunedCase) Cell { return cell(t.Configurations[c.Best].Text, Good) }},
		numbersIn("time", "time", 0, func(c result.TunedCase) Cell { return timeCell(inCase(c, c.Best).MedianNS, Plain) }),
		column[result.TunedCase]{Column{Key: "as-good", Title: "as good", Priority: 1}, func(c result.TunedCase) Cell { return cell(asGood(t, c), Quiet) }},
		numbersIn("shipped", "as shipped", 0, func(c result.TunedCase) Cell { return lossCell(inCase(c, 0)) }),
		numbersIn("overall", "one for all", 0, func(c result.TunedCase) Cell {
			if t.All == nil || t.All.Best < 0 {
				return cell(blank, Quiet)
			}
			return lossCell(inCase(c, t.All.Best))
		}))
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
	names := []string{}
	for _, configuration := range c.Among {
		if configuration != c.Best {
			names = append(names, t.Configurations[configuration].Text)
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return andMore(names, mostAsGood, "; ")
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

// tunedConfigurations are all configurations over all cases.
func tunedConfigurations(t *result.Tuned) Table {
	unlessBest := func(of func(result.TunedInCase) Cell) func(result.TunedInCase) Cell {
		return func(s result.TunedInCase) Cell {
			if s.Standing == result.TunedBest {
				return Cell{}
			}
			return of(s)
		}
	}
	table := tableBy("configuration", t.All.Configurations, func(_ int, s result.TunedInCase) Row {
		row := named(0, t.Configurations[s.Configuration].Text)
		if s.Standing == result.TunedUnmeasured {
			row.Instead = cell(standingWords[s.Standing], Warn)
		}
		return row
	},
		numbersIn("time", "time", 0, func(s result.TunedInCase) Cell { return timeCell(s.MedianNS, Plain) }),
		numbersIn("change", "against the best", 0, unlessBest(func(s result.TunedInCase) Cell { return changeCell(s.Ratio-1, 1, Plain) })),
		numbersIn("interval", "interval", 0, unlessBest(func(s result.TunedInCase) Cell {
			return intervalCell(result.Shift{Ratio: s.Ratio, Low: s.Low, High: s.High}, Quiet)
		})),
		numbersIn("rounds", "rounds", 1, func(s result.TunedInCase) Cell { return countCell(s.Rounds, Quiet) }),
		column[result.TunedInCase]{Column{Key: "standing", Title: "stands"}, func(s result.TunedInCase) Cell {
			if s.Standing == result.TunedBest {
				return cell(standingWords[s.Standing], Good)
			}
			return cell(standingWords[s.Standing], Plain)
		}})
	table.Title = "Configurations over all cases"
	return table
}

var standingWords = map[result.TunedStanding]string{
	result.TunedBest: "best", result.TunedLevel: "as good", result.TunedInconclusive: "may be as fast", result.TunedSlower: "slower", result.TunedUnmeasured: "not measured",
}
