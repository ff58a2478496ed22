package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/text"
)

// completeRounds counts the rounds that each case was in.
func completeRounds(r *result.Result) map[string]int {
	n := map[string]int{}
	for _, round := range r.Rounds {
		if round.Voided != "" {
			continue
		}
		for _, name := range round.Cases {
			n[name]++
		}
	}
	for _, c := range r.Cases {
		if c.Compared() != nil {
			n[c.Name] = max(n[c.Name], c.Compared().Rounds)
		}
	}
	return n
}

// remark is a sentence about one case.
type remark struct {
	of   Name
	text Text
	open bool // how far an open case is from an answer
}

// line is a remark with the name of its case.
func (m remark) line() Text { return say("`%s`: %v", m.of.Full, m.text) }

// mostOpen is how many inconclusive cases have a line each: a noisy machine leaves all of them so, for one reason.
const mostOpen = 3

// openRemarks say of the first inconclusive cases what an answer would take.
func openRemarks(remarks []remark) Block {
	var open phrases
	for _, m := range remarks {
		if m.open {
			open = append(open, m.line())
		}
	}
	rest := func(more int) string {
		return text.Count(more, "more inconclusive case") + "; the HTML report says what each would take"
	}
	return pointsOf("open", Always, Quiet, capped(open, mostOpen, rest))
}

// remarks are the sentences that single rows need: what an open case would take, and what to know of a number.
func remarks(r *result.Result) []remark {
	var out []remark
	done, kernels := completeRounds(r), byName(r.Kernels)
	for _, c := range sorted(r.Cases) {
		add := func(text Text, open bool) { out = append(out, remark{nameOf(c), text, open}) }
		q := c.Compared()
		switch {
		case c.BudgetGone && done[c.Name] < rule.MinRounds: // the headline says it
		case c.Verdict == result.Inconclusive || c.Verdict == result.Undecided:
			add(openRemark(c, done[c.Name], rule.LastLook(r.Policy)), true)
		case remarksReason(kernels[c.Kernel], c):
			add(Say(Reason(c.Reason)), false)
		case q != nil && q.Floored:
			add(Say("varies less than the timer resolution; the interval allows for it"), false)
		}
		if q != nil && q.Suspect != nil {
			add(Say(suspectWords(*q.Suspect)), false)
		}
		if t := r.Policy.ToleranceOf(c.Name); t.FloorNS > 0 && c.Compared() != nil {
			add(Say(marginWords(t, c.FloorTimeNS())), false)
		}
		if text := choiceRemark(c); text != nil {
			add(text, false)
		}
	}
	return out
}

// remarksReason says whether a remark has the reason of a case, as where it was compared all the same, and where it is too long for a
// cell. That its kernel is wrong or does not build, the headline and the kernel's own lines say.
func remarksReason(k result.Kernel, c result.Case) bool {
	switch {
	case c.Verdict == result.Inconclusive || c.Verdict == result.Undecided:
		return false
	case c.Compared() != nil:
		return Reason(c.Reason) != ""
	case k.Parity.Status == result.ParityFailed || failed(k.Head) || failed(k.Base):
		return false
	}
	return c.Verdict == result.Skipped && text.Width(Reason(c.Reason)) > LongestCell
}

// marginWords say which of a tolerance and its floor holds.
func marginWords(t result.CaseTolerance, launchNS float64) string {
	margin := t.Margin(launchNS)
	return fmt.Sprintf("%s is tolerated%s the floor of %s, of %s on base", text.Limit(margin), either(margin > t.Tolerance, ":", ", more than"),
		text.Duration(t.FloorNS), text.Duration(launchNS))
}

// suspectWords say what some processes of a side were like.
func suspectWords(s result.Suspect) string {
	return fmt.Sprintf("%d of %d %s processes %s %s slower than the rest: slow only sometimes, or process-to-process variation",
		s.Processes, s.Of, s.Side, either(s.Processes > 1, "were up to", "was"), text.Percent(s.Shift))
}

// openRemark says how far an open case is from an answer.
func openRemark(c result.Case, done, mostRounds int) Text {
	needed := 0
	if c.Compared() != nil {
		needed = c.Compared().RoundsNeeded
	}
	far := ""
	switch {
	case done < rule.MinRounds:
		far = fmt.Sprintf(", at least %d are needed", rule.MinRounds)
	case needed > mostRounds:
		far = fmt.Sprintf("; to decide it takes %s, and a run has %d", roundsWords(needed), mostRounds)
	case needed > 0:
		far = "; to decide it takes " + roundsWords(needed)
	default:
		far = "; no number of rounds within reach would decide it"
	}
	if !c.BudgetGone { // or the headline says it
		far += because(Reason(c.Reason))
	}
	return Say("undecided after " + text.Count(done, "round") + far)
}

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
	return slices.Concat(out, notesIn(r, "waivers"))
}

// owner is whose waivers let findings pass.
func owner(r *result.Result, waived []result.Finding) string {
	var owners []string
	for _, f := range waived {
		if w := r.Policy.WaiverOf(f.Case); w != nil && !slices.Contains(owners, w.Owner) {
			owners = append(owners, w.Owner)
		}
	}
	return either(len(owners) == 1, andMore(owners, 1, ", "), "several owners")
}
