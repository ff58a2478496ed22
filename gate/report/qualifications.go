package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// qualifications say what weakens a pass without being a finding: parity of less than was planned or by a weak oracle, losses over many changes, and
// head's processes that are slow only sometimes. Each kind has a few sentences at most.
func qualifications(r *result.Result) []Text {
	var parity, sometimes []Text
	for _, k := range r.Kernels {
		parity = append(parity, weakParity(k)...)
	}
	for _, c := range r.Cases {
		if q := c.Compared(); q != nil && q.Suspect != nil && q.Suspect.Side == result.SideHead {
			sometimes = append(sometimes, say("`%s`%v", c.Name, Say(": "+suspectWords(*q.Suspect)).In(Warn)))
		}
	}
	return slices.Concat(atMost(parity), atMost(cumulativeWarnings(r)), atMost(sometimes))
}

// atMost are the first few sentences, and how many more there are.
func atMost(all []Text) []Text {
	return capped(all, 3, func(more int) string { return fmt.Sprintf("%d more like these", more) })
}

// weakParity says why a passed parity check of a kernel shows less than it seems to.
func weakParity(k result.Kernel) []Text {
	p := k.Parity
	if p.Status != result.ParityPassed {
		return nil
	}
	var why []string
	if p.Run < p.Planned {
		why = append(why, fmt.Sprintf("%d of %s were checked", p.Run, text.Count(p.Planned, "case")))
	}
	if p.Oracle == "relations" {
		why = append(why, "checked"+oracles[p.Oracle])
	}
	if why = append(why, parityWarnings(p)...); len(why) == 0 {
		return nil
	}
	return []Text{say("`%s`%v", k.Name, Say(": parity: "+strings.Join(why, "; ")).In(Warn))}
}
