package result

import (
	"cmp"
	"maps"
	"slices"
)

// Choice is a configuration that an autotuner chose in some processes of a variant.
type Choice struct {
	Config    string // as in Process.Chosen
	Processes int
}

// Choices counts what a variant's processes chose, the most frequent first; what did not tell is left out.
func (c Case) Choices(v Variant) []Choice {
	counts := map[string]int{}
	for _, p := range c.Of(v) {
		if p.Chosen != "" {
			counts[p.Chosen]++
		}
	}
	var out []Choice
	for _, config := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, Choice{config, counts[config]})
	}
	slices.SortStableFunc(out, func(a, b Choice) int { return cmp.Compare(b.Processes, a.Processes) })
	return out
}
