package history

import (
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// Narrow leaves the cases that patterns name, or all where there are none. A pattern that names no case is a mistake, which an empty answer
// would hide.
func (h *History) Narrow(patterns []string) error {
	if len(patterns) == 0 || len(h.Cases) == 0 {
		return nil
	}
	matches := func(p string) func(Case) bool {
		return func(c Case) bool { return result.CaseMatches(p, c.Kernel, c.Name) }
	}
	for _, p := range patterns {
		if !slices.ContainsFunc(h.Cases, matches(p)) {
			return fmt.Errorf("no case of these records matches %q; an example is %q", p, h.Cases[0].Name)
		}
	}
	h.Cases = slices.DeleteFunc(h.Cases, func(c Case) bool {
		return !slices.ContainsFunc(patterns, func(p string) bool { return matches(p)(c) })
	})
	return nil
}
