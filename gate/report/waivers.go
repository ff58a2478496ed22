package report

import (
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// waivers says of each waiver that cases were measured under for what it is, whose, why and until when, and of those that are of no use what to do.
func waivers(r *result.Result) []Text {
	var out []Text
	for i := range r.Policy.Waivers {
		w := &r.Policy.Waivers[i]
		under := count(r.Cases, func(c result.Case) bool { return c.Compared() != nil && r.Policy.WaiverOf(c.Name) == w })
		if under > 0 {
			slower := either(w.Tolerance > 0, "up to "+tied(text.Limit(w.Tolerance))+" slower", "however slow")
			out = append(out, say("waiver of `%s` until %s for `%s` (%s, %s): %s", w.Owner, w.Until, w.Cases, text.Count(under, "case"), slower, w.Reason))
		}
	}
	return slices.Concat(out, sentencesOn(r, result.FindingWaiverLapsed, result.FindingWaiverUnmatched, result.FindingWaiverUnneeded))
}

// owner is whose waivers let findings pass.
func owner(r *result.Result, waived []result.Finding) string {
	var owners []string
	for _, f := range waived {
		if w := r.Policy.WaiverOf(f.Case); w != nil && !slices.Contains(owners, w.Owner) {
			owners = append(owners, w.Owner)
		}
	}
	return either(len(owners) == 1, firstOf(owners, 1), "several owners")
}
