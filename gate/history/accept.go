package history

import "github.com/org/perfgate/gate/rule"

// Acceptance is a commit that asks to let a regression pass.
type Acceptance struct {
	Commit  string `json:"commit"`
	Pattern string `json:"pattern"`
	Reason  string `json:"reason"`
}

// accept notes which commits of the change ask to let it pass. Only a slower case needs that.
func (c *Change) accept(of Case, accepted func(after, upTo string) []Acceptance) {
	if c.Ratio <= 1 {
		return
	}
	for _, a := range accepted(c.After.ID, c.At.ID) {
		if (rule.Acceptance{Pattern: a.Pattern}).Covers(of.Kernel, of.Name) {
			c.Accepted = append(c.Accepted, a)
		}
	}
}
