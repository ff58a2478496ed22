package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// points lists what speaks against a pass, and what was accepted, the worst first.
func points(r *result.Result) []point {
	var out []point
	found := r.Conclusion.With(result.EffectFails, result.EffectUnmeasured, result.EffectAccepted)
	for _, group := range together(found) {
		w := wordings[group[0].Kind]
		at := w.other
		if group[0].Side == result.SideHead {
			at = w.head
		}
		say := w.text
		if say == nil {
			say = each(func(_ *result.Result, f result.Finding) Text { return Text{words(Sentence(f))} })
		}
		for _, t := range say(r, group) {
			out = append(out, point{at, t})
		}
	}
	slices.SortStableFunc(out, func(a, b point) int { return int(a.rank) - int(b.rank) })
	return out
}

// together puts findings together that a report speaks of at once: those of one kind and side.
func together(found []result.Finding) [][]result.Finding {
	type key struct {
		kind result.FindingKind
		head bool
	}
	var order []key
	groups := map[key][]result.Finding{}
	for _, f := range found {
		k := key{f.Kind, f.Side == result.SideHead}
		if f.Kind == result.FindingTooFewRounds {
			k.kind = result.FindingUnfinished
		}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], f)
	}
	var out [][]result.Finding
	for _, k := range order {
		if !wordings[k.kind].elsewhere {
			out = append(out, groups[k])
		}
	}
	return out
}

// each makes a text of every finding, in the order of the report. What several machines have in common is said once.
func each(text func(*result.Result, result.Finding) Text) func(*result.Result, []result.Finding) []Text {
	return func(r *result.Result, found []result.Finding) []Text {
		type about struct{ name, machine string }
		place := map[about]int{}
		for i, c := range sorted(r.Cases) {
			place[about{c.Name, c.Machine}] = i
		}
		found = slices.Clone(found)
		slices.SortStableFunc(found, func(a, b result.Finding) int {
			return place[about{a.Case, a.Machine}] - place[about{b.Case, b.Machine}]
		})
		var out []Text
		for _, f := range found {
			t := text(r, f)
			if len(t) > 0 && !slices.ContainsFunc(out, func(other Text) bool { return slices.Equal(other, t) }) {
				out = append(out, t)
			}
		}
		return out
	}
}

// casesOf returns the cases that findings are about, in the order of the report.
func casesOf(r *result.Result, found []result.Finding) []result.Case {
	return slices.DeleteFunc(sorted(r.Cases), func(c result.Case) bool {
		return !slices.ContainsFunc(found, func(f result.Finding) bool { return f.About(c) })
	})
}

// ofKinds returns the findings of these kinds, whatever their effect.
func ofKinds(r *result.Result, kinds ...result.FindingKind) []result.Finding {
	return slices.DeleteFunc(slices.Clone(r.Conclusion.Findings), func(f result.Finding) bool { return !slices.Contains(kinds, f.Kind) })
}

func overLimit(_ *result.Result, f result.Finding) Text {
	return Text{code(f.Kernel), words(" breaks a resource limit: "), words(LimitPhrase(f))}
}

func worstRegression(r *result.Result, found []result.Finding) []Text {
	c := worst(casesOf(r, found))
	switch {
	case c == nil:
		return nil
	case c.Compared == nil:
		return []Text{{code(c.Name), words(" is slower than the tolerance of " + tolerance(r, c.Name) + " allows")}}
	}
	return []Text{append(shiftText(r, *c), words("; "+tolerance(r, c.Name)+" is tolerated"))}
}

// worst is the case with the largest ratio; nil of none.
func worst(cases []result.Case) *result.Case {
	if len(cases) == 0 {
		return nil
	}
	c := slices.MaxFunc(cases, func(a, b result.Case) int { return cmp.Compare(ratio(a), ratio(b)) })
	return &c
}

