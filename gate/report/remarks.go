package report

import (
	"fmt"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
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

// remarks are the sentences that single rows need: what an open case would take, and what to know of a number.
func remarks(r *result.Result) []Remark {
	var out []Remark
	done, kernels := completeRounds(r), byName(r.Kernels)
	for _, c := range sorted(r.Cases) {
		switch {
		case c.BudgetGone && done[c.Name] < rule.MinRounds: // the headline says it
		case c.Verdict == result.Inconclusive || c.Verdict == result.Undecided:
			out = append(out, Remark{nameOf(c), openRemark(c, done[c.Name], r.Policy), true})
		case remarksReason(kernels[c.Kernel], c):
			out = append(out, Remark{nameOf(c), Say(Reason(c.Reason)), false})
		case c.Compared() != nil && c.Compared().Floored:
			out = append(out, Remark{nameOf(c), Say("varies less than the timer resolution; the interval allows for it"), false})
		}
		if c.Compared() != nil && c.Compared().Suspect != nil {
			out = append(out, Remark{nameOf(c), Say(suspectWords(*c.Compared().Suspect)), false})
		}
		if t := r.Policy.ToleranceOf(c.Name); t.FloorNS > 0 && c.Compared() != nil {
			out = append(out, Remark{nameOf(c), Say(marginWords(t, c.CalibratedNS())), false})
		}
		if text := choiceRemark(c); text != nil {
			out = append(out, Remark{nameOf(c), text, false})
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
	return c.Verdict == result.Skipped && Width(Reason(c.Reason)) > longestCell
}

// marginWords say which of a tolerance and its floor holds.
func marginWords(t result.CaseTolerance, launchNS float64) string {
	if margin := t.Margin(launchNS); margin > t.Tolerance {
		return fmt.Sprintf("%s is tolerated: the floor of %s, of %s on base", limit(margin), Duration(t.FloorNS), Duration(launchNS))
	}
	return fmt.Sprintf("%s is tolerated, more than the floor of %s, of %s on base", limit(t.Tolerance), Duration(t.FloorNS), Duration(launchNS))
}

// suspectWords say what some processes of a side were like.
func suspectWords(s result.Suspect) string {
	verb := "was"
	if s.Processes > 1 {
		verb = "were up to"
	}
	return fmt.Sprintf("%d of %d %s processes %s %s slower than the rest: slow only sometimes, or process-to-process variation", s.Processes, s.Of, s.Side, verb, Percent(s.Shift))
}

// farOff is a number of rounds beyond which an estimate of it is none.
const farOff = 1000

// openRemark says how far an open case is from an answer.
func openRemark(c result.Case, done int, p result.Policy) Text {
	most := rule.LastLook(p)
	s := "undecided after " + Count(done, "round")
	needed := 0
	if c.Compared() != nil {
		needed = c.Compared().RoundsNeeded
	}
	switch {
	case done < rule.MinRounds:
		s += fmt.Sprintf(", at least %d are needed", rule.MinRounds)
	case needed > farOff:
		s += fmt.Sprintf("; to decide it takes more than %d, and a run has %d", farOff, most)
	case needed > most:
		s += fmt.Sprintf("; to decide it takes about %d, more than the %d of a run", needed, most)
	case needed > 0:
		s += fmt.Sprintf("; to decide it takes about %d", needed)
	default:
		s += "; no number of rounds within reach would decide it"
	}
	if !c.BudgetGone { // or the headline says it
		s += because(Reason(c.Reason))
	}
	return Say(s)
}
