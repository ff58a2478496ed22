package report

import "github.com/org/perfgate/gate/result"

// mostChoices bounds what is told of one side.
const mostChoices = 4

// choiceRemark tells of a case whose autotuner did not choose the same everywhere: then other code was timed in other processes.
func choiceRemark(c result.Case) Text {
	base, head := c.Choices(result.VariantBase), c.Choices(result.VariantHead)
	switch {
	case len(base) > 1 || len(head) > 1:
		var told phrases
		for _, side := range []struct {
			name    string
			choices []result.Choice
		}{{"base", base}, {"head", head}} {
			told.when(len(side.choices) > 0, append(Say(side.name+" chose "), choicesText(side.choices)...)...)
		}
		return told.joined("; ")
	case len(base) == 1 && len(head) == 1 && base[0].Config != head[0].Config:
		return Text{words("base chose "), code(base[0].Config), words(", head "), code(head[0].Config)}
	}
	return nil
}

// choicesText is "BLOCK=64 in 11 processes, BLOCK=128 in 5".
func choicesText(choices []result.Choice) Text {
	var out phrases
	for i, c := range choices[:min(len(choices), mostChoices)] {
		times := digits(float64(c.Processes), 0)
		if i == 0 {
			times = Count(c.Processes, "process", "processes")
		}
		out.when(true, code(c.Config), words(" in "+times))
	}
	out.when(len(choices) > mostChoices, words(Count(len(choices)-mostChoices, "other")))
	return out.joined(", ")
}