// tolerance is that of cases: one, or from the smallest to the largest.
func tolerance(r *result.Result, names ...string) string {
	least, most := r.Policy.Tolerance, r.Policy.Tolerance
	for i, name := range names {
		t := r.Policy.Of(name).Tolerance
		if i == 0 {
			least, most = t, t
		}
		least, most = min(least, t), max(most, t)
	}
	if least == most {
		return tied(limit(most))
	}
	return tied(limit(least)) + " to " + tied(limit(most))
}

func casesOfFindings(found []result.Finding) (names []string) {
	for _, f := range found {
		names = append(names, f.Case)
	}
	return names
}

func parityError(r *result.Result, f result.Finding) Text {
	what := ": parity could not be checked: "
	if f.Side == result.SideHead {
		what = ": head failed in the parity check: "
	}
	return Text{code(f.Kernel), words(what), words(Reason(r.KernelOf(f).Parity.Reason))}
}

func adapterUnfit(r *result.Result, f result.Finding) Text {
	k := r.KernelOf(f)
	return buildText(k, adapterWords(k.Adapter, Reason(k.Reason)), k.Head)
}

// adapterWords say why the adapter does not build against head, with what was said of it.
func adapterWords(fault result.AdapterFault, detail string) string {
	switch fault {
	case result.AdapterNeedsLabel:
		return "head needs an adapter change and the label: " + cmp.Or(detail, "base's adapter does not build against it")
	case result.AdapterNeedsChange:
		return "head needs an adapter change: the adapter does not build against it"
	case result.AdapterNotLinked:
		return "the adapter does not link"
	case result.AdapterNotCompiled:
		return "the adapter does not compile"
	case result.AdapterNotImported:
		return "the adapter cannot be imported"
	}
	return cmp.Or(detail, "head needs an adapter change")
}

func buildFailed(r *result.Result, f result.Finding) Text {
	k := r.KernelOf(f)
	switch f.Side {
	case result.SideBoth:
		return buildText(k, "neither base nor head builds", k.Head)
	case result.SideBase:
		return buildText(k, "base does not build, so head has nothing to be compared with", k.Base)
	}
	return buildText(k, "head does not build", k.Head)
}

func wrongResult(r *result.Result, f result.Finding) Text {
	k := r.KernelOf(f)
	t := Text{code(k.Name), {Text: " computes the wrong result", Tone: Bad}}
	if f := k.Parity.Failure; f != nil {
		if f.Code != result.CodeWrongOutput {
			t[1].Text = " fails the parity check"
		}
		return append(t, words(" at "), code(shortName(k, f.Case)), words(": "), words(f.Message))
	}
	return append(t, words(because(Reason(k.Parity.Reason))))
}

// caseErrors are cases that could not be measured.
func caseErrors(r *result.Result, found []result.Finding) []Text {
	return alike(r, found, func(c result.Case) string { return failure(c.ErrorSide) + because(Reason(c.Reason)) })
}

// notTimed are cases that were left out.
func notTimed(r *result.Result, found []result.Finding) []Text {
	return alike(r, found, func(c result.Case) string { return "was not timed" + because(Reason(c.Reason)) })
}

// alike says of the cases of each kernel what there is to say of them, of those with the same complaint together.
func alike(r *result.Result, found []result.Finding, say func(result.Case) string) []Text {
	type complaint struct{ kernel, said string }
	var order []complaint
	names := map[complaint][]string{}
	for _, c := range casesOf(r, found) {
		key := complaint{c.Kernel, say(c)}
		if names[key] == nil {
			order = append(order, key)
		}
		names[key] = append(names[key], c.Name)
	}
	out := make([]Text, len(order))
	for i, key := range order {
		t := Text{code(names[key][0])}
		if n := len(names[key]) - 1; n > 0 {
			t = append(t, words(" and "+Count(n, "more case")))
		}
		out[i] = append(t, words(": "+key.said))
	}
	return out
}

