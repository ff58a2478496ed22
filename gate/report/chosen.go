package report

import (
	"cmp"
	"maps"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// choice is a configuration that an autotuner chose in some processes of a side.
type choice struct {
	config    string
	processes int
}

// choicesOf counts what a side's processes chose, the most frequent first; what did not tell is left out.
func choicesOf(c result.Case, side result.Side) []choice {
	counts := map[string]int{}
	for _, p := range c.Processes {
		if p.Side == side && p.Chosen != "" {
			counts[p.Chosen]++
		}
	}
	var out []choice
	for _, config := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, choice{config, counts[config]})
	}
	slices.SortStableFunc(out, func(a, b choice) int { return cmp.Compare(b.processes, a.processes) })
	return out
}

// mostChoices bounds what is told of one side.
const mostChoices = 4

// choiceRemark tells of a case whose autotuner did not choose the same everywhere: then other code was timed in other processes.
func choiceRemark(c result.Case) Text {
	base, head := choicesOf(c, result.SideBase), choicesOf(c, result.SideHead)
	switch {
	case len(base) > 1 || len(head) > 1:
		var told phrases
		for _, side := range []struct {
			name    string
			choices []choice
		}{{"base", base}, {"head", head}} {
			told.when(len(side.choices) > 0, append(Say(side.name+" chose "), choicesText(side.choices)...)...)
		}
		return told.joined("; ")
	case len(base) == 1 && len(head) == 1 && base[0].config != head[0].config:
		return Text{words("base chose "), code(base[0].config), words(", head "), code(head[0].config)}
	}
	return nil
}

// choicesText is "BLOCK=64 in 11 processes, BLOCK=128 in 5".
func choicesText(choices []choice) Text {
	var out phrases
	for i, c := range choices[:min(len(choices), mostChoices)] {
		times := digits(float64(c.processes), 0)
		if i == 0 {
			times = Count(c.processes, "process", "processes")
		}
		out.when(true, code(c.config), words(" in "+times))
	}
	out.when(len(choices) > mostChoices, words(Count(len(choices)-mostChoices, "other")))
	return out.joined(", ")
}
