package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/text"
)

// cases are those of the run that the findings are about.
func (t telling) cases() []result.Case { return casesOf(t.run, t.found) }

// done counts the complete rounds of the case that has most.
func (t telling) done() any {
	most := 0
	for _, f := range t.found {
		most = max(most, f.Rounds)
	}
	rounds := completeRounds(t.run)
	for _, c := range t.cases() {
		most = max(most, rounds[c.Name])
	}
	return text.Count(most, "round") + either(most < rule.MinRounds, fmt.Sprintf(" of at least %d", rule.MinRounds), "")
}

// exhausted is the time budget, where it ended the measuring.
func (t telling) exhausted() any {
	gone := slices.ContainsFunc(t.found, func(f result.Finding) bool { return f.BudgetGone }) ||
		slices.ContainsFunc(t.cases(), func(c result.Case) bool { return c.BudgetGone })
	return say("[%s][ of %s]", either(gone, "the time budget", ""), either(gone && t.run.BudgetS > 0, tied(text.Elapsed(t.run.BudgetS)), ""))
}

// refused are how many cases a budget that is too short for a start holds, and the budget that all looks need.
func (t telling) refused() (holds int, needed float64) {
	holds, needed = t.found[0].Reason.Count, t.found[0].BudgetNeededS
	for _, c := range t.cases() {
		if c.Reason.Is(result.ReasonBudgetShort) {
			return c.Reason.Count, c.BudgetNeededS
		}
	}
	return holds, needed
}

func (t telling) holds() any {
	holds, _ := t.refused()
	return either(holds > 0, fmt.Sprintf("a first look of about %d", holds), "no first look")
}

// cures are fewer cases, shards, or the budget of a first look.
func (t telling) cures() any {
	holds, needed := t.refused()
	s := rule.ScheduleOf(t.run.Policy)
	budget := budgetOf(needed * float64(s.Processes(s.Looks()[0])) / float64(s.Processes(rule.LastLook(t.run.Policy)))) // the first look's part of all
	if holds <= 0 {
		return budget
	}
	cases, shards := max(len(t.cases()), len(t.found)), 1
	if t.run.Shard != nil {
		shards = t.run.Shard.Of
	}
	of := shards * ((cases + holds - 1) / holds)
	return say("fewer `cases:` (or `--case`), `--shard auto/%d` on as many days, `--shard I/%d` on as many machines, or %v", of, of, budget)
}

// budgetOf is the option for so many seconds, in whole minutes: an estimate is not good to the second.
func budgetOf(seconds float64) Text { return say("`--budget %dm`", int(math.Ceil(seconds/60))) }

// passesOver is the tolerance over which all of the cases would have passed; "" where none is known.
func (t telling) passesOver() string {
	at := 0.0
	for _, f := range t.found {
		at = max(at, f.PassesAt)
	}
	return either(at > 0, tied(text.Percent(at)), "")
}

// largestMDE is the largest effect that one of the cases cannot show.
func (t telling) largestMDE() float64 {
	mde := 0.0
	for _, f := range t.found {
		mde = max(mde, f.MDE)
	}
	return mde
}

// mde is the largest minimum detectable effect of the cases, or that there is none.
func (t telling) mde() any {
	return either(t.largestMDE() > 0, tied(text.Percent(t.largestMDE())), "not stated")
}

// noisy says what this machine cannot show.
func (t telling) noisy() Text {
	return say("this machine is too noisy[ for a tolerance of %s]: the minimum detectable effect after all looks is %s"+
		"[, and it would have passed at a tolerance over %s]; quieten it, %s", t.tolerance(), t.mde(), t.passesOver(), otherwise)
}

// What helps where more time does not.
const (
	otherwise = "raise the tolerance or measure larger cases"
	quieter   = "quieten the machine, " + otherwise
)

// moreBudget says what more time would bring: an answer, the policy's where one would take more rounds than a run has, or nothing where the
// machine is too noisy.
func (t telling) moreBudget() Text {
	hopeless, needed, rounds := 0, 0.0, 0
	for _, f := range t.found {
		needed = max(needed, f.BudgetNeededS)
		if f.MDE > 0 {
			hopeless++
		}
	}
	cases := t.cases()
	for _, c := range cases {
		needed = max(needed, c.BudgetNeededS)
		if q := c.Compared(); q != nil {
			rounds = max(rounds, q.RoundsNeeded)
		}
	}
	mostRounds := rule.LastLook(t.run.Policy)
	far := count(cases, func(c result.Case) bool { return c.Compared() != nil && c.Compared().RoundsNeeded > mostRounds })
	switch {
	case t.found[0].Kind == result.FindingSpeedupUnmeasured && hopeless > 0: // {noise} says it
		return nil
	case hopeless > 0 && hopeless == len(t.found):
		return say("; more time would hardly help: %v", t.noisy())
	case !(needed > 0):
		return nil
	}
	farAway := fmt.Sprintf("an answer takes %s, and a run has %d", roundsWords(rounds), mostRounds)
	var then phrases
	switch all := far > 0 && far == len(cases); {
	case all && t.run.Policy.OnInconclusive == result.OnInconclusiveStop:
		then.say("; all looks need about %s and would hardly help: %s: %s", tied(text.Elapsed(needed)), farAway, quieter)
	case all:
		then.say("; all looks need about %s: %v; then `on-inconclusive: %s` decides, since %s", tied(text.Elapsed(needed)), budgetOf(needed), t.run.Policy.OnInconclusive, farAway)
	default:
		then.say("; all looks need about %s: %v", tied(text.Elapsed(needed)), budgetOf(needed))
		then.when(far > 0, "but for %d of them %s", far, farAway)
	}
	then.when(hopeless > 0, "but for %d of them %v", hopeless, t.noisy())
	return then.joined("; ")
}

// farOff is a number of rounds beyond which an estimate of it is none.
const farOff = 1000

// roundsWords is an estimate of how many rounds an answer takes.
func roundsWords(n int) string {
	if n > farOff {
		return fmt.Sprintf("more than %d rounds", farOff)
	}
	return fmt.Sprintf("about %d rounds", n)
}
