package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// qualifications say what weakens a pass without being a finding: parity of less than was planned or by a weak oracle, losses over many changes, and
// head's processes that are slow only sometimes. Each kind has a few sentences at most.
func qualifications(r *result.Result) []Text {
	var parity, lost, sometimes []Text
	for _, k := range r.Kernels {
		if t := weakParity(k); t != nil {
			parity = append(parity, t)
		}
	}
	for _, warning := range cumulativeWarnings(r) {
		lost = append(lost, Text{{Text: warning, Tone: Warn}})
	}
	for _, c := range r.Cases {
		if q := c.Compared(); q != nil && q.Suspect != nil && q.Suspect.Side == result.SideHead {
			sometimes = append(sometimes, Text{code(c.Name), {Text: ": " + suspectWords(*q.Suspect), Tone: Warn}})
		}
	}
	return slices.Concat(atMost(parity), atMost(lost), atMost(sometimes))
}

// atMost are the first few sentences, and how many more there are.
func atMost(all []Text) []Text {
	const most = 3
	if more := len(all) - most; more > 0 {
		return append(all[:most:most], Say(fmt.Sprintf("%d more like these", more)))
	}
	return all
}

// weakParity says why a passed parity check of a kernel shows less than it seems to; nil where it does not.
func weakParity(k result.Kernel) Text {
	p := k.Parity
	if p.Status != result.ParityPassed {
		return nil
	}
	var why []string
	if p.Run < p.Planned {
		why = append(why, fmt.Sprintf("%d of %s were checked", p.Run, Count(p.Planned, "case")))
	}
	if p.Oracle == "relations" {
		why = append(why, "checked against declared relations only, which many wrong kernels obey")
	}
	if why = append(why, parityWarnings(p)...); len(why) == 0 {
		return nil
	}
	return Text{code(k.Name), {Text: ": parity: " + strings.Join(why, "; "), Tone: Warn}}
}