func undecidedFailing(r *result.Result, f result.Finding) Text {
	i := slices.IndexFunc(r.Cases, f.About)
	switch {
	case i < 0 || r.Cases[i].Compared == nil:
		return nil
	case f.Kind == result.FindingInconclusiveFailed:
		return append(shiftText(r, r.Cases[i]), words(": that it keeps within the tolerance of "+tolerance(r, f.Case)+" is not sure, which fails by policy"))
	}
	return append(shiftText(r, r.Cases[i]), words(": not surely over the tolerance of "+tolerance(r, f.Case)+", but the estimate is"))
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

func unfinished(r *result.Result, found []result.Finding) []Text {
	cases := casesOf(r, found)
	if i := slices.IndexFunc(cases, func(c result.Case) bool { return c.Reason.Is(result.ReasonBudgetShort) }); i >= 0 {
		return refused(r, cases, cases[i])
	}
	spent, needed, most, done := false, 0.0, 0, completeRounds(r)
	for _, c := range cases {
		spent, needed, most = spent || c.BudgetGone, max(needed, c.BudgetNeededS), max(most, done[c.Name])
	}
	t := append(subject(r, cases), words(": still open after "+Count(most, "round")))
	if most < rule.MinRounds {
		t = append(t, words(fmt.Sprintf(" of at least %d", rule.MinRounds)))
	}
	if spent {
		t = append(t, words(", when the budget of "+tied(Elapsed(r.BudgetS))+" was spent"))
	}
	return []Text{append(t, moreBudget(r, found, needed)...)}
}

// refused says how many cases the budget of a run holds that did not start, and the cures: fewer cases, shards, or the budget of a first look.
func refused(r *result.Result, cases []result.Case, one result.Case) []Text {
	holds := one.Reason.Count
	text := fmt.Sprintf(": not started, since a budget of %s holds a first look of about %d at this machine's speed: ", tied(Elapsed(r.BudgetS)), holds)
	if holds == 0 {
		text = fmt.Sprintf(": not started, since a budget of %s holds no first look at this machine's speed: ", tied(Elapsed(r.BudgetS)))
	}
	t := append(subject(r, cases), words(text))
	if holds > 0 {
		shards := (len(cases) + holds - 1) / holds
		if r.Shard != nil {
			shards *= r.Shard.Of
		}
		t = append(t, words("fewer "), code("cases:"), words(" (or "), code("--case"), words("), "), code(tied(fmt.Sprintf("--shard I/%d", shards))), words(" on more machines or days, or "))
	}
	first := one.BudgetNeededS * rule.MinRounds / float64(rule.Looks[len(rule.Looks)-1])
	return []Text{append(t, code(tied(fmt.Sprintf("--budget %dm", int(math.Ceil(first/60))))))}
}

// moreBudget says what more time would bring: an answer, or nothing where the machine is too noisy for one.
func moreBudget(r *result.Result, found []result.Finding, needed float64) Text {
	mde, hopeless := 0.0, 0
	for _, f := range found {
		if f.MDE > 0 {
			mde, hopeless = max(mde, f.MDE), hopeless+1
		}
	}
	noisy := fmt.Sprintf("this machine is too noisy for a tolerance of %s, after all looks it could see %s at best; quieten it, raise the tolerance or measure larger cases",
		tolerance(r, casesOfFindings(found)...), tied(Percent(mde)))
	if hopeless > 0 && hopeless == len(found) {
		return Text{words("; more time would hardly help: " + noisy)}
	}
	if !(needed > 0) {
		return nil
	}
	flag := fmt.Sprintf("--budget %dm", int(math.Ceil(needed/60))) // whole minutes: an estimate is not good to the second
	t := Text{words("; all looks need about " + tied(Elapsed(needed)) + ": "), code(tied(flag))}
	if hopeless > 0 {
		t = append(t, words(fmt.Sprintf("; but for %d of them %s", hopeless, noisy)))
	}
	return t
}

func tooNoisy(r *result.Result, found []result.Finding) []Text {
	mde := 0.0
	for _, f := range found {
		mde = max(mde, f.MDE)
	}
	return []Text{append(subject(r, casesOf(r, found)), words(fmt.Sprintf(
		": this machine is too noisy for a tolerance of %s, the smallest effect that it can see here is %s; quieten it, raise the tolerance or measure a larger case",
		tolerance(r, casesOfFindings(found)...), tied(Percent(mde)))))}
}
