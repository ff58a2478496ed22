package history

import "github.com/org/perfgate/gate/result"

// Acceptance is a commit that asks to let a regression pass.
type Acceptance struct {
	Commit  string `json:"commit"`
	Pattern string `json:"pattern"`
	Reason  string `json:"reason"`
}

// once asks for each range of commits only once: most changes of a history lie in the same few.
func once(asked func(after, upTo string) []Acceptance) func(after, upTo string) []Acceptance {
	known := map[[2]string][]Acceptance{}
	return func(after, upTo string) []Acceptance {
		commits := [2]string{after, upTo}
		found, ok := known[commits]
		if !ok {
			found = asked(after, upTo)
			known[commits] = found
		}
		return found
	}
}

// accept notes which commits of the change ask to let it pass. Only a slower case needs that.
func (c *Change) accept(of Case, accepted func(after, upTo string) []Acceptance) {
	if c.Ratio <= 1 {
		return
	}
	for _, a := range accepted(c.After.ID, c.At.ID) {
		if result.CaseMatches(a.Pattern, of.Kernel, of.Name) {
			c.Accepted = append(c.Accepted, a)
		}
	}
}
