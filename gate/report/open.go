package report

import (
	"fmt"
	"math"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/result"
)

// isOpen says whether a case has no verdict.
func isOpen(c result.Case) bool {
	return c.Verdict == result.Inconclusive || c.Verdict == result.Undecided
}

func unfinished(r *result.Result, found []result.Finding) []Text {
	return []Text{unendedText(r, casesOf(r, found))}
}

func tooNoisy(r *result.Result, found []result.Finding) []Text {
	return []Text{drowningText(r, casesOf(r, found))}
}

func failingText(r *result.Result, c result.Case) Text {
	tolerance := tied(limit(r.Policy.Tolerance))
	if r.Policy.OnInconclusive == result.OnInconclusiveFail {
		return append(shiftText(r, c), words(": that it keeps within the tolerance of "+tolerance+" is not sure, which fails by policy"))
	}
	return append(shiftText(r, c), words(": not surely over the tolerance of "+tolerance+", but the estimate is"))
}

// subject names one case, or says how many of the run's cases there are.
func subject(r *result.Result, cases []result.Case) Text {
	if len(cases) == 1 {
		return Text{code(cases[0].Name)}
	}
	if len(cases) == len(r.Cases) {
		return Say(Count(len(cases), "case"))
	}
	return Say(fmt.Sprintf("%d of %s", len(cases), Count(len(r.Cases), "case")))
}

func unendedText(r *result.Result, cases []result.Case) Text {
	spent, needed, most, done := false, 0.0, 0, completeRounds(r)
	for _, c := range cases {
		spent = spent || c.BudgetGone
		needed = max(needed, c.BudgetNeededS)
		most = max(most, done[c.Name])
	}
	t := append(subject(r, cases), words(": still open after "+Count(most, "round")))
	if spent {
		t = append(t, words(", when the budget of "+tied(Elapsed(r.BudgetS))+" was spent"))
	}
	if needed > 0 {
		t = append(t, words("; all looks need about "+tied(Elapsed(needed))+": "), code(tied(budgetFlag(needed))))
	}
	return t
}

// budgetFlag asks for whole minutes: nobody trusts an estimate to the second.
func budgetFlag(seconds float64) string {
	return fmt.Sprintf("--budget %dm", int(math.Ceil(seconds/60)))
}

func drowningText(r *result.Result, cases []result.Case) Text {
	mde := 0.0
	for _, c := range cases {
		mde = max(mde, c.Compared.MDE)
	}
	return append(subject(r, cases), words(fmt.Sprintf(
		": this machine is too noisy for a tolerance of %s, the smallest effect that it can see here is %s; quieten it, raise the tolerance or measure a larger case",
		tied(limit(r.Policy.Tolerance)), tied(Percent(mde)))))
}

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
		if c.Compared != nil {
			n[c.Name] = max(n[c.Name], c.Compared.Rounds)
		}
	}
	return n
}

// remarks are the sentences that single rows need: what an open case would take, and what to know of a number.
func remarks(r *result.Result) []Remark {
	var out []Remark
	done := completeRounds(r)
	for _, c := range sorted(r.Cases) {
		switch {
		case isOpen(c):
			out = append(out, Remark{nameOf(c), openRemark(c, done[c.Name])})
		case c.Compared != nil && c.Reason != "", c.Verdict == result.Skipped && width(c.Reason) > longestCell:
			out = append(out, Remark{nameOf(c), Say(c.Reason)})
		case c.Compared != nil && c.Compared.Floored:
			out = append(out, Remark{nameOf(c), Say("scatters less than the clock resolves; the interval allows for its steps")})
		}
	}
	return out
}

// openRemark says how far an open case is from an answer.
func openRemark(c result.Case, done int) Text {
	most := gate.Looks[len(gate.Looks)-1]
	s := "open after " + Count(done, "round")
	switch needed := needed(c); {
	case done < gate.MinRounds:
		s += fmt.Sprintf(", at least %d are needed", gate.MinRounds)
	case needed > most:
		s += fmt.Sprintf("; to tell it from the tolerance takes about %d, more than the %d of a run", needed, most)
	case needed > 0:
		s += fmt.Sprintf("; to tell it from the tolerance takes about %d", needed)
	default:
		s += "; no number of rounds in reach would tell it from the tolerance"
	}
	if !c.BudgetGone { // or the headline says it
		s += because(c.Reason)
	}
	return Say(s)
}

func needed(c result.Case) int {
	if c.Compared == nil {
		return 0
	}
	return c.Compared.RoundsNeeded
}
