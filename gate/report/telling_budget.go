package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// done counts the complete rounds of the case that has most.
func (t telling) done() string {
	most := 0
	for _, f := range t.found {
		most = max(most, f.Rounds)
	}
	if t.run != nil {
		done := completeRounds(t.run)
		for _, c := range casesOf(t.run, t.found) {
			most = max(most, done[c.Name])
		}
	}
	text := Count(most, "round")
	if most < rule.MinRounds {
		text += fmt.Sprintf(" of at least %d", rule.MinRounds)
	}
	return text
}

// exhausted says that the time budget ended the measuring.
func (t telling) exhausted() string {
	gone := slices.ContainsFunc(t.found, func(f result.Finding) bool { return f.BudgetGone })
	if t.run != nil {
		gone = gone || slices.ContainsFunc(casesOf(t.run, t.found), func(c result.Case) bool { return c.BudgetGone })
	}
	switch {
	case !gone:
		return ""
	case t.run == nil:
		return ", when the time budget was exhausted"
	}
	return ", when the time budget of " + tied(Elapsed(t.run.BudgetS)) + " was exhausted"
}

// refusal is what is said of cases that did not start.
type refusal struct{ available, holds, cures string }

// refusal fills the sentence on cases that did not start: how many the budget holds, and the cures: fewer cases, shards, or the budget of a
// first look.
func (t telling) refusal() refusal {
	holds, needed, cases, shards, available := t.found[0].Reason.Count, t.found[0].BudgetNeededS, len(t.found), 1, "this length"
	if t.run != nil {
		found := casesOf(t.run, t.found)
		if i := slices.IndexFunc(found, func(c result.Case) bool { return c.Reason.Is(result.ReasonBudgetShort) }); i >= 0 {
			holds, needed = found[i].Reason.Count, found[i].BudgetNeededS
		}
		cases, available = len(found), tied(Elapsed(t.run.BudgetS))
		if t.run.Shard != nil {
			shards = t.run.Shard.Of
		}
	}
	what, cures := "no first look", ""
	if holds > 0 {
		what = fmt.Sprintf("a first look of about %d", holds)
		cures = fmt.Sprintf("fewer cases: (or --case), %s on more machines or days, or ", tied(fmt.Sprintf("--shard I/%d", shards*((cases+holds-1)/holds))))
	}
	first := t.firstLook(needed)
	return refusal{available, what, cures + tied(fmt.Sprintf("--budget %dm", int(math.Ceil(first/60))))}
}

// firstLook is how much of the time that all looks need the first one takes.
func (t telling) firstLook(needed float64) float64 {
	var p result.Policy
	if t.run != nil {
		p = t.run.Policy
	}
	s := rule.ScheduleOf(p)
	return needed * float64(s.Processes(s.Looks()[0])) / float64(s.Processes(rule.LastLook(p)))
}

// mde is the largest effect that one of the cases cannot show.
func (t telling) mde() float64 {
	mde := 0.0
	for _, f := range t.found {
		mde = max(mde, f.MDE)
	}
	return mde
}

// passesAt is the tolerance over which all of the cases would have passed.
func (t telling) passesAt() string {
	at := 0.0
	for _, f := range t.found {
		at = max(at, f.PassesAt)
	}
	return tied(Percent(at))
}

// mdeText is the largest minimum detectable effect of the cases, or that there is none.
func (t telling) mdeText() string {
	if mde := t.mde(); mde > 0 {
		return tied(Percent(mde))
	}
	return "not stated"
}

// noisy says what this machine cannot show.
func (t telling) noisy() string {
	text := "this machine is too noisy"
	if tolerance := t.tolerance(); tolerance != "" {
		text += " for a tolerance of " + tolerance
	}
	text += ": the minimum detectable effect after all looks is " + t.mdeText()
	if slices.ContainsFunc(t.found, func(f result.Finding) bool { return f.PassesAt > 0 }) {
		text += ", and it would have passed at a tolerance over " + t.passesAt()
	}
	return text + "; quieten it, raise the tolerance or measure larger cases"
}

// moreBudget says what more time would bring: an answer, or nothing where the machine is too noisy for one.
func (t telling) moreBudget() string {
	hopeless, needed := 0, 0.0
	for _, f := range t.found {
		needed = max(needed, f.BudgetNeededS)
		if f.MDE > 0 {
			hopeless++
		}
	}
	if t.run != nil {
		for _, c := range casesOf(t.run, t.found) {
			needed = max(needed, c.BudgetNeededS)
		}
	}
	switch {
	case t.found[0].Kind == result.FindingSpeedupUnmeasured && hopeless > 0: // {noise} says it
		return ""
	case hopeless > 0 && hopeless == len(t.found):
		return "; more time would hardly help: " + t.noisy()
	case !(needed > 0):
		return ""
	}
	text := "; all looks need about " + tied(Elapsed(needed)) + ": " + tied(fmt.Sprintf("--budget %dm", int(math.Ceil(needed/60)))) // whole minutes: an estimate is not good to the second
	if hopeless > 0 {
		text += fmt.Sprintf("; but for %d of them %s", hopeless, t.noisy())
	}
	return text
}
